package org.spillway.scaler.simulate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Resources;
import org.spillway.scaler.simulate.world.SimulatedOffering;

/** A node at home or of a cloud. Instants in milliseconds. */
final class SimulatedNode {
    private final String id;
    private final int number;
    private final String site;
    private final @Nullable SimulatedOffering offering;
    private final Resources total;
    private final long launched;
    private final List<SimulatedJob> jobs = new ArrayList<>();
    private Set<Shape> boughtFor;
    private Set<Shape> holders;
    private long heldSince;
    private NodeView.Phase phase;
    private long since;
    private long idleMillis;
    private long bootMillis;
    private long committedMicros;
    private Resources free;
    private @Nullable NodeView view;

    private SimulatedNode(
            String id,
            int number,
            String site,
            @Nullable SimulatedOffering offering,
            Resources total,
            long now,
            NodeView.Phase phase,
            Set<Shape> boughtFor) {
        this.id = id;
        this.number = number;
        this.site = site;
        this.offering = offering;
        this.total = total;
        this.free = total;
        this.launched = now;
        this.since = now;
        this.phase = phase;
        this.boughtFor = boughtFor;
        this.holders = boughtFor;
        this.heldSince = now;
    }

    boolean isBought() {
        return offering != null;
    }

    /** For whom it is there: whom it was bought for, then whose jobs it has or had last. */
    Set<Shape> holders() {
        return holders;
    }

    long heldSince() {
        return heldSince;
    }

    /** From now on it is there for those whose jobs it has. */
    void held(long now) {
        holders = jobs.stream().map(SimulatedJob::shape).collect(Collectors.toSet());
        heldSince = now;
    }

    static SimulatedNode home(String id, int number, String site, Resources total, long now) {
        return new SimulatedNode(id, number, site, null, total, now, NodeView.Phase.IDLE, Set.of());
    }

    static SimulatedNode bought(String id, int number, SimulatedOffering offering, long now, Set<Shape> boughtFor) {
        return new SimulatedNode(
                id,
                number,
                offering.offering().id().site(),
                offering,
                offering.offering().resources(),
                now,
                NodeView.Phase.IN_FLIGHT,
                boughtFor);
    }

    boolean isUp() {
        return phase == NodeView.Phase.IDLE || phase == NodeView.Phase.ALLOCATED;
    }

    /** Whether a job of this shape may be put here now: it fits, and nobody waits for whom the node was bought. */
    boolean takes(Shape shape) {
        return shape.perNode.fitsIn(free) && !isClaimedByOthers(shape);
    }

    boolean isClaimedByOthers(Shape shape) {
        if (boughtFor.isEmpty() || boughtFor.contains(shape)) {
            return false;
        }
        for (Shape other : boughtFor) {
            if (!other.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    void take(SimulatedJob job, long now) {
        free = free.minus(job.shape().perNode);
        jobs.add(job);
        boughtFor = Set.of();
        if (phase == NodeView.Phase.IDLE) {
            enter(NodeView.Phase.ALLOCATED, now);
        }
        view = null;
    }

    void give(SimulatedJob job, long now) {
        if (!jobs.remove(job)) {
            throw new IllegalStateException("job " + job.number() + " is not on " + id);
        }
        free = free.plus(job.shape().perNode);
        if (jobs.isEmpty()) {
            free = total;
            if (phase == NodeView.Phase.ALLOCATED) {
                enter(NodeView.Phase.IDLE, now);
            }
        }
        view = null;
    }

    void enter(NodeView.Phase next, long now) {
        if (phase == NodeView.Phase.IDLE) {
            idleMillis += now - since;
        } else if (phase == NodeView.Phase.IN_FLIGHT) {
            bootMillis += now - since;
        }
        phase = next;
        since = now;
        view = null;
    }

    NodeView view() {
        if (view == null) {
            view = new NodeView(
                    id,
                    site,
                    offering == null ? null : offering.offering().id(),
                    phase,
                    total,
                    free,
                    Instant.ofEpochMilli(since),
                    price(),
                    false,
                    NodeView.Duty.NONE
                            .withBusyUntil(busyUntil())
                            .withBilledFrom(offering == null ? null : Instant.ofEpochMilli(launched)));
        }
        return view;
    }

    private @Nullable Instant busyUntil() {
        long latest = Long.MIN_VALUE;
        for (SimulatedJob job : jobs) {
            latest = Math.max(latest, job.expectedEnd());
        }
        return jobs.isEmpty() ? null : Instant.ofEpochMilli(latest);
    }

    /** The money that was reserved for the node when it was launched. */
    void commit(long micros) {
        committedMicros = micros;
    }

    /** The node's expected cost from now on: to the end of its jobs; before it has any, what was reserved for it. */
    Money committedAfter(long now) {
        if (phase == NodeView.Phase.IN_FLIGHT) {
            return new Money(Math.max(
                    0,
                    committedMicros
                            - price().perHourFor(Duration.ofMillis(now - launched))
                                    .micros()));
        }
        Instant until = busyUntil();
        return until == null || until.toEpochMilli() <= now
                ? Money.ZERO
                : price().perHourFor(Duration.ofMillis(until.toEpochMilli() - now));
    }

    Money price() {
        return offering == null ? Money.ZERO : offering.offering().pricePerHour();
    }

    String id() {
        return id;
    }

    int number() {
        return number;
    }

    String site() {
        return site;
    }

    SimulatedOffering offering() {
        if (offering == null) {
            throw new IllegalStateException(id + " is at home");
        }
        return offering;
    }

    Resources total() {
        return total;
    }

    Resources free() {
        return free;
    }

    List<SimulatedJob> jobs() {
        return jobs;
    }

    NodeView.Phase phase() {
        return phase;
    }

    long launched() {
        return launched;
    }

    long idleMillis() {
        return idleMillis;
    }

    long bootMillis() {
        return bootMillis;
    }
}
