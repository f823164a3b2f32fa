package org.spillway.head.cause;

import org.spillway.policy.Money;
import org.spillway.scaler.plan.BreakerSight;

/** Why a breaker opened or closed: what the scaler saw, with its code. */
public sealed interface BreakerCause extends Cause {
    /** @param last why the last of them did not come up; empty when it is not known */
    record NodesNotUp(int nodes, String of, boolean wholeSite, String last) implements BreakerCause {}

    record NodesUnused(int nodes, String site) implements BreakerCause {}

    record NodesUnready(int unready, int nodes, String site, int percent) implements BreakerCause {}

    record NodesReady(int unready, int nodes) implements BreakerCause {}

    record DirectorSilent(String site, long seconds) implements BreakerCause {}

    /** @param last why the last of them did not come up; empty when it is not known */
    record DirectorsNotUp(int directors, String site, Money spent, Money most, String last) implements BreakerCause {}

    record DirectorTriedAgain(String site) implements BreakerCause {}

    record DirectorHeard() implements BreakerCause {}

    record ClosedByHand(String by) implements BreakerCause {}

    static Cause of(BreakerSight seen) {
        return switch (seen) {
            case BreakerSight.NodesNotUp(int nodes, String of, boolean wholeSite, String last) ->
                new NodesNotUp(nodes, of, wholeSite, last);
            case BreakerSight.NodesUnused(int nodes, String site) -> new NodesUnused(nodes, site);
            case BreakerSight.NodesUnready(int unready, int nodes, String site, int percent) ->
                new NodesUnready(unready, nodes, site, percent);
            case BreakerSight.NodesReady(int unready, int nodes) -> new NodesReady(unready, nodes);
            case BreakerSight.DirectorSilent(String site, long seconds) -> new DirectorSilent(site, seconds);
            case BreakerSight.DirectorsNotUp(int directors, String site, Money spent, Money most, String last) ->
                new DirectorsNotUp(directors, site, spent, most, last);
            case BreakerSight.DirectorTriedAgain(String site) -> new DirectorTriedAgain(site);
            case BreakerSight.DirectorHeard() -> new DirectorHeard();
            case BreakerSight.ClosedByHand(String by) -> new ClosedByHand(by);
            case BreakerSight.Words(String words) -> Told.of(words);
        };
    }

    /** The scaler's own, which has the sentence: policies are told it, too. */
    static BreakerSight seen(Cause cause) {
        return switch (cause) {
            case NodesNotUp(int nodes, String of, boolean wholeSite, String last) ->
                new BreakerSight.NodesNotUp(nodes, of, wholeSite, last);
            case NodesUnused(int nodes, String site) -> new BreakerSight.NodesUnused(nodes, site);
            case NodesUnready(int unready, int nodes, String site, int percent) ->
                new BreakerSight.NodesUnready(unready, nodes, site, percent);
            case NodesReady(int unready, int nodes) -> new BreakerSight.NodesReady(unready, nodes);
            case DirectorSilent(String site, long seconds) -> new BreakerSight.DirectorSilent(site, seconds);
            case DirectorsNotUp(int directors, String site, Money spent, Money most, String last) ->
                new BreakerSight.DirectorsNotUp(directors, site, spent, most, last);
            case DirectorTriedAgain(String site) -> new BreakerSight.DirectorTriedAgain(site);
            case DirectorHeard() -> new BreakerSight.DirectorHeard();
            case ClosedByHand(String by) -> new BreakerSight.ClosedByHand(by);
            default -> new BreakerSight.Words(cause.text());
        };
    }
}
