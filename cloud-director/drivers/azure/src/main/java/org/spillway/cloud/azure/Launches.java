package org.spillway.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A launch is one PUT for each machine, many at a time; the operations behind them tell whether there was room. */
final class Launches {
    static final int AT_A_TIME = 16;
    private final String siteName;
    private final AzureSettings settings;
    private final Names names;
    private final Arm arm;
    private final Operations operations;
    private final FabricGroups groups;
    private final Catalogue catalogue;
    private final InstantSource clock;

    public Launches(AzureParts parts, FabricGroups groups) {
        this.siteName = parts.site().site();
        this.settings = parts.settings();
        this.names = parts.names();
        this.arm = parts.arm();
        this.operations = parts.operations();
        this.groups = groups;
        this.catalogue = parts.catalogue();
        this.clock = parts.clock();
    }

    /** Outcome of one name. */
    private sealed interface Machine {
        record Exists(Instance instance) implements Machine {}

        record None(Reason reason, String message) implements Machine {}

        record Nobody(String message) implements Machine {}
    }

    LaunchAnswer launch(LaunchRequest request) {
        if (!request.offering().site().equals(siteName)) {
            return refused(Reason.INVALID, "offering " + request.offering() + " is not of site " + siteName);
        }
        if (request.offering().market() == Market.RESERVED
                && request.placement().reservation().isEmpty()
                && settings.reservation().isEmpty()) {
            return refused(Reason.INVALID, "market RESERVED needs a capacity reservation group: option reservation");
        }
        FabricGroups.Group group;
        String sshKey;
        List<AzureReservations.Reserved> reserved;
        Map<String, Integer> cores;
        try {
            cores = cores(request);
            reserved = reserved(request);
            // No machine is asked for before there is a group.
            group = groups.ensure(request);
            sshKey = SshKey.read(settings, request);
        } catch (CloudException none) {
            return refused(none.reason(), String.valueOf(none.getMessage()));
        }
        Map<Integer, Machine> ends = new TreeMap<>();
        List<Integer> wanted = new ArrayList<>();
        for (int index = 0; index < request.count(); index++) {
            wanted.add(index);
        }
        List<LaunchAnswer.Part> parts = new ArrayList<>();
        for (OfferingId offering : request.offerings()) {
            boolean accelerated = catalogue
                    .heard(offering.instanceType())
                    .map(Size::acceleratedNetworking)
                    .orElse(false);
            MachineBody.Place place = new MachineBody.Place(
                    subnet(),
                    AzureGuestNetwork.rulesId(settings, names),
                    AzureGuestNetwork.membersId(settings, names),
                    group.id(),
                    group.availabilitySet(),
                    accelerated,
                    cores.getOrDefault(offering.instanceType(), 0),
                    sshKey);
            Map<Integer, Machine> round =
                    round(request, offering, place, wanted, seats(request, offering, reserved, wanted));
            ends.putAll(round);
            LaunchOutcome outcome = outcome(round.values(), wanted.size());
            parts.add(new LaunchAnswer.Part(offering, outcome));
            wanted = round.entrySet().stream()
                    .filter(end -> end.getValue() instanceof Machine.None)
                    .map(Map.Entry::getKey)
                    .toList();
            if (wanted.isEmpty() || !another(outcome)) {
                break;
            }
        }
        LaunchOutcome whole = outcome(ends.values(), request.count());
        if (whole instanceof LaunchOutcome.Refused) {
            groups.removeUnused(group);
        }
        List<Instance> instances = new ArrayList<>();
        if (!(whole instanceof LaunchOutcome.Unknown)) {
            ends.values().forEach(end -> {
                if (end instanceof Machine.Exists exists) {
                    instances.add(exists.instance());
                }
            });
        }
        return new LaunchAnswer(whole, instances, request.alternatives().isEmpty() ? List.of() : parts);
    }

    /** CPUs of each size that is to have one thread a core; asks only where the site wants that. */
    private Map<String, Integer> cores(LaunchRequest request) throws CloudException {
        Map<String, Integer> cores = new TreeMap<>();
        for (OfferingId offering : settings.machine().smt() ? List.<OfferingId>of() : request.offerings()) {
            catalogue
                    .size(offering.instanceType())
                    .ifPresent(size -> cores.put(size.name(), MachineBody.Place.cores(size)));
        }
        return cores;
    }

    private List<AzureReservations.Reserved> reserved(LaunchRequest request) throws CloudException {
        if (request.offering().market() != Market.RESERVED) {
            return List.of();
        }
        String named = request.placement().reservation();
        return new AzureReservations(settings, arm).look(named.isEmpty() ? settings.reservation() : named);
    }

