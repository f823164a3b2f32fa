package org.spillway.head.loop;

import java.time.Instant;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.spillway.head.journal.JobRun;
import org.spillway.head.lifecycle.NodeTable;
import org.spillway.head.loop.handover.RunVerdict;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.nodes.Nodes;
import org.spillway.head.loop.state.Context;
import org.spillway.head.workload.ForeignJob;

/** A seam for the tests that plant mistakes. */
class LoopParts {
    Launches launches(Context context, Supplier<Instant> clock) {
        return new Launches(context.world, context.sites, context.seen, clock);
    }

    Nodes.Rules rules() {
        return NodeTable::verdict;
    }

    /** When an attempt is over. */
    Predicate<JobRun> over() {
        return JobRun::isOver;
    }

    /** The meaning of a manager's word for the attempt of its job. */
    BiFunction<JobRun, ForeignJob.Status, RunVerdict> runs() {
        return RunVerdict::of;
    }
}
