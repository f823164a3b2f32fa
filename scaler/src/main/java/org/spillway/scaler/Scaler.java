package org.spillway.scaler;

import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.Guardrails;
import org.spillway.scaler.plan.LicenceCut;
import org.spillway.scaler.plan.OfferingHealth;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/**
 * Reads what waits and what there is, asks the policy, and cuts its wishes to the limits. It applies nothing and keeps
 * nothing between ticks.
 *
 * @param <S> settings of the policy
 */
public final class Scaler<S extends Record> {
    private final DemandSource demandSource;
    private final Fleet fleet;
    private final SpendLedger spend;
    private final Supplier<String> name;
    private final Decider decider;
    private final Guardrails guardrails;

    /** @param zone the head's time zone, for the times in reasons */
    public Scaler(
            DemandSource demandSource,
            Fleet fleet,
            SpendLedger spend,
            ScalingPolicy<S> policy,
            S settings,
            ZoneId zone) {
        this(demandSource, fleet, spend, policy::name, new BoundPolicy<>(policy, settings), zone);
    }

    /**
     * For those who bring their snapshots: its own would be empty.
     *
     * @param name of the policy, should it fail
     */
    public static Scaler<?> ofSnapshots(String name, Decider decider, ZoneId zone) {
        return new Scaler<>(now -> List.of(), NOTHING, now -> Money.ZERO, () -> name, decider, zone);
    }

    /** @param decider whose policy may be another in each tick */
    public Scaler(DemandSource demandSource, Fleet fleet, SpendLedger spend, Decider decider, ZoneId zone) {
        this(demandSource, fleet, spend, () -> "(none)", decider, zone);
    }

    private Scaler(
            DemandSource demandSource,
            Fleet fleet,
            SpendLedger spend,
            Supplier<String> name,
            Decider decider,
            ZoneId zone) {
        this.demandSource = demandSource;
        this.fleet = fleet;
        this.spend = spend;
        this.name = name;
        this.decider = decider;
        this.guardrails = new Guardrails(zone);
    }

    /** {@link #snapshot} and {@link #plan} in one; an exception of a port passes through, one of the policy does not. */
    public Plan tick(Instant now) {
        return plan(snapshot(now));
    }

    /** Everything that the decision at this time depends on. */
    public ClusterSnapshot snapshot(Instant now) {
        List<Demand> demands = demandSource.demands(now);
        return ClusterSnapshot.of(draft -> {
            draft.now = now;
            draft.demands = demands;
            draft.nodes = fleet.nodes();
            draft.offerings = fleet.offerings();
            draft.statuses = fleet.cautious(
                    OfferingHealth.fold(fleet.launches(), now, fleet.bootEstimates(), fleet.reclaimsPerHour(now)), now);
            draft.limits = new Limits(
                    fleet.maxNodes(),
                    spend.left(now),
                    spend.limits(demands, now),
                    spend.period(now).orElse(null));
            draft.windows = fleet.windows(now);
            draft.shares = demandSource.shares(demands, now);
            draft.breakers = fleet.breakers(now);
            draft.changeable = fleet.changeable();
        });
    }

    /** Pure where the policy is: the same snapshot gives the same plan, also a journalled one. */
    public Plan plan(ClusterSnapshot snapshot) {
        return decide(snapshot).plan();
    }

    /** {@link #plan} with who made it. */
    public Decided decide(ClusterSnapshot snapshot) {
        return ask(snapshot, (now, planner) -> new Decider.Known(decider.decide(now, planner)))
                .await();
    }

    /** {@link #decide}, begun and not waited for. */
    public Asked ask(ClusterSnapshot snapshot) {
        return ask(snapshot, decider::ask);
    }

    private interface Asking {
        Decider.Question ask(ClusterSnapshot now, Planner planner);
    }

