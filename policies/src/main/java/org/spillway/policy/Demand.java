package org.spillway.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that wait and are alike: one shape, not one row per job.
 *
 * @param shape stable name of the shape, unique in a snapshot
 * @param queue the queue (partition) they were submitted to
 * @param perNode what each node must have free
 * @param nodes nodes per job, 1 or more; more than one is a gang that starts together or not at all
 * @param jobs how many such jobs wait, 1 or more
 * @param oldestSubmit when the oldest of them was submitted
 * @param walltime the longest that one of them may run
 * @param sites the sites that the queue allows, in order of preference
 * @param features what an offering must have; one of {@link #CATEGORY} says which category of nodes it may run on, one of
 *     {@link Market#without} that nothing of that market may be bought for it, nor may it run there
 * @param stageInRest for each site, the estimated rest of moving the input there
 * @param history the latest launches made for this shape, oldest first
 * @param terms who pays, how urgent, and what a run is expected to take; never null
 */
public record Demand(
        String shape,
        String queue,
        Resources perNode,
        int nodes,
        int jobs,
        Instant oldestSubmit,
        Duration walltime,
        List<String> sites,
        Set<String> features,
        Map<String, Duration> stageInRest,
        List<LaunchRecord> history,
        Terms terms) {
    /** Before a category's name: the feature of an offering whose nodes may be of it, and of a demand that needs it. */
    public static final String CATEGORY = "category:";

    public Demand {
        if (nodes < 1 || jobs < 1) {
            throw new IllegalArgumentException("a demand has at least one job of one node: " + shape);
        }
        sites = List.copyOf(sites);
        features = Set.copyOf(features);
        stageInRest = Map.copyOf(stageInRest);
        history = List.copyOf(history);
        // Written before schema 2.
        terms = terms == null ? Terms.ordinary(walltime) : terms;
    }

    /** The category of nodes that it runs on, and on no others; empty for nodes without one. */
    public String category() {
        for (String feature : features) {
            if (feature.startsWith(CATEGORY)) {
                return feature.substring(CATEGORY.length());
            }
        }
        return "";
    }

    /** The same demand for fewer or more jobs. */
    public Demand withJobs(int count) {
        return with(draft -> draft.jobs = count);
    }

    /** The same demand in these sites only. */
    public Demand in(List<String> allowed) {
        return with(draft -> draft.sites = allowed);
    }

    /**
     * A job's terms for those who pay and wait. Jobs of one shape have the same terms.
     *
     * @param account that is charged; empty for none
     * @param user the owner, where a limit or a share is kept by user; empty where owners are not told apart
     * @param priority of the workload manager: a larger one is served first
     * @param licences floating licences that one job takes while it runs, by name
     * @param deadline when it should have ended; null for none
     * @param expected the expected run time: never a job's real one, but what finished jobs of its group took (their 95th
     *     percentile) where enough are known, else the walltime; never longer than the walltime
     * @param transferPrice of one job's input and results, by site; a site that is missing charges nothing
     */
    public record Terms(
            String account,
            String user,
            long priority,
            Map<String, Integer> licences,
            @Nullable Instant deadline,
            Duration expected,
            Map<String, Money> transferPrice) {
        public Terms {
            licences = Map.copyOf(licences);
            transferPrice = Map.copyOf(transferPrice);
        }

        public static Terms ordinary(Duration walltime) {
            return new Terms("", "", 0, Map.of(), null, walltime, Map.of());
        }
    }

    /** A demand by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
    public static Demand of(Consumer<Draft> made) {
        Draft draft = new Draft();
        made.accept(draft);
        return draft.made();
    }

    /** The same but for what {@code changed} sets. */
    public Demand with(Consumer<Draft> changed) {
        Draft draft = new Draft();
        draft.shape = shape;
        draft.queue = queue;
        draft.perNode = perNode;
        draft.nodes = nodes;
        draft.jobs = jobs;
        draft.oldestSubmit = oldestSubmit;
        draft.walltime = walltime;
        draft.sites = sites;
        draft.features = features;
        draft.stageInRest = stageInRest;
        draft.history = history;
        draft.terms = terms;
        changed.accept(draft);
        return draft.made();
    }

    /** Parts of one that is being made. */
    public static final class Draft {
        public String shape = "shape";
        public String queue = "q";
        public Resources perNode = Resources.NONE;
        public int nodes = 1;
        public int jobs = 1;
        public Instant oldestSubmit = Instant.EPOCH;
        public Duration walltime = Duration.ZERO;
        public List<String> sites = List.of();
        public Set<String> features = Set.of();
        public Map<String, Duration> stageInRest = Map.of();
        public List<LaunchRecord> history = List.of();
        /** Ordinary ones, unless set. */
        public @Nullable Terms terms;

        private Draft() {}

        private Demand made() {
            return new Demand(
                    shape,
                    queue,
                    perNode,
                    nodes,
                    jobs,
                    oldestSubmit,
                    walltime,
                    sites,
                    features,
                    stageInRest,
                    history,
                    terms == null ? Terms.ordinary(walltime) : terms);
        }
    }
}
