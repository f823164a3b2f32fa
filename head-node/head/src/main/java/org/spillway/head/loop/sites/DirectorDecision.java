package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.spillway.head.cause.BreakerCause;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.BreakerSight;
import org.spillway.scaler.plan.Breakers;

/**
 * Whether a site that needs a director gets one now, and which. Pure.
 *
 * <p>A director is a machine like others: an open breaker of its site or offering buys none, an offering that refuses is
 * left alone for as long as its health says while the other zones are tried, failures are followed by growing pauses, and
 * those of which none served may cost no more than the site's trial budget in any 24 hours.
 */
public sealed interface DirectorDecision {
    /** Hours of its price that directors may cost which never served, where the configuration says nothing. */
    int TRIAL_HOURS = 2;

    record Buy(Offering offering) implements DirectorDecision {}

    record Hold(Cause why) implements DirectorDecision {}

    /**
     * The site as it is.
     *
     * @param offerings of the site, as last read
     * @param statuses health of offerings, of any site
     * @param breakers all that are known
     * @param full offerings of which the provider's quota has no room for another machine, each with that quota
     */
    record Facts(
            Instant now,
            SitePlan plan,
            List<Offering> offerings,
            Collection<OfferingStatus> statuses,
            List<Breakers.State> breakers,
            DirectorTrials trials,
            Map<OfferingId, Cause> full) {
        public Facts {
            offerings = offerings.stream()
                    .filter(one -> DirectorTrials.matches(one.id(), plan.director()))
                    .sorted(Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id))
                    .toList();
            statuses = List.copyOf(statuses);
            breakers = List.copyOf(breakers);
            full = Map.copyOf(full);
        }

        private Optional<Breakers.State> openBreaker(String name) {
            return breakers.stream()
                    .filter(state -> state.open() && state.name().equals(name))
                    .findFirst();
        }

        private Optional<OfferingStatus> unhealthy(Offering offering) {
            return statuses.stream()
                    .filter(status -> status.id().equals(offering.id()) && !status.mayLaunchAt(now))
                    .findFirst();
        }

        /** The money that directors which never served may cost in 24 hours. */
        Money trialBudget() {
            return trialBudget(plan, offerings);
        }

        private static Money trialBudget(SitePlan plan, List<Offering> cheapestFirst) {
            Money configured = plan.director().trialBudget();
            if (configured != null) {
                return configured;
            }
            // A machine that takes hours to boot is to have its tries, too.
            Duration tries = plan.nodes().registration().multipliedBy(3);
            Duration usual = Duration.ofHours(TRIAL_HOURS);
            Duration time = tries.compareTo(usual) > 0 ? tries : usual;
            return cheapestFirst.isEmpty()
                    ? Money.ZERO
                    : cheapestFirst.getFirst().pricePerHour().perHourFor(time);
        }

        /** Whether another try of that price might cost more than may still be lost. */
        boolean isTooDear(Money pricePerHour) {
            Money more = pricePerHour.perHourFor(plan.nodes().registration());
            return trials.spent(now).plus(more).isMoreThan(trialBudget());
        }

        /** Whether the money for tries is used up. */
        boolean isSpent() {
            return !offerings.isEmpty() && isTooDear(offerings.getFirst().pricePerHour());
        }

        /** Whether even the one that is on its way has cost what may be lost. */
        boolean isLost() {
            return !offerings.isEmpty() && trials.spent(now).isMoreThan(trialBudget());
        }

