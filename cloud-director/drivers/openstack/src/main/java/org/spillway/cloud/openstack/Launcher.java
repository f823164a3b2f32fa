package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/**
 * Launches. Nova has no client token, so what bears the request's intent and attempt already is looked up first; a race
 * of two equal requests may make a twin. Nova accepts before it has found a host, so its servers are followed until
 * they have one: what finds none is deleted before the answer is given.
 */
final class Launcher {
    private static final Logger LOG = LoggerFactory.getLogger(Launcher.class);
    private final Account account;
    private final Following following;
    private final ServerGroups groups;
    private final Ports ports;
    private final Leases leases;
    /** How many launches are under way in this process into that fabric group. */
    private final Map<String, Integer> grouped = new ConcurrentHashMap<>();

    Launcher(Account account, Following following) {
        this.account = account;
        this.following = following;
        this.groups = new ServerGroups(account);
        this.ports = new Ports(account);
        this.leases = new Leases(account);
    }

    LaunchAnswer launch(LaunchRequest request) {
        String group = request.placement().fabricGroup();
        if (group.isEmpty()) {
            return launched(request);
        }
        grouped.merge(group, 1, Integer::sum);
        try {
            return launched(request);
        } finally {
            grouped.computeIfPresent(group, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    private LaunchAnswer launched(LaunchRequest request) {
        String objection = objection(request);
        if (!objection.isEmpty()) {
            return refused(Reason.INVALID, objection);
        }
        List<Instance> before;
        ServerBody form;
        List<Turn> turns;
        try {
            before = following.named(account.serverName(request.intent(), request.attempt())).stream()
                    .filter(each -> account.owns(each.tags()))
                    .toList();
            if (!before.isEmpty()) {
                return again(request, before);
            }
            turns = turns(request);
            if (turns.isEmpty()) {
                return refused(Reason.CAPACITY, "none of the site's reservations is active and has that flavor");
            }
            form = form(request);
            if (account.settings().server().hasPorts()) {
                ports.removeLeft();
            }
        } catch (CloudException failed) {
            // Nothing was sent by this call.
            return refused(failed.reason(), String.valueOf(failed.getMessage()));
        }
        LaunchAnswer answer = buy(request, turns, form);
        if (answer.outcome() instanceof LaunchOutcome.Refused && !form.groupId().isEmpty()) {
            tidy(request.placement().fabricGroup(), form.groupId());
        }
        return answer;
    }

    /** A group that nothing is in, and nobody is about to enter. */
    private void tidy(String group, String id) {
        if (grouped.getOrDefault(group, 0) > 1) {
            return;
        }
        try {
            groups.removeIfEmpty(id);
        } catch (CloudException stays) {
            LOG.warn("server group {} stays: {}", id, stays.getMessage());
        }
    }

    private String objection(LaunchRequest request) {
        OfferingId offering = request.offering();
        if (!offering.site().equals(account.site().site())) {
            return "offering " + offering + " is not of site " + account.site().site();
        }
        String reservation = request.placement().reservation();
        return switch (offering.market()) {
            case SPOT -> "Nova has no spot market";
            case ON_DEMAND -> reservation.isEmpty() ? "" : "a reservation goes with market RESERVED";
            case RESERVED ->
                reservation.isEmpty() && leases.named().isEmpty()
                        ? "market RESERVED needs Blazar's reservations: option " + Leases.OPTION
                        : reservation.isEmpty() || reservation.matches(Leases.ID)
                                ? ""
                                : "'" + reservation + "' is no id of a reservation";
        };
    }

    /** The servers that the same call made before; what is missing will not come any more. */
    private static LaunchAnswer again(LaunchRequest request, List<Instance> before) {
        String token = request.token();
        if (before.stream().anyMatch(each -> !token.equals(each.tags().get(Servers.TAG_REQUEST)))) {
            return refused(Reason.INVALID, "intent and attempt were used with other parameters");
        }
        List<Instance> good =
                before.stream().filter(each -> each.failure() == null).toList();
        if (good.size() >= request.count()) {
            return new LaunchAnswer(new LaunchOutcome.Launched(request.count()), good);
        }
        String message = "an earlier call of this request made " + good.size();
        return good.isEmpty()
                ? new LaunchAnswer(
                        new LaunchOutcome.Unknown(message + ", and remains of it are still there"), List.of())
                : new LaunchAnswer(new LaunchOutcome.Partial(good.size(), Reason.CAPACITY, message), good);
    }

    /** Parts that all offerings of a request have in common. */
    private ServerBody form(LaunchRequest request) throws CloudException {
        String fabricGroup = request.placement().fabricGroup();
        String securityGroup = account.securityGroup();
        boolean byId = account.settings().server().hasPorts() && !securityGroup.isEmpty();
        return new ServerBody(
                account.imageId(request.image()),
                account.nics(),
                securityGroup,
                byId ? account.securityGroupId(securityGroup) : "",
                fabricGroup.isEmpty() ? "" : groups.idOf(fabricGroup));
    }

    /** A POST of several. @param in the reservation that they go into; null for none */
    private record Turn(OfferingId offering, Leases.@Nullable Reserved in) {}

    private List<Turn> turns(LaunchRequest request) throws CloudException {
        if (request.offering().market() != Market.RESERVED) {
            return request.offerings().stream()
                    .map(each -> new Turn(each, null))
                    .toList();
        }
        String named = request.placement().reservation();
        List<Leases.Reserved> usable = named.isEmpty()
                ? leases.usable()
                : List.of(leases.find(named)
                        .orElseThrow(() -> new CloudException(
                                Reason.INVALID, "reservation " + named + " is not there, or not active")));
        List<Turn> turns = new ArrayList<>();
        for (OfferingId offering : request.offerings()) {
            usable.stream()
                    .filter(each -> each.isOf(offering.instanceType()))
                    .forEach(each -> turns.add(new Turn(offering, each)));
        }
        return turns;
    }

    private LaunchAnswer buy(LaunchRequest request, List<Turn> turns, ServerBody form) {
        List<Instance> instances = new ArrayList<>();
        List<LaunchAnswer.Part> parts = new ArrayList<>();
        Reason reason = Reason.CAPACITY;
        String message = "";
        for (int i = 0; i < turns.size() && instances.size() < request.count(); i++) {
            LaunchAnswer part = one(request, turns.get(i), i, request.count() - instances.size(), form);
            parts.add(new LaunchAnswer.Part(turns.get(i).offering(), part.outcome()));
            instances.addAll(part.instances());
            boolean over = false;
            switch (part.outcome()) {
                case LaunchOutcome.Launched all -> over = true;
                case LaunchOutcome.Partial some -> {
                    reason = some.reason();
                    message = some.message();
                }
                case LaunchOutcome.Refused none -> {
                    // The first is what was wanted most, so its reason is the whole's.
                    reason = i == 0 ? none.reason() : reason;
                    message = i == 0 ? none.message() : message;
                    over = none.reason() == Reason.CREDENTIALS || none.reason() == Reason.THROTTLED;
                }
                case LaunchOutcome.Unknown unknown -> {
                    return new LaunchAnswer(unknown, List.of(), several(request, parts));
                }
            }
            if (over) {
                break;
            }
        }
        LaunchOutcome outcome = instances.size() == request.count()
                ? new LaunchOutcome.Launched(request.count())
                : instances.isEmpty()
                        ? new LaunchOutcome.Refused(reason, message)
                        : new LaunchOutcome.Partial(instances.size(), reason, message);
        return new LaunchAnswer(outcome, instances, several(request, parts));
    }

    private static List<LaunchAnswer.Part> several(LaunchRequest request, List<LaunchAnswer.Part> parts) {
        return request.alternatives().isEmpty() ? List.of() : parts;
    }

    private LaunchAnswer one(LaunchRequest request, Turn turn, int index, int count, ServerBody form) {
        String name = account.serverName(request.intent(), request.attempt()) + (index == 0 ? "" : "-o" + index);
        Flavors.Flavor flavor;
        try {
            String type = turn.offering().instanceType();
            flavor = account.flavor(type)
                    .orElseThrow(() -> new CloudException(Reason.INVALID, "there is no flavor '" + type + "'"));
        } catch (CloudException failed) {
            return refused(failed.reason(), String.valueOf(failed.getMessage()));
        }
        var seat = new ServerBody.Seat(turn.offering(), flavor.id(), turn.in());
        if (account.settings().server().hasPorts()) {
            return new EachWithPorts(account, following, ports, form).launch(request, seat, name, count);
        }
        ObjectNode body = form.of(account, request, seat, name, count, Map.of());
        return switch (account.api().launch(ServerBody.feature(account.settings()), body)) {
            case Api.Result.Refused no -> refused(no.reason(), no.message());
            // Nothing was sent, so nothing exists; "throttled" makes the caller come back later.
            case Api.Result.Unsent unsent -> refused(Reason.THROTTLED, unsent.message());
            case Api.Result.Unclear unclear -> unknown(unclear.message());
            case Api.Result.Done done -> {
                String id = done.body().path("server").path("id").asText();
                yield id.isEmpty()
                        ? unknown("accepted, but the answer names no server")
                        : following.follow(id, name, count);
            }
        };
    }

    static LaunchAnswer refused(Reason reason, String message) {
        return new LaunchAnswer(new LaunchOutcome.Refused(reason, message), List.of());
    }

    static LaunchAnswer unknown(String message) {
        return new LaunchAnswer(new LaunchOutcome.Unknown(message), List.of());
    }

    static Duration pause(int round) {
        return Duration.ofMillis(Math.min(2000, 100L << Math.min(round, 5)));
    }
}
