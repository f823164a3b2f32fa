package org.spillway.head.faultsim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** What an onlooker at home and in the regions writes down, to judge the invariants by. */
final class Home {
    private final Map<String, Set<Integer>> published = new HashMap<>();
    private final Set<String> parts = new HashSet<>();
    private final Map<String, String> joined = new HashMap<>();
    private Predicate<String> runsSomewhere = job -> false;
    private Predicate<String> hasEnded = job -> false;

    void watch(Predicate<String> runs, Predicate<String> ended) {
        runsSomewhere = runs;
        hasEnded = ended;
    }

    /** The attempt's results lie here, hidden. */
    void bring(String job, int attempt) {
        parts.add(job + "." + attempt);
    }

    /** Idempotent for one attempt; a second attempt's output over a published one breaks the promise. */
    void publish(String job, int attempt) {
        if (!parts.contains(job + "." + attempt)) {
            throw new Broken("job " + job + " published attempt " + attempt + ", which is not at home");
        }
        Set<Integer> attempts = published.computeIfAbsent(job, key -> new HashSet<>());
        attempts.add(attempt);
        if (attempts.size() > 1) {
            throw new Broken("job " + job + " published its output under attempts " + attempts);
        }
    }

    boolean hasPublished(String job) {
        return published.containsKey(job);
    }

    void joined(String node, String instance) {
        String other = joined.putIfAbsent(node, instance);
        if (other != null && !other.equals(instance)) {
            throw new Broken("instances " + other + " and " + instance + " both joined as " + node);
        }
    }

    void started(String job) {
        if (hasEnded.test(job)) {
            throw new Broken("job " + job + " was started after its end");
        }
        if (runsSomewhere.test(job)) {
            throw new Broken("job " + job + " was started while an earlier attempt still ran");
        }
    }
}
