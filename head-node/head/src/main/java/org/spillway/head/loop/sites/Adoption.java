package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.RecoveryCause;
import org.spillway.head.cause.RecoveryCause.RecoveryFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.head.loop.state.Unknowns.Unknown;
import org.spillway.policy.Fabric;
import org.spillway.policy.Offering;

/**
 * Whether a machine that the journal does not know can be one of its nodes again. A director can when the secrets hold
 * its key; a node when a director that answers reports it, which it does of nodes with a certificate of this head only.
 */
sealed interface Adoption {
    /** @param node that it would be */
    record Possible(NodeRecord node) implements Adoption {}

    record Impossible(RecoveryFact why) implements Adoption {}

    /** In the place of a join request, which is in no journal. */
    String REQUEST = "adopted";

    Pattern LAUNCH = Pattern.compile("i(\\d{1,18})");
    /** Reserved when it is adopted, as for a director's next stretch. */
    Duration RESERVED = Duration.ofMinutes(5);

    /**
     * The site, as far as it matters.
     *
     * @param report of its director; null when none was heard
     * @param unknown machines there that no node owns
     * @param hasDirector whether a live one is in the journal
     * @param isTaken whether the journal has a node of that name
     * @param hasKey whether the secrets hold a key of the director of that name
     * @param tag of this start of a head
     */
    record Ground(
            List<Offering> offerings,
            @Nullable Report report,
            List<Unknown> unknown,
            boolean hasDirector,
            Predicate<String> isTaken,
            Predicate<String> hasKey,
            String tag) {}

    /** Pure but for the two questions. */
    static Adoption of(RecoveryRecord record, Instance instance, Ground ground, String user, Instant now) {
        String role = instance.tags().getOrDefault(Instance.TAG_ROLE, "");
        if (!role.equals("NODE") && !role.equals("DIRECTOR")) {
            return new Impossible(RecoveryFact.NO_NODE);
        }
        Matcher launch = LAUNCH.matcher(instance.intent());
        if (!launch.matches()) {
            return new Impossible(RecoveryFact.LAUNCH_UNNAMED);
        }
        if (!record.machine().isOf(ground.tag())) {
            return new Impossible(RecoveryFact.STATE_FOREIGN);
        }
        if (instance.state() != Instance.State.RUNNING) {
            return new Impossible(RecoveryFact.NOT_RUNNING);
        }
        Optional<Offering> offering = ground.offerings().stream()
                .filter(one -> one.id().equals(instance.offering()))
                .findFirst();
        if (offering.isEmpty()) {
            return new Impossible(RecoveryFact.OFFERING_UNKNOWN);
        }
        String site = record.machine().site();
        boolean director = role.equals("DIRECTOR");
        String stem = site + (director ? "-director-" : "-") + launch.group(1);
        if (director) {
            return ground.hasDirector()
                    ? new Impossible(RecoveryFact.DIRECTOR_THERE)
                    : !ground.hasKey().test(stem)
                            ? new Impossible(RecoveryFact.KEY_UNKNOWN)
                            : possible(stem, record, instance, offering.get(), ground, user, now);
        }
        List<String> reported = ground.report() == null
                ? List.of()
                : ground.report().nodes().stream()
                        .map(Report.NodeReport::node)
                        .filter(node -> node.equals(stem) || node.matches(Pattern.quote(stem) + "-\\d+"))
                        .filter(node -> !ground.isTaken().test(node))
                        .toList();
        long ofLaunch = ground.unknown().stream()
                .filter(one -> one.instance().intent().equals(instance.intent()))
                .count();
        return reported.isEmpty()
                ? new Impossible(RecoveryFact.NODE_UNHEARD)
                : reported.size() > 1 || ofLaunch > 1
                        ? new Impossible(RecoveryFact.NODE_UNCERTAIN)
                        : possible(reported.getFirst(), record, instance, offering.get(), ground, user, now);
    }

    private static Adoption possible(
            String id,
            RecoveryRecord record,
            Instance instance,
            Offering offering,
            Ground ground,
            String user,
            Instant now) {
        if (ground.isTaken().test(id)) {
            return new Impossible(RecoveryFact.NUMBER_TAKEN);
        }
        boolean director = "DIRECTOR".equals(instance.tags().get(Instance.TAG_ROLE));
        Instant from = instance.launchedAt().isAfter(now) ? now : instance.launchedAt();
        return new Possible(NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = record.machine().site();
            draft.role = director ? NodeRecord.Role.DIRECTOR : NodeRecord.Role.NODE;
            draft.intent = instance.intent();
            draft.nodeState = director ? NodeState.READY : NodeState.DRAINING;
            draft.cause = new RecoveryCause.ChosenBy(user);
            draft.since = now;
            draft.purchase = Purchase.of(bought -> {
                bought.sold(offering);
                bought.from = from;
                bought.committedFor = Duration.between(from, now).plus(RESERVED);
            });
            draft.place =
                    new NodeRecord.Place(instance.id(), instance.address(), instance.sshPort(), instance.inside());
            // No journal has the job of a node: until an administrator says so, it gets no other and is not released.
            draft.joined = new NodeRecord.Joined(director ? "" : REQUEST, "", now);
            draft.care = director ? NodeRecord.Care.NONE : new NodeRecord.Care(true, true);
            draft.fabric = new Fabric(Fabric.named(offering.features()), "");
        }));
    }
}