        SiteCause.DirectorTrialsSpent spent() {
            return new SiteCause.DirectorTrialsSpent(
                    trials.failures(), trials.spent(now), trialBudget(), trials.lastReason());
        }
    }

    static DirectorDecision of(Facts facts) {
        SitePlan.Director director = facts.plan.director();
        if (facts.offerings.isEmpty()) {
            return new Hold(new SiteCause.DirectorNotOffered(director.type(), director.zone()));
        }
        // Before the breaker of the same name, since it says more.
        if (facts.isSpent()) {
            return new Hold(facts.spent());
        }
        Optional<Breakers.State> shut = facts.openBreaker("").or(() -> facts.openBreaker(facts.plan.name()));
        if (shut.isPresent()) {
            return held(shut.get());
        }
        Instant notBefore = facts.trials.notBefore();
        int failures = facts.trials.failures();
        if (notBefore != null && facts.now.isBefore(notBefore)) {
            long pause = DirectorTrials.pauseAfter(failures).toSeconds();
            return new Hold(new SiteCause.DirectorPaused(failures, pause, facts.trials.lastReason()));
        }
        return among(facts);
    }

    private static Hold held(Breakers.State breaker) {
        return new Hold(new SiteCause.DirectorShut(breaker.id(), BreakerCause.of(breaker.seen())));
    }

    /** The zone that has failed least is asked, of several the cheapest. */
    private static DirectorDecision among(Facts facts) {
        Optional<Offering> next = facts.offerings.stream()
                .filter(one -> facts.unhealthy(one).isEmpty()
                        && !facts.full.containsKey(one.id())
                        && facts.openBreaker(one.id().toString()).isEmpty()
                        && !facts.isTooDear(one.pricePerHour()))
                .min(Comparator.comparing((Offering one) -> facts.trials.failuresIn(one.id()))
                        .thenComparing(Offering::pricePerHour)
                        .thenComparing(Offering::id));
        if (next.isPresent()) {
            return new Buy(next.get());
        }
        // A number that can be raised says more than a refusal, which may have been for that number.
        Optional<Cause> quota = facts.offerings.stream()
                .flatMap(one -> Optional.ofNullable(facts.full.get(one.id())).stream())
                .findFirst();
        if (quota.isPresent()) {
            return new Hold(quota.get());
        }
        String reasons = facts.offerings.stream()
                .flatMap(one -> facts.unhealthy(one).stream())
                .map(status -> (status.id().zone().isEmpty()
                                ? ""
                                : "zone " + status.id().zone() + " ")
                        + status.reason())
                .distinct()
                .collect(Collectors.joining("; "));
        if (!reasons.isEmpty()) {
            return new Hold(new SiteCause.DirectorRefused(facts.offerings.size(), reasons));
        }
        return facts.offerings.stream()
                .flatMap(one -> facts.openBreaker(one.id().toString()).stream())
                .findFirst()
                .map(DirectorDecision::held)
                .orElseGet(() -> new Hold(facts.spent()));
    }

    /**
     * The breaker of the site's directors as it becomes: it opens when the money for tries is used up, and closes when
     * enough of the 24 hours have gone by for another try, when one serves, or by hand.
     *
     * @return empty when it stays as it is
     */
    static Optional<Breakers.State> breaker(Facts facts) {
        Breakers.State known = facts.breakers.stream()
                .filter(state ->
                        state.kind() == Breaker.Kind.DIRECTOR && state.name().equals(facts.plan.name()))
                .findFirst()
                .orElse(null);
        boolean open = known != null && known.open();
        boolean coming = facts.trials.all().stream().anyMatch(one -> one.fate() == DirectorTrials.Fate.COMING);
        boolean spent = facts.isSpent();
        if (!open && spent && !coming) {
            return Optional.of(state(
                    facts,
                    true,
                    new BreakerSight.DirectorsNotUp(
                            facts.trials.failures(),
                            facts.plan.name(),
                            facts.trials.spent(facts.now),
                            facts.trialBudget(),
                            line(facts.trials.lastReason()))));
        }
        // An offering that is missing for the moment is no news.
        if (open && !spent && !facts.offerings.isEmpty()) {
            BreakerSight why = facts.trials.all().isEmpty()
                    ? new BreakerSight.DirectorHeard()
                    : new BreakerSight.DirectorTriedAgain(facts.plan.name());
            return Optional.of(state(facts, false, why));
        }
        return Optional.empty();
    }

    private static Breakers.State state(Facts facts, boolean open, BreakerSight seen) {
        return new Breakers.State(Breaker.Kind.DIRECTOR, facts.plan.name(), open, seen, facts.now);
    }

    /** Since when tries count: what was before it was closed by hand was looked at. */
    static Instant countedFrom(String site, List<Breakers.State> breakers) {
        return breakers.stream()
                .filter(state -> state.kind() == Breaker.Kind.DIRECTOR
                        && state.name().equals(site)
                        && state.seen() instanceof BreakerSight.ClosedByHand)
                .map(Breakers.State::since)
                .findFirst()
                .orElse(Instant.MIN);
    }

    private static String line(Cause why) {
        String line = why.text().replaceAll("\\p{Cntrl}+", " ").strip();
        int most = 200;
        return line.length() <= most ? line : line.substring(0, most) + "...";
    }
}
