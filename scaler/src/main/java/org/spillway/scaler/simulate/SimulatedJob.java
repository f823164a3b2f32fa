package org.spillway.scaler.simulate;

import java.util.List;

/** A job of the log on its way through the simulation. Instants and lengths in milliseconds. */
final class SimulatedJob {
    private final int number;
    private final long submit;
    /** Known to the world and to nobody who decides. */
    private final long duration;

    private final long priority;
    private final long deadline;
    private final Shape shape;
    private List<SimulatedNode> nodes = List.of();
    private int attempt;
    private long started;
    private long expectedEnd;
    private long ended = -1;

    /** @param deadline {@code Long.MAX_VALUE} for none */
    SimulatedJob(int number, long submit, long duration, long priority, long deadline, Shape shape) {
        this.number = number;
        this.submit = submit;
        this.duration = duration;
        this.priority = priority;
        this.deadline = deadline;
        this.shape = shape;
    }

    void start(long now, long limit, List<SimulatedNode> on) {
        if (ended >= 0 || !nodes.isEmpty()) {
            throw new IllegalStateException("job " + number + " starts twice");
        }
        attempt++;
        started = now;
        expectedEnd = now + limit;
        nodes = on;
    }

    /** The job's node was taken away: all of the run is lost. */
    void lost() {
        nodes = List.of();
    }

    void end(long now) {
        if (ended >= 0) {
            throw new IllegalStateException("job " + number + " ends twice");
        }
        ended = now;
        nodes = List.of();
    }

    int number() {
        return number;
    }

    long submit() {
        return submit;
    }

    long duration() {
        return duration;
    }

    long priority() {
        return priority;
    }

    Shape shape() {
        return shape;
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    int attempt() {
        return attempt;
    }

    long started() {
        return started;
    }

    long expectedEnd() {
        return expectedEnd;
    }

    boolean hasEnded() {
        return ended >= 0;
    }

    boolean hasDeadline() {
        return deadline != Long.MAX_VALUE;
    }

    boolean isInTime() {
        return ended >= 0 && ended <= deadline;
    }

    /** From its submission to its end, but for the run that counted: lost runs are waiting, too. */
    long waited() {
        return ended - submit - duration;
    }
}