    private Asked ask(ClusterSnapshot snapshot, Asking asking) {
        Planner planner = new FirstFitPlanner(snapshot);
        ClusterSnapshot licensed =
                LicenceCut.of(snapshot, planner.byImportance(snapshot)).now();
        // Before the planner is another's.
        Asked asked = new Asked(this, snapshot, onExisting(licensed, planner));
        try {
            asked.question = asking.ask(licensed, planner);
        } catch (RuntimeException failure) {
            asked.failure = failure;
        }
        return asked;
    }

    /** A decision that is under way. Not for several threads at once. */
    public static final class Asked {
        private final Scaler<?> scaler;
        private final ClusterSnapshot snapshot;
        private final Map<String, Integer> onExisting;
        private Decider.@Nullable Question question;
        private @Nullable RuntimeException failure;

        private Asked(Scaler<?> scaler, ClusterSnapshot snapshot, Map<String, Integer> onExisting) {
            this.scaler = scaler;
            this.snapshot = snapshot;
            this.onExisting = onExisting;
        }

        /** The snapshot that the plan is about. */
        public ClusterSnapshot snapshot() {
            return snapshot;
        }

        /** Does not wait for the policy; empty while it has not answered. */
        public Optional<Decided> decided() {
            return decided(Decider.Question::answer);
        }

        /** Waits for the policy, bounded by who asks it. */
        public Decided await() {
            return decided(asked -> Optional.of(asked.await())).orElseThrow();
        }

        private Optional<Decided> decided(Function<Decider.Question, Optional<Decider.Decision>> way) {
            Optional<Decider.Decision> decision;
            try {
                Decider.Question asked = question;
                if (asked == null) {
                    throw failure == null ? new IllegalStateException("nobody was asked") : failure;
                }
                decision = way.apply(asked);
            } catch (RuntimeException failed) {
                return Optional.of(scaler.failed(snapshot, failed, onExisting));
            }
            return decision.map(made -> scaler.decided(snapshot, made, onExisting));
        }
    }

    private Decided failed(ClusterSnapshot snapshot, RuntimeException failure, Map<String, Integer> onExisting) {
        String policy = name.get();
        Plan nothing =
                guardrails.withoutAnswer(snapshot, policy, "policy " + policy + " failed: " + failure, onExisting);
        return new Decided(nothing, new Decider.Source(policy, "", "", new NoSettings()), "");
    }

    private Decided decided(ClusterSnapshot snapshot, Decider.Decision decision, Map<String, Integer> onExisting) {
        String policy = decision.source().policy();
        Plan plan = guardrails.plan(snapshot, policy, decision.wishes(), onExisting);
        return new Decided(plan, decision.source(), decision.note());
    }

    /**
     * A plan and where it came from.
     *
     * @param note why it was not the policy that should have decided; empty when it was
     */
    public record Decided(Plan plan, Decider.Source source, String note) {
        /** With the note as its last step, for people. */
        public Plan noted() {
            return note.isEmpty() ? plan : plan.with(new Step.Hold("", note, Bound.Kind.POLICY_FAILED, plan.policy()));
        }
    }

    /** Of a policy that did not get as far. */
    private record NoSettings() {}

    /** Node slots of each shape for which there is room, be it that something is bought beside it or not. */
    public static Map<String, Integer> onExisting(ClusterSnapshot now, Planner planner) {
        Map<String, Integer> slots = new HashMap<>(
                planner.pack(now.demands(), now.nodes(), List.of()).onExisting());
        planner.pack(now.demands(), now.nodes(), planner.usable(now))
                .onExisting()
                .forEach((shape, count) -> slots.merge(shape, count, Math::max));
        return slots;
    }

    private static final Fleet NOTHING = new Fleet() {
        @Override
        public List<NodeView> nodes() {
            return List.of();
        }

        @Override
        public List<Offering> offerings() {
            return List.of();
        }

        @Override
        public List<LaunchRecord> launches() {
            return List.of();
        }

        @Override
        public Map<String, Integer> maxNodes() {
            return Map.of();
        }
    };
}
