package org.spillway.head.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;

/**
 * A site's outlook for jobs, as far as it is known.
 *
 * @param home whether it is at home, where jobs go first
 * @param trouble why nothing can be served there now; none when it can
 * @param priority of several sites that can take a job those with the largest are asked first, whatever they cost
 */
public record SiteOutlook(
        String name, boolean home, Cause trouble, int priority, Supply supply, Waits waits, Prices prices) {
    /**
     * @param nodes that take jobs now or soon: neither draining nor stopped
     * @param offerings what may be bought there
     * @param statuses health of those that were asked; one that is missing is healthy
     * @param full why a machine of those would be refused, which have no health then
     * @param nodesLeft how many more nodes it may have
     */
    public record Supply(
            List<NodeRoom> nodes,
            List<Offering> offerings,
            Map<OfferingId, OfferingStatus> statuses,
            Map<OfferingId, Cause> full,
            int nodesLeft) {
        public Supply {
            nodes = List.copyOf(nodes);
            offerings = List.copyOf(offerings);
            statuses = Map.copyOf(statuses);
            full = Map.copyOf(full);
        }
    }

    /**
     * @param director until it can take input; zero when it is ready
     * @param boot from a launch call to a ready node, where the offering's own is not known
     * @param bytesPerSecond at which input reaches it, more than 0
     */
    public record Waits(Duration director, Duration boot, long bytesPerSecond) {
        public Waits {
            if (bytesPerSecond < 1) {
                throw new IllegalArgumentException("bytes per second: " + bytesPerSecond);
            }
        }
    }

    /**
     * @param director what its director would reserve besides; zero when it has one
     * @param overhead for how long a new node is reserved besides its job's walltime
     * @param egressPerGigabyte what it takes for 10^9 bytes that leave it
     */
    public record Prices(Money director, Duration overhead, Money egressPerGigabyte) {}

    /**
     * @param offering as {@code ZONE/TYPE/MARKET}
     * @param free what no job has
     * @param readyAt when it can take a job; in the past when it is ready
     * @param freeAt when all that runs there has ended for certain, by walltime; in the past when nothing runs
     */
    public record NodeRoom(
            String id,
            String offering,
            Resources total,
            Resources free,
            Money pricePerHour,
            Instant readyAt,
            Instant freeAt) {
        /** Whether it was bought in one of these markets. */
        boolean isSoldIn(Set<Market> markets) {
            String market = offering.substring(offering.lastIndexOf('/') + 1);
            return markets.stream().anyMatch(one -> one.name().equals(market));
        }

        /** The instance type: the part between zone and market. */
        String type() {
            int from = offering.indexOf('/');
            int to = offering.lastIndexOf('/');
            return from < 0 || to <= from ? offering : offering.substring(from + 1, to);
        }
    }

    Duration bootOf(OfferingId id) {
        OfferingStatus status = supply.statuses.get(id);
        return status == null ? waits.boot : status.bootEstimate();
    }
}
