package org.spillway.scaler.plan;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.spillway.policy.Money;

/** Why a breaker opened or closed. Programs ask for the type and its parts; people read {@link #text()}. */
public sealed interface BreakerSight {
    /**
     * Nodes that did not come up, in a row.
     *
     * @param of the offering, or the site when {@code wholeSite}
     * @param last why the last of them did not, from the head; empty when it is not known
     */
    record NodesNotUp(int nodes, String of, boolean wholeSite, String last) implements BreakerSight {}

    /** Nodes that joined and ended without a job though jobs waited for them, in a row. */
    record NodesUnused(int nodes, String site) implements BreakerSight {}

    /** @param percent the most that may be lost or silent, 0 to 100 */
    record NodesUnready(int unready, int nodes, String site, int percent) implements BreakerSight {}

    /** Few enough nodes are lost or silent. */
    record NodesReady(int unready, int nodes) implements BreakerSight {}

    /** @param seconds the least for which its director was not heard */
    record DirectorSilent(String site, long seconds) implements BreakerSight {}

    /**
     * Directors that never served.
     *
     * @param spent on them in 24 hours
     * @param most that may be spent on such in 24 hours
     * @param last why the last of them did not come up; empty when it is not known
     */
    record DirectorsNotUp(int directors, String site, Money spent, Money most, String last) implements BreakerSight {}

    /**
     * Nodes of an offering, of a zone or on a host that have fallen sick, and those of others have not.
     *
     * @param of the breaker's id
     * @param sick machines of it that count
     * @param nodes of it, the sick among them
     * @param which sick nodes, the latest first, not all
     * @param checks of gates that have found it, sorted
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
            implements BreakerSight {
        public NodesSick {
            which = List.copyOf(which);
            checks = List.copyOf(checks);
        }

        /** The node that was tried is sick, too. */
        NodesSick again(String node, Breakers.Fault fault, long longestRest) {
            List<String> nodesNow = new ArrayList<>(which);
            nodesNow.addFirst(node);
            SortedSet<String> checksNow = new TreeSet<>(checks);
            checksNow.add(fault.check());
            return new NodesSick(
                    of,
                    sick + 1,
                    nodes + 1,
                    sickElsewhere,
                    nodesElsewhere,
                    nodesNow.subList(0, Math.min(nodesNow.size(), SickGroupSearch.MOST_NAMED)),
                    List.copyOf(checksNow),
                    fault.said(),
                    sinceSeconds,
                    Math.min(longestRest, 2 * restSeconds));
        }

        private String told() {
            int more = sick - which.size();
            return sick + " of " + nodes + " nodes of " + of.replaceFirst(":", " ") + " have fallen sick since "
                    + Instant.ofEpochSecond(sinceSeconds) + ", elsewhere " + sickElsewhere + " of " + nodesElsewhere
                    + ": " + String.join(", ", which) + (more > 0 ? " and " + more + " more" : "") + " by "
                    + String.join(", ", checks) + (last.isEmpty() ? "" : ", the last: " + last);
        }
    }

    /**
     * A node that was tried where others had fallen sick.
     *
     * @param of the breaker's id
     * @param restSeconds how long nothing had been tried there
     */
    record TrialPassed(String of, String node, long restSeconds) implements BreakerSight {}

    /** Enough time has gone by for another try. */
    record DirectorTriedAgain(String site) implements BreakerSight {}

    record DirectorHeard() implements BreakerSight {}

    /** @param by login name of the administrator */
    record ClosedByHand(String by) implements BreakerSight {}

    /** Words of a journal from before schema 4. */
    record Words(String text) implements BreakerSight {}

    /** For a person, in one line. */
    default String text() {
        return switch (this) {
            case NodesNotUp(int nodes, String of, boolean wholeSite, String last) ->
                (nodes == 1 ? "the last node of " : nodes + " nodes in a row of ") + (wholeSite ? "site " : "") + of
                        + " did not come up"
                        + (last.isEmpty() ? "" : nodes == 1 ? ": " + last : ", the last: " + last);
            case NodesUnused(int nodes, String site) ->
                nodes + " nodes in a row of site " + site
                        + " joined and ended without a job, though jobs waited for them";
            case NodesUnready(int unready, int nodes, String site, int percent) ->
                unready + " of the " + nodes + " nodes of site " + site + " are lost or silent, more than " + percent
                        + " %";
            case NodesReady(int unready, int nodes) -> unready + " of " + nodes + " nodes are lost or silent";
            case DirectorSilent(String site, long seconds) ->
                "the director of site " + site + " was not heard for " + seconds + " s: nodes could not join";
            case DirectorsNotUp(int directors, String site, Money spent, Money most, String last) ->
                directors + " directors in a row of site " + site + " did not come up and cost " + spent + ", of "
                        + most + " that such may cost in 24 hours" + (last.isEmpty() ? "" : ", the last: " + last);
            case NodesSick sick -> sick.told();
            case TrialPassed(String of, String node, long rest) ->
                "node " + node + " of " + of.replaceFirst(":", " ") + " was tried, and does its work";
            case DirectorTriedAgain(String site) -> "a director of site " + site + " is tried again";
            case DirectorHeard() -> "the director is heard";
            case ClosedByHand(String by) -> "closed by " + by;
            case Words(String words) -> words;
        };
    }
}
