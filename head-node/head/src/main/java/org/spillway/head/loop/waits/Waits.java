package org.spillway.head.loop.waits;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import org.spillway.head.cause.Cause;

/**
 * Why each job waits, for its user; in memory, since that is not worth a line in the journal each time. A finding of this
 * tick replaces all of earlier ones; what nobody found anything new about stays as it is. Written by the loop alone, read
 * by any thread.
 */
public final class Waits implements ShownWaits {
    private final Map<String, Cause> shown = new ConcurrentHashMap<>();

    @Override
    public Cause of(String job) {
        return shown.getOrDefault(job, Cause.NONE);
    }

    /** Takes in all findings of a tick, once. @param lives whether a job has not ended: of others nothing is kept */
    public void take(Collection<WaitFinding> found, Predicate<String> lives) {
        decide(found).forEach((job, cause) -> {
            if (cause.isNone()) {
                shown.remove(job);
            } else {
                shown.put(job, cause);
            }
        });
        shown.keySet().removeIf(job -> !lives.test(job));
    }

    /** The cause to be shown for each of the jobs, by the strongest finding, whatever their order; none to show nothing. */
    static Map<String, Cause> decide(Collection<WaitFinding> found) {
        Map<String, WaitFinding> strongest = new HashMap<>();
        found.forEach(one -> strongest.merge(one.job(), one, BinaryOperator.maxBy(WaitFinding.BY_STRENGTH)));
        Map<String, Cause> causes = HashMap.newHashMap(strongest.size());
        strongest.forEach((job, one) -> causes.put(job, one.cause()));
        return causes;
    }
}
