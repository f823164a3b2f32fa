package org.spillway.cloud.azure;

import com.azure.core.util.Context;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.network.fluent.models.NetworkInterfaceInner;
import com.azure.resourcemanager.network.fluent.models.PublicIpAddressInner;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Power;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Offering;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Machines of one resource group, narrowed to the tags of this cluster and site. */
final class AzureCompute implements Compute {
    private static final int CONSOLE_BYTES = 64 * 1024;
    private final AzureParts parts;
    private final AzureSettings settings;
    private final Arm arm;
    private final FabricGroups groups;

    AzureCompute(AzureParts parts) {
        this.parts = parts;
        this.settings = parts.settings();
        this.arm = parts.arm();
        this.groups = new FabricGroups(parts);
    }

    @Override
    public List<Offering> offerings() throws CloudException {
        return parts.catalogue().offerings(parts.clock().instant());
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        return new Launches(parts, groups).launch(request);
    }

    @Override
    public Optional<Lookup> lookup() {
        return Optional.of(new AzureLookup(parts));
    }

    @Override
    public Duration consistencyWindow() {
        return settings.consistencyWindow();
    }

    /** A machine as listed. @param power as the provider calls it */
    record Listed(Instance instance, String power) {}

    @Override
    public List<Instance> list() throws CloudException {
        return listed().stream().map(Listed::instance).toList();
    }

    /** By its tags; one that has lost some of them is known by its name, which nobody else gives. */
    private boolean isOwn(VirtualMachineInner machine) {
        Map<String, String> tags = machine.tags() == null ? Map.of() : machine.tags();
        return parts.names().isOwn(tags)
                || (!parts.names().isStrange(tags) && parts.names().isOwn(String.valueOf(machine.name())));
    }

    /** Not from the resource graph, which may be stale: model, power and addresses are three listings. */
    List<Listed> listed() throws CloudException {
        List<VirtualMachineInner> machines =
                arm
                        .pages(() -> arm.compute().getVirtualMachines().listByResourceGroup(settings.resourceGroup()))
                        .stream()
                        .filter(this::isOwn)
                        .toList();
        if (machines.isEmpty()) {
            return List.of();
        }
        Map<String, Machines.Status> statuses = Machines.statuses(
                arm.pages(() -> arm.compute().getVirtualMachines().list("true", null, null, Context.NONE)));
        List<NetworkInterfaceInner> nics =
                arm.pages(() -> arm.network().getNetworkInterfaces().listByResourceGroup(settings.resourceGroup()));
        List<PublicIpAddressInner> publicOnes = Machines.hasPublic(nics)
                ? arm.pages(() -> arm.network().getPublicIpAddresses().listByResourceGroup(settings.resourceGroup()))
                : List.of();
        Map<String, String> addresses = Machines.addresses(nics, publicOnes);
        Map<String, String> inside = Machines.addresses(nics, List.of());
        // A page may come twice.
        Map<String, Listed> all = new LinkedHashMap<>();
        for (VirtualMachineInner machine : machines) {
            Machines.Status status = statuses.getOrDefault(Machines.key(machine.id()), Machines.Status.NONE);
            Machines.Addresses reached = new Machines.Addresses(
                    addresses.getOrDefault(Machines.key(machine.id()), ""),
                    inside.getOrDefault(Machines.key(machine.id()), ""));
            all.put(
                    Machines.key(machine.id()),
                    new Listed(
                            Machines.instance(parts.site().site(), settings, machine, status, reached),
                            status.power()));
        }
        return List.copyOf(all.values());
    }

    @Override
    public void terminate(Collection<String> instanceIds) throws CloudException {
        if (instanceIds.isEmpty()) {
            return;
        }
        Map<String, Instant> left = groups.leftEmptyBy(instanceIds);
        forEach(
                instanceIds,
                id -> arm.change(() ->
                        arm.compute().getVirtualMachines().deleteWithResponseAsync(settings.resourceGroup(), id, true)),
                Duration.ZERO);
        groups.remove(left);
    }