    /**
     * Machines that may be asked for: no more than are reserved.
     *
     * @param full why the others may not be
     */
    private record Seats(Set<Integer> taken, String full) {
        boolean has(int index) {
            return full.isEmpty() || taken.contains(index);
        }
    }

    private Seats seats(
            LaunchRequest request,
            OfferingId offering,
            List<AzureReservations.Reserved> reserved,
            List<Integer> wanted) {
        if (offering.market() != Market.RESERVED) {
            return new Seats(Set.of(), "");
        }
        Map<String, Integer> ours = new TreeMap<>();
        wanted.forEach(index -> ours.put(
                Machines.key(settings.groupId() + "/providers/Microsoft.Compute/virtualMachines/"
                        + names.machine(request, index)),
                index));
        Set<Integer> taken = new HashSet<>();
        String full = "nothing is reserved of " + offering.instanceType() + " in " + offering.zone();
        for (AzureReservations.Reserved each : reserved) {
            if (each.isOf(offering)) {
                full = "no room in capacity reservation " + each.text();
                int room = each.roomFor(ours.keySet());
                // Machines of an earlier call of this request are in it already.
                ours.forEach((key, index) -> {
                    if (each.machines().contains(key)) {
                        taken.add(index);
                    }
                });
                for (int index : wanted) {
                    if (taken.size() < room) {
                        taken.add(index);
                    }
                }
            }
        }
        return new Seats(taken, full);
    }

    private String subnet() {
        return settings.subnet().isEmpty() ? AzureNetwork.subnetId(settings, names) : settings.subnet();
    }

    /** Whether another offering may help. */
    private static boolean another(LaunchOutcome outcome) {
        return switch (outcome) {
            case LaunchOutcome.Refused no -> helps(no.reason());
            case LaunchOutcome.Partial some -> helps(some.reason());
            case LaunchOutcome.Launched all -> false;
            case LaunchOutcome.Unknown unknown -> false;
        };
    }

    private static boolean helps(Reason reason) {
        return reason == Reason.CAPACITY || reason == Reason.QUOTA || reason == Reason.INVALID;
    }

