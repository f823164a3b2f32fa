package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Charge;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.state.Capping;
import org.spillway.policy.Money;

/** Whether a job begins on the nodes that it was given. */
sealed interface Start {
    Duration REFUSED_FOR = Duration.ofSeconds(30);
    /** A limit of who has which nodes may permit it as soon as another job ends. */
    Duration LIMITED_FOR = Duration.ofSeconds(5);

    /** @param pause neither nodes nor a place in the queue are kept for it so long; zero to go on asking */
    record Refused(Cause why, Duration pause) implements Start {}

    /** @param entries one commit: the job that begins, its nodes with longer reservations, nodes handed back */
    record Begun(JobRecord job, List<Entry> entries) implements Start {}

    /** The money, the limits and the space in directives that there are for it now. */
    interface Means {
        /** Bytes of all orders that its site's directives have already. */
        long orderedBytes();

        /** Jobs that a node has. */
        List<JobRecord> runningOn(String node);

        /** The number below that of its next attempt. */
        int attemptBefore();

        /** The price of bringing its results home. */
        Charge results();

        Money left();

        /** The limit in money that would be overdrawn; none for no such limit. */
        Cause overdrawn(List<NodeRecord> held, Charge results);

        /** Limits of who has which nodes. */
        Capping.Start limited(List<NodeRecord> held);
    }

    /**
     * The nodes' reservations are made longer with the job, or it waits: a running job is never over the budget. Pure.
     *
     * @param until for so long each node is reserved
     * @param period the beginning of the budget's
     */
    static Start of(JobRecord job, List<NodeRecord> nodes, Means means, Instant until, Instant period, Instant now) {
        if (means.orderedBytes() + Orders.weight(job.spec()) > Orders.MOST_WEIGHT) {
            return new Refused(new WaitCause.ScriptsTooLarge(job.run().site()), Duration.ZERO);
        }
        Money more = Money.ZERO;
        List<NodeRecord> held = new ArrayList<>();
        for (NodeRecord node : nodes) {
            Instant from = node.costFrom() == null ? now : node.costFrom();
            Duration needed = Duration.between(from, until);
            NodeRecord reserved = needed.compareTo(node.committedFor()) > 0 ? node.withCommittedFor(needed) : node;
            more = more.plus(Spending.of(reserved, period, now).minus(Spending.of(node, period, now)));
            List<JobRecord> served = new ArrayList<>(means.runningOn(node.id()));
            served.add(job);
            held.add(reserved.heldBy(Holders.of(served), now));
        }
        Charge results = means.results();
        more = more.plus(results.price());
        Money left = more.isMoreThan(Money.ZERO) ? means.left() : more;
        if (more.isMoreThan(left)) {
            return new Refused(new WaitCause.Budget(left, more, WaitCause.Purpose.RUN), REFUSED_FOR);
        }
        Cause overdrawn = means.overdrawn(held, results);
        if (!overdrawn.isNone()) {
            return new Refused(overdrawn, REFUSED_FOR);
        }
        Capping.Start limited = means.limited(held);
        if (!limited.why().isNone()) {
            return new Refused(limited.why(), LIMITED_FOR);
        }
        List<String> ids = nodes.stream().map(NodeRecord::id).toList();
        JobRecord begun = job.with(job.run().startedOn(ids, means.attemptBefore()))
                .to(JobState.RUNNING, new JobCause.RunsOn(ids), now);
        List<Entry> entries = new ArrayList<>();
        entries.add(begun);
        entries.addAll(held);
        entries.addAll(limited.handedBack());
        return new Begun(begun, entries);
    }
}
