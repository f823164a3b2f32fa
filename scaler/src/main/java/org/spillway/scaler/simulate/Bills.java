package org.spillway.scaler.simulate;

import java.time.Duration;
import java.util.Collection;
import org.spillway.policy.Money;

/** Bills of bought nodes, and what they have done, counted when each is gone. Times in milliseconds. */
final class Bills {
    private Money paid = Money.ZERO;
    private Money idleCost = Money.ZERO;
    private long nodeMillis;
    private long idleMillis;
    private long bootMillis;
    private int launched;
    private int reclaimed;
    private int lostJobs;

    void launched() {
        launched++;
    }

    void reclaimed() {
        reclaimed++;
    }

    void lostJob() {
        lostJobs++;
    }

    /** @param bill of the provider for all of its time */
    void gone(SimulatedNode node, Money bill, long now) {
        paid = paid.plus(bill);
        nodeMillis += now - node.launched();
        idleMillis += node.idleMillis();
        bootMillis += node.bootMillis();
        idleCost = idleCost.plus(node.price().perHourFor(Duration.ofMillis(node.idleMillis())));
    }

    /** @param there nodes that are not gone: by the hour up to now */
    Money costAt(long now, Collection<SimulatedNode> there) {
        Money cost = paid;
        for (SimulatedNode node : there) {
            cost = cost.plus(node.price().perHourFor(Duration.ofMillis(Math.max(0, now - node.launched()))));
        }
        return cost;
    }

    SimulationResult.Cloud result(int refused) {
        return new SimulationResult.Cloud(
                hours(nodeMillis),
                hours(idleMillis),
                idleCost,
                hours(bootMillis),
                paid,
                launched,
                refused,
                reclaimed,
                lostJobs);
    }

    private static double hours(long millis) {
        return millis / 3_600_000.0;
    }
}