    /** Side by side; after a refusal that would be the same for all, no more are asked for. */
    private Map<Integer, Machine> round(
            LaunchRequest request, OfferingId offering, MachineBody.Place place, List<Integer> indexes, Seats seats) {
        AtomicReference<Machine.@Nullable None> stop = new AtomicReference<>();
        Map<Integer, Future<Machine>> running = new HashMap<>();
        Map<Integer, Machine> ends = new TreeMap<>();
        // Only the calls are bounded: following them one bunch after the other, the first would wait for the last.
        Semaphore calls = new Semaphore(AT_A_TIME);
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int index : indexes) {
                running.put(index, pool.submit(() -> {
                    if (!seats.has(index)) {
                        return withoutSeat(request, index, seats.full());
                    }
                    Machine end = one(request, offering, place, index, calls, stop);
                    if (end instanceof Machine.None none) {
                        stop.compareAndSet(null, none);
                    }
                    return end;
                }));
            }
            for (int index : indexes) {
                Future<Machine> future = running.get(index);
                ends.put(index, future == null ? new Machine.Nobody("not asked") : end(future));
            }
        }
        return ends;
    }

    /** Not asked for; yet an earlier call of this request may have, when there was room. */
    private Machine withoutSeat(LaunchRequest request, int index, String full) {
        Answer<VirtualMachineInner> look = look(names.machine(request, index));
        return look instanceof Answer.Refused<VirtualMachineInner> no && no.isGone()
                ? new Machine.None(Reason.CAPACITY, full)
                : existing(request, names.machine(request, index), look, full);
    }

    private Answer<VirtualMachineInner> look(String name) {
        return arm.call(() -> arm.compute()
                .getVirtualMachines()
                .getByResourceGroupWithResponse(
                        settings.resourceGroup(), name, null, com.azure.core.util.Context.NONE));
    }

    private static Machine end(Future<Machine> future) {
        try {
            return future.get();
        } catch (ExecutionException failed) {
            return new Machine.Nobody("failed in between: " + Arm.firstLine(failed));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new Machine.Nobody("interrupted");
        }
    }

    private Machine one(
            LaunchRequest request,
            OfferingId offering,
            MachineBody.Place place,
            int index,
            Semaphore calls,
            AtomicReference<Machine.@Nullable None> stop) {
        String name = names.machine(request, index);
        VirtualMachineInner body = new MachineBody(settings, names).of(request, offering, name, place);
        Answer<JsonNode> put;
        calls.acquireUninterruptibly();
        try {
            Machine.None before = stop.get();
            if (before != null) {
                return before;
            }
            // Only if there is none: a PUT to one that exists would change it.
            put = arm.change(() -> arm.compute()
                    .getVirtualMachines()
                    .createOrUpdateWithResponseAsync(settings.resourceGroup(), name, body, null, "*"));
        } finally {
            calls.release();
        }
        return switch (put) {
            case Answer.Done<JsonNode> done -> settle(request, offering, name, done);
            case Answer.Refused<JsonNode> no
            when no.status() == 412 || no.code().equals("PropertyChangeNotAllowed") ->
                existing(request, name, look(name), no.message());
            case Answer.Refused<JsonNode> no -> new Machine.None(no.reason(), no.message());
            case Answer.Unsent<JsonNode> unsent -> new Machine.None(unsent.reason(), unsent.message());
            case Answer.Unclear<JsonNode> unclear -> new Machine.Nobody(unclear.message());
        };
    }

    private Machine settle(LaunchRequest request, OfferingId offering, String name, Answer.Done<JsonNode> put) {
        String created = put.body().path("properties").path("timeCreated").asText("");
        Instance instance = Instance.of(name, offering, Instance.State.PENDING, instant(created), names.tags(request))
                .at("", settings.sshPort());
        return switch (operations.follow(put, settings.launchTime())) {
            case Answer.Done<JsonNode> done -> new Machine.Exists(instance);
            case Answer.Refused<JsonNode> no -> removed(name, no);
            case Answer.Unsent<JsonNode> unsent -> new Machine.Nobody(name + ": " + unsent.message());
            case Answer.Unclear<JsonNode> unclear -> new Machine.Nobody(name + ": " + unclear.message());
        };
    }

    /** Accepted and then failed: it is refused when nothing of it is left. */
    private Machine removed(String name, Answer.Refused<JsonNode> why) {
        Answer<JsonNode> gone = operations.follow(
                arm.change(() -> arm.compute()
                        .getVirtualMachines()
                        .deleteWithResponseAsync(settings.resourceGroup(), name, true)),
                settings.timeout());
        boolean clean =
                gone instanceof Answer.Done<JsonNode> || (gone instanceof Answer.Refused<JsonNode> no && no.isGone());
        return clean
                ? new Machine.None(why.reason(), why.message())
                : new Machine.Nobody(name + " failed (" + why.message() + ") and is not known to be deleted");
    }

    /** The same request has been here before. */
    private Machine existing(LaunchRequest request, String name, Answer<VirtualMachineInner> look, String why) {
        if (!(look instanceof Answer.Done<VirtualMachineInner> done)) {
            return new Machine.Nobody(name + " exists and cannot be looked at");
        }
        VirtualMachineInner machine = done.body();
        Map<String, String> tags = machine.tags() == null ? Map.of() : machine.tags();
        if (!tags.entrySet().containsAll(names.tags(request).entrySet())) {
            return new Machine.None(Reason.INVALID, name + " exists with other tags: " + why);
        }
        return switch (String.valueOf(machine.provisioningState())) {
            case "Deleting" -> new Machine.Nobody(name + " is being deleted");
            case "Failed" -> new Machine.Nobody(name + " exists and has failed");
            default ->
                new Machine.Exists(Instance.of(
                                name,
                                Machines.offering(siteName, settings.location(), machine),
                                Instance.State.PENDING,
                                machine.timeCreated() == null
                                        ? clock.instant()
                                        : machine.timeCreated().toInstant(),
                                tags)
                        .at("", settings.sshPort()));
        };
    }

    private Instant instant(String text) {
        try {
            return text.isEmpty() ? clock.instant() : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException unreadable) {
            return clock.instant();
        }
    }

    private static LaunchOutcome outcome(java.util.Collection<Machine> ends, int wanted) {
        int exist = 0;
        Machine.@Nullable None first = null;
        for (Machine end : ends) {
            switch (end) {
                case Machine.Exists one -> exist++;
                case Machine.None none -> first = first == null ? none : first;
                case Machine.Nobody nobody -> {
                    return new LaunchOutcome.Unknown(nobody.message());
                }
            }
        }
        if (first == null || exist == wanted) {
            return new LaunchOutcome.Launched(exist);
        }
        return exist == 0
                ? new LaunchOutcome.Refused(first.reason(), first.message())
                : new LaunchOutcome.Partial(exist, first.reason(), first.message());
    }

    private static LaunchAnswer refused(Reason reason, String message) {
        return new LaunchAnswer(new LaunchOutcome.Refused(reason, message), List.of());
    }
}