    Power power() {
        return new Power() {
            @Override
            public void stop(Collection<String> instanceIds) throws CloudException {
                forEach(
                        instanceIds,
                        id -> change(arm.compute()
                                .getVirtualMachines()
                                .deallocateWithResponseAsync(settings.resourceGroup(), id, null)),
                        Duration.ZERO);
            }

            @Override
            public void start(Collection<String> instanceIds) throws CloudException {
                forEach(
                        instanceIds,
                        id -> change(arm.compute()
                                .getVirtualMachines()
                                .startWithResponseAsync(settings.resourceGroup(), id)),
                        settings.launchTime());
            }
        };
    }

    private Answer<JsonNode> change(Mono<com.azure.core.http.rest.Response<Flux<ByteBuffer>>> call) {
        return arm.change(() -> call);
    }

    /**
     * The same call for each that is ours, many at a time.
     *
     * @param patience how long what was accepted is followed; zero for not at all
     * @throws CloudException if one of them went wrong; gone is success
     */
    private void forEach(Collection<String> ids, Function<String, Answer<JsonNode>> call, Duration patience)
            throws CloudException {
        Map<String, Future<Answer<JsonNode>>> running = new LinkedHashMap<>();
        if (ids.isEmpty()) {
            return;
        }
        Answer<JsonNode> bad = null;
        try (ExecutorService pool = Executors.newFixedThreadPool(
                Math.min(Launches.AT_A_TIME, ids.size()), Thread.ofVirtual().factory())) {
            for (String id : ids) {
                running.computeIfAbsent(id, each -> pool.submit(() -> one(each, call, patience)));
            }
            for (Future<Answer<JsonNode>> each : running.values()) {
                Answer<JsonNode> end = end(each);
                boolean gone = end instanceof Answer.Refused<JsonNode> no && no.isGone();
                if (!(end instanceof Answer.Done<JsonNode>) && !gone) {
                    bad = end;
                }
            }
        }
        if (bad != null) {
            bad.orThrow();
        }
    }

    private Answer<JsonNode> one(String id, Function<String, Answer<JsonNode>> call, Duration patience) {
        // Names with our prefix are given by us alone; of others the tags are looked at first.
        if (!parts.names().isOwn(id)) {
            Answer<VirtualMachineInner> look = look(id);
            if (!(look instanceof Answer.Done<VirtualMachineInner> found)) {
                return look.failed();
            }
            if (found.body().tags() == null || !parts.names().isOwn(found.body().tags())) {
                return notOurs(id);
            }
        }
        Answer<JsonNode> answer = call.apply(id);
        return patience.isZero() ? answer : parts.operations().follow(answer, patience);
    }

    private static <T> Answer<T> notOurs(String id) {
        return new Answer.Refused<>(404, "NotFound", Reason.INVALID, "there is no machine " + id);
    }

    private Answer<VirtualMachineInner> look(String id) {
        if (!id.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,79}")) {
            return notOurs(id);
        }
        return arm.call(() -> arm.compute()
                .getVirtualMachines()
                .getByResourceGroupWithResponse(settings.resourceGroup(), id, null, Context.NONE));
    }

    private static Answer<JsonNode> end(Future<Answer<JsonNode>> future) {
        try {
            return future.get();
        } catch (ExecutionException failed) {
            return new Answer.Unclear<>("failed in between: " + Arm.firstLine(failed));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new Answer.Unclear<>("interrupted");
        }
    }

    /** From managed boot diagnostics, by a link that is as good as a password for a while and is told to nobody. */
    String console(String instanceId) throws CloudException {
        VirtualMachineInner machine = look(instanceId).orThrow();
        if (machine.tags() == null || !parts.names().isOwn(machine.tags())) {
            AzureCompute.<Void>notOurs(instanceId).orThrow();
        }
        var links = arm.call(() -> arm.compute()
                        .getVirtualMachines()
                        .retrieveBootDiagnosticsDataWithResponse(settings.resourceGroup(), instanceId, 5, Context.NONE))
                .orThrow();
        String link = links.serialConsoleLogBlobUri();
        if (link == null || !link.startsWith("https://")) {
            return "";
        }
        Answer<byte[]> text = arm.fetch(link);
        if (text instanceof Answer.Refused<byte[]> no && no.status() == 404) {
            // Not written yet.
            return "";
        }
        byte[] bytes = text.orThrow();
        int from = Math.max(0, bytes.length - CONSOLE_BYTES);
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }
}
