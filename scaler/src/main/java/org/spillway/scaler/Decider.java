package org.spillway.scaler;

import java.util.List;
import java.util.Optional;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.Wish;

/** Who decides, which may change from tick to tick. */
@FunctionalInterface
public interface Decider {
    /** Bounded in time. What it throws is an answer that is missing: nothing changes in that tick. */
    Decision decide(ClusterSnapshot now, Planner planner);

    /** Begins a decision and does not wait for it: for the loop, which waits for nobody. One that is made at once is there at once. */
    default Question ask(ClusterSnapshot now, Planner planner) {
        return new Known(decide(now, planner));
    }

    /** A decision that is under way. */
    interface Question {
        /** Does not wait; empty while it is not known. @throws RuntimeException what {@link #decide} would throw */
        Optional<Decision> answer();

        /** Waits, bounded as {@link #decide} is; not for the loop. @throws RuntimeException what {@link #decide} would throw */
        Decision await();
    }

    /** The answer was there at once. */
    record Known(Decision decision) implements Question {
        @Override
        public Optional<Decision> answer() {
            return Optional.of(decision);
        }

        @Override
        public Decision await() {
            return decision;
        }
    }

    /**
     * The source of an answer, enough to ask for the same answer again.
     *
     * @param policy its name
     * @param version of a policy that does not come with the release, the digest of its file; empty for one that does
     * @param release of Spillway; empty where it does not matter
     * @param settings that it was asked with
     */
    record Source(String policy, String version, String release, Record settings) {}

    /**
     * @param source whose wishes these are
     * @param note why it was not the policy that should have decided, in one sentence; empty when it was
     */
    record Decision(Source source, List<Wish> wishes, String note) {
        public Decision {
            wishes = List.copyOf(wishes);
        }
    }
}
