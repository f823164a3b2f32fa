package org.spillway.head.ondemand;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.ondemand.ClusterTable.Progress;
import org.spillway.head.ondemand.Clusters.Seen;

/** Work of a stage that is tried some times, and questions that are asked until they are answered. */
final class StageWork {
    private static final Logger LOG = LoggerFactory.getLogger(StageWork.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** Of one stage, such as {@link Verdicts} counts. */
    private static final int MOST_TRIES = 3;

    private final Clusters clusters;
    private final Effects effects;
    private final Children children;

    StageWork(Clusters clusters, Effects effects, Children children) {
        this.clusters = clusters;
        this.effects = effects;
        this.children = children;
    }

    /** Work that is done when it returns, and that fails for good when it has failed some times. */
    void begin(ClusterRecord child, String what, Seen its, Instant now, Callable<Boolean> work) {
        work(child, what, its, now, work, still -> still.progress = Progress.DONE);
    }

    void work(
            ClusterRecord child, String what, Seen its, Instant now, Callable<Boolean> work, Consumer<Seen> whenDone) {
        if (!clusters.isDue(child, what, its, PAUSE, now)) {
            return;
        }
        effects.begin(
                Clusters.key(child, what),
                work,
                done -> clusters.inStage(child, (current, still) -> whenDone.accept(still)),
                failure -> clusters.inStage(child, (current, still) -> {
                    still.tries += Verdicts.counts(failure) ? 1 : 0;
                    tell(child, still, failure);
                    if (still.tries >= MOST_TRIES) {
                        still.progress = Progress.FAILED;
                    }
                }));
    }

    /** Tried every second: the log has it once. */
    private static void tell(ClusterRecord child, Seen its, Exception failure) {
        Cause before = its.why;
        its.why = new ClusterCause.WorkFailed(
                Clusters.said(failure).lines().findFirst().orElse(""));
        its.log = Clusters.said(failure);
        if (!before.equals(its.why)) {
            LOG.warn("cluster {}: stage {}: {}", child.id(), child.stage().text(), failure.getMessage());
        }
    }

    /** A question to its head that is asked until its answer is empty. A head that has died meanwhile is started again. */
    void await(ClusterRecord child, String what, Seen its, Instant now, Callable<Cause> question) {
        if (!clusters.isDue(child, what, its, Clusters.LOOK, now)) {
            return;
        }
        effects.begin(
                Clusters.key(child, what),
                () -> {
                    try {
                        Cause missing = question.call();
                        return new Missing(missing, missing.isNone() ? "" : children.log(child));
                    } catch (IOException away) {
                        children.keep(child);
                        throw away;
                    }
                },
                answer -> clusters.inStage(child, (current, still) -> {
                    still.why = answer.what;
                    still.log = answer.log;
                    if (answer.what.isNone()) {
                        still.progress = Progress.DONE;
                    }
                }),
                failure -> clusters.inStage(
                        child, (current, still) -> still.why = new ClusterCause.WorkFailed(Clusters.said(failure))));
    }

    private record Missing(Cause what, String log) {}
}
