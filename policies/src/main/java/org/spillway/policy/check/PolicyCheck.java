package org.spillway.policy.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * Whether a policy keeps its contract on random clusters: it answers, twice the same, whatever the order of what has
 * none; names only what exists; wishes nothing from nothing and buys nothing where nothing is offered; and is quick
 * enough once it is warm.
 *
 * @param <S> settings of the policy
 */
public final class PolicyCheck<S extends Record> {
    private static final String NAME = "[a-z0-9][a-z0-9-]{0,39}";
    /** Answers that are not timed: the first ones are interpreted. */
    private static final int WARM_UP = 40;
    /** A page that was not there yet, a cache that another program had, are no fault of the policy. */
    private static final int TIMED_AGAIN = 2;

    /** For who stops a question by other means. */
    public static final Watch UNWATCHED = new Watch() {
        @Override
        public void asking(String what) {}

        @Override
        public void answered() {}
    };

    private final ScalingPolicy<S> policy;
    private final S settings;
    private final Function<ClusterSnapshot, Planner> planner;
    private final LongSupplier nanos;
    private final Duration deadline;
    private final Watch watch;
    private int answered;

    /** Hears what is asked, so that a question without an end can be named by somebody else. */
    public interface Watch {
        /** @param what for a sentence, such as "seed 17" */
        void asking(String what);

        void answered();
    }

    /**
     * @param planner what the policy gets for a snapshot
     * @param nanos a clock that never goes back, best one of the policy's own time: the machine's load is not its fault
     * @param deadline for one answer of a warm policy
     */
    public PolicyCheck(
            ScalingPolicy<S> policy,
            S settings,
            Function<ClusterSnapshot, Planner> planner,
            LongSupplier nanos,
            Duration deadline,
            Watch watch) {
        this.policy = policy;
        this.settings = settings;
        this.planner = planner;
        this.nanos = nanos;
        this.deadline = deadline;
        this.watch = watch;
    }

    /** The rule for names, when this name breaks it. */
    public static Optional<String> wrongName(@Nullable String name) {
        return name != null && name.matches(NAME)
                ? Optional.empty()
                : Optional.of("its name is '" + name + "'; allowed: lower-case letters, digits and dashes, at most 40");
    }

    /**
     * Asks it about this many random clusters.
     *
     * @return the first thing that it does not keep, with the seed that shows it; empty when it keeps all
     */
    public Optional<String> run(int seeds) {
        Optional<String> wrong = kept("an empty cluster", this::nothingFromNothing);
        for (long seed = 0; seed < seeds && wrong.isEmpty(); seed++) {
            ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
            long of = seed;
            wrong = kept("seed " + seed, () -> one(now, of));
        }
        return wrong;
    }

    private Optional<String> kept(String where, Supplier<Optional<String>> question) {
        watch.asking(where);
        try {
            return question.get().map(wrong -> where + ": " + wrong);
        } catch (RuntimeException | LinkageError | StackOverflowError failure) {
            return Optional.of(where + ": it threw " + failure + at(failure));
        } finally {
            watch.answered();
        }
    }

    private Optional<String> nothingFromNothing() {
        return decide(empty()).isEmpty() ? Optional.empty() : Optional.of("it wishes for something; allowed: nothing");
    }

    private Optional<String> one(ClusterSnapshot now, long seed) {
        long begin = nanos.getAsLong();
        List<Wish> wishes = decide(now);
        long millis = (nanos.getAsLong() - begin) / 1_000_000;
        answered++;
        for (int more = 0; answered > WARM_UP && millis > deadline.toMillis() && more < TIMED_AGAIN; more++) {
            begin = nanos.getAsLong();
            decide(now);
            millis = Math.min(millis, (nanos.getAsLong() - begin) / 1_000_000);
        }
        if (answered > WARM_UP && millis > deadline.toMillis()) {
            return Optional.of("a decision took " + millis + " ms of its own time, the shortest of " + (TIMED_AGAIN + 1)
                    + "; allowed: " + deadline.toMillis() + " ms");
        }
        Optional<String> wrong = WishCheck.problem(now, wishes);
        if (wrong.isPresent()) {
            return wrong;
        }
        if (!decide(now).equals(wishes)) {
            return Optional.of("asked twice the same, it answers differently");
        }
        if (!decide(shuffled(now, seed)).equals(wishes)) {
            return Optional.of("its answer depends on the order of offerings or statuses, which have none");
        }
        return decide(without(now)).stream().noneMatch(Wish.Provision.class::isInstance)
                ? Optional.empty()
                : Optional.of("it wishes for nodes where no offering is left");
    }

    private List<Wish> decide(ClusterSnapshot now) {
        // A plugin may answer null, whatever its signature promises.
        @Nullable List<Wish> wishes = policy.decide(now, settings, planner.apply(now));
        return List.copyOf(Objects.requireNonNull(wishes, "decide answered null instead of a list"));
    }

    /** The line of the policy's own file that threw, as far as the trace tells. */
    private String at(Throwable failure) {
        String own = policy.getClass().getName();
        for (StackTraceElement frame : failure.getStackTrace()) {
            if (frame.getClassName().startsWith(own)) {
                return " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
            }
        }
        return "";
    }

    private static ClusterSnapshot empty() {
        return ClusterSnapshot.of(draft -> {
            draft.now = SnapshotGenerator.NOW;
        });
    }

    private static ClusterSnapshot without(ClusterSnapshot now) {
        return now.with(draft -> {
            draft.offerings = List.of();
            draft.statuses = List.of();
        });
    }

    private static ClusterSnapshot shuffled(ClusterSnapshot now, long seed) {
        Random random = new Random(seed);
        return now.with(draft -> {
            draft.offerings = shuffled(now.offerings(), random);
            draft.statuses = shuffled(now.statuses(), random);
        });
    }

    private static <T> List<T> shuffled(List<T> list, Random random) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, random);
        return copy;
    }
}
