package org.spillway.proof.faultsim;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.Shares;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.head.loop.settings.Markets;
import org.spillway.head.loop.settings.Roles;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Breakers;

/**
 * The world and the settings of a {@link Story}.
 *
 * @param checks of a site by its name
 * @param idle what becomes of nodes that nothing needs, in each site
 * @param roles what nodes can be
 * @param markets in which machines may be bought for whom
 * @param pooled what is kept exists all the time, and runs only while something needs it
 */
record StorySetup(
        Function<String, Optional<SiteCheck>> checks,
        IdleNodes idle,
        boolean pooled,
        boolean dryRun,
        Breakers.Settings breakers,
        List<Cap> caps,
        @Nullable Shares shares,
        Roles roles,
        Money egressPerGigabyte,
        @Nullable Money trialBudget,
        Markets markets) {
    static final StorySetup USUAL = new StorySetup(
            site -> Optional.empty(),
            IdleNodes.ENDED,
            false,
            false,
            Breakers.Settings.DEFAULTS,
            List.of(),
            null,
            Roles.NONE,
            Money.ZERO,
            null,
            Markets.STEADY);

    StorySetup checked(Function<String, Optional<SiteCheck>> by) {
        return new StorySetup(
                by, idle, pooled, dryRun, breakers, caps, shares, roles, egressPerGigabyte, trialBudget, markets);
    }

    StorySetup stopping(IdleNodes nodes) {
        return new StorySetup(
                checks, nodes, pooled, dryRun, breakers, caps, shares, roles, egressPerGigabyte, trialBudget, markets);
    }

    StorySetup pooling() {
        return new StorySetup(
                checks, idle, true, dryRun, breakers, caps, shares, roles, egressPerGigabyte, trialBudget, markets);
    }

    StorySetup dry() {
        return new StorySetup(
                checks, idle, pooled, true, breakers, caps, shares, roles, egressPerGigabyte, trialBudget, markets);
    }

    StorySetup breaking(Breakers.Settings at) {
        return new StorySetup(
                checks, idle, pooled, dryRun, at, caps, shares, roles, egressPerGigabyte, trialBudget, markets);
    }

    StorySetup with(Roles others) {
        return new StorySetup(
                checks, idle, pooled, dryRun, breakers, caps, shares, others, egressPerGigabyte, trialBudget, markets);
    }

    StorySetup limited(List<Cap> by, @Nullable Shares among) {
        return new StorySetup(
                checks, idle, pooled, dryRun, breakers, by, among, roles, egressPerGigabyte, trialBudget, markets);
    }

    /** Each site takes that for 10^9 bytes that leave it. */
    StorySetup takingForBytes(Money perGigabyte) {
        return new StorySetup(
                checks, idle, pooled, dryRun, breakers, caps, shares, roles, perGigabyte, trialBudget, markets);
    }

    StorySetup buying(Markets in) {
        return new StorySetup(
                checks, idle, pooled, dryRun, breakers, caps, shares, roles, egressPerGigabyte, trialBudget, in);
    }

    /** Directors that never serve may cost that in a day. */
    StorySetup trying(Money most) {
        return new StorySetup(
                checks, idle, pooled, dryRun, breakers, caps, shares, roles, egressPerGigabyte, most, markets);
    }
}
