package org.spillway.head.cause;

import java.util.List;
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

    /**
     * @param of the breaker's id
     * @param which sick nodes, the latest first, not all
     * @param checks of gates that have found it
     * @param last what was found on the latest
     * @param sinceSeconds when the first of them fell sick, since the epoch
     * @param restSeconds how long nothing is tried there
     */
    record NodesSick(
            String of,
            int sick,
            int nodes,
            int sickElsewhere,
            int nodesElsewhere,
            List<String> which,
            List<String> checks,
            String last,
            long sinceSeconds,
            long restSeconds)
            implements BreakerCause {}

    /** @param of the breaker's id; {@code restSeconds} how long nothing had been tried there */
    record TrialPassed(String of, String node, long restSeconds) implements BreakerCause {}

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
            case BreakerSight.NodesSick sick ->
                new NodesSick(
                        sick.of(),
                        sick.sick(),
                        sick.nodes(),
                        sick.sickElsewhere(),
                        sick.nodesElsewhere(),
                        sick.which(),
                        sick.checks(),
                        sick.last(),
                        sick.sinceSeconds(),
                        sick.restSeconds());
            case BreakerSight.TrialPassed(String of, String node, long rest) -> new TrialPassed(of, node, rest);
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
            case NodesSick sick ->
                new BreakerSight.NodesSick(
                        sick.of(),
                        sick.sick(),
                        sick.nodes(),
                        sick.sickElsewhere(),
                        sick.nodesElsewhere(),
                        sick.which(),
                        sick.checks(),
                        sick.last(),
                        sick.sinceSeconds(),
                        sick.restSeconds());
            case TrialPassed(String of, String node, long rest) -> new BreakerSight.TrialPassed(of, node, rest);
            case DirectorTriedAgain(String site) -> new BreakerSight.DirectorTriedAgain(site);
            case DirectorHeard() -> new BreakerSight.DirectorHeard();
            case ClosedByHand(String by) -> new BreakerSight.ClosedByHand(by);
            default -> new BreakerSight.Words(cause.text());
        };
    }
}
