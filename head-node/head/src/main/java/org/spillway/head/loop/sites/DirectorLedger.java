package org.spillway.head.loop.sites;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.cause.Cause;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.World;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.OfferingHealth;

/** Facts about the directors of each site, as the journal has them. Loop thread only. */
final class DirectorLedger {
    private final World world;
    private final Map<String, Known> known = new HashMap<>();

    DirectorLedger(World world) {
        this.world = world;
    }

    private record Known(long changes, SitePlan plan, Instant from, DirectorTrials trials) {}

    /** Folded anew when nodes have changed, which is seldom. */
    @SuppressWarnings("ReferenceEquality")
    DirectorTrials trials(SiteState site) {
        long changes = world.journal().nodeChanges();
        SitePlan plan = site.plan;
        Instant from = DirectorDecision.countedFrom(plan.name(), world.journal().breakers());
        Known last = known.get(plan.name());
        if (last == null || last.changes != changes || last.plan != plan || !last.from.equals(from)) {
            last = new Known(
                    changes, plan, from, DirectorTrials.of(world.journal().nodes(), plan, from));
            known.put(plan.name(), last);
        }
        return last.trials;
    }

    /** Whether those that never served have cost what they may. */
    boolean isLost(SiteState site, Instant now) {
        return new DirectorDecision.Facts(
                        now, site.plan, site.offerings(), List.of(), List.of(), trials(site), Map.of())
                .isLost();
    }

    /** Without the health of offerings: no breaker of directors is about that. */
    DirectorDecision.Facts breakerFacts(SiteState site, Instant now) {
        return new DirectorDecision.Facts(
                now, site.plan, site.offerings(), List.of(), world.journal().breakers(), trials(site), Map.of());
    }

    /** @param full offerings that a provider's quota has no room for */
    DirectorDecision.Facts facts(SiteState site, Map<OfferingId, Cause> full, Instant now) {
        List<Breakers.State> breakers = world.journal().breakers();
        return new DirectorDecision.Facts(
                now,
                site.plan,
                site.offerings(),
                OfferingHealth.fold(world.journal().launches(), now),
                breakers,
                trials(site),
                full);
    }
}
