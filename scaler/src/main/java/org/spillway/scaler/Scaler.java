package org.spillway.scaler;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Limits;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.Guardrails;
import org.spillway.scaler.plan.LicenceCut;
import org.spillway.scaler.plan.OfferingHealth;
import org.spillway.scaler.plan.Plan;

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
    private final ScalingPolicy<S> policy;
    private final S settings;
    private final Guardrails guardrails;

    /** @param zone the head's time zone, for the times in reasons */
    public Scaler(
            DemandSource demandSource,
            Fleet fleet,
            SpendLedger spend,
            ScalingPolicy<S> policy,
            S settings,
            ZoneId zone) {
        this.demandSource = demandSource;
        this.fleet = fleet;
        this.spend = spend;
        this.policy = policy;
        this.settings = settings;
        this.guardrails = new Guardrails(zone);
    }

    /** {@link #snapshot} and {@link #plan} in one; an exception of a port passes through, one of the policy does not. */
    public Plan tick(Instant now) {
        return plan(snapshot(now));
    }

    /** Everything that the decision at this time depends on. */
    public ClusterSnapshot snapshot(Instant now) {
        return new ClusterSnapshot(
                ClusterSnapshot.SCHEMA,
                now,
                demandSource.demands(now),
                fleet.nodes(),
                fleet.offerings(),
                OfferingHealth.fold(fleet.launches(), now, fleet.bootEstimates()),
                new Limits(fleet.maxNodes(), spend.left(now)),
                List.of());
    }

    /** Pure: the same snapshot gives the same plan, also a journalled one. */
    public Plan plan(ClusterSnapshot snapshot) {
        Planner planner = new FirstFitPlanner(snapshot);
        ClusterSnapshot licensed =
                LicenceCut.of(snapshot, planner.byImportance(snapshot)).now();
        Map<String, Integer> onExisting =
                planner.pack(licensed.demands(), licensed.nodes(), List.of()).onExisting();
        List<Wish> wishes;
        try {
            wishes = List.copyOf(policy.decide(licensed, settings, planner));
        } catch (RuntimeException failure) {
            return guardrails.withoutAnswer(
                    snapshot, policy.name(), "policy " + policy.name() + " failed: " + failure, onExisting);
        }
        return guardrails.plan(snapshot, policy.name(), wishes, onExisting);
    }
}
