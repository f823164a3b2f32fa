package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.Wish;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.Decider;

/**
 * Decides with the policy that the administrator wants, built in or from a file, and with a built-in one when that gives no
 * answer. {@link #ask} waits for nobody: a child is asked by a thread of its own, and another looks at the folder, has new
 * files checked and starts children.
 */
public final class PolicyHost implements Decider, AutoCloseable {
    /** Beyond what a child is waited for, twice, as another may have been asked before: for the one that decides instead. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final PolicyHostSettings settings;
    private final Listener log;
    private final Containment containment;
    private final Roster roster;
    private final Keeper keeper;
    private final ExecutorService asking = Executors.newSingleThreadExecutor(
            work -> Thread.ofPlatform().daemon().name("policy-ask").unstarted(work));
    private String deciding = "";
    private volatile boolean closed;

    /** Hears what administrators should know. */
    public interface Listener {
        void info(String sentence);

        void warn(String sentence);

        /** A question that {@link PolicyHost#ask} did not answer at once is answered now. */
        default void answered() {}
    }

    /** The host is asked for something that it cannot do; the message says why and what to do. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final boolean unknown;

        Refused(boolean unknown, String message) {
            super(message);
            this.unknown = unknown;
        }

        /** Whether there is no such policy. */
        public boolean isUnknown() {
            return unknown;
        }
    }

    private PolicyHost(
            PolicyHostSettings settings, Roster roster, Containment containment, InstantSource clock, Listener log) {
        this.settings = settings;
        this.roster = roster;
        this.containment = containment;
        this.log = log;
        keeper = new Keeper(settings, roster, containment, clock, log);
    }

    /**
     * @param builtins by name, the fallback of the settings among them
     * @throws IOException if the state file cannot be read
     */
    public static PolicyHost start(
            PolicyHostSettings settings,
            Map<String, BoundPolicy<?>> builtins,
            Containment containment,
            InstantSource clock,
            Listener log)
            throws IOException {
        if (!builtins.containsKey(settings.fallback())) {
            throw new IllegalArgumentException("no such built-in policy: " + settings.fallback());
        }
        Roster roster = new Roster(settings, builtins, PolicyRecords.open(settings.state()), clock);
        if (!roster.wanted().equals(settings.configured())) {
            log.info("policy " + roster.wanted() + " decides, as it was enabled; scaler.policy says "
                    + settings.configured());
        }
        PolicyHost host = new PolicyHost(settings, roster, containment, clock, log);
        host.keeper.start();
        return host;
    }

    /** Waits for a child no longer than the deadline, and then for the built-in policy. Not for the loop. */
    @Override
    public Decision decide(ClusterSnapshot now, Planner planner) {
        return decide(now, planner, roster.turn());
    }

    @Override
    public Question ask(ClusterSnapshot now, Planner planner) {
        keeper.seen(now);
        Roster.Turn turn = roster.turn();
        if (!(turn instanceof Roster.Turn.FromFile)) {
            return new Known(decide(now, planner, turn));
        }
        CompletableFuture<Decision> answer = CompletableFuture.supplyAsync(() -> decide(now, planner, turn), asking);
        return new Waiting(
                answer.whenComplete((decision, failure) -> log.answered()),
                Nursery.byTheClock(settings.deadline()).multipliedBy(2).plus(PATIENCE));
    }

    private record Waiting(CompletableFuture<Decision> future, Duration most) implements Question {
        @Override
        public Optional<Decision> answer() {
            return future.isDone() ? Optional.of(await()) : Optional.empty();
        }

        @Override
        public Decision await() {
            try {
                return future.get(most.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof RuntimeException itself
                        ? itself
                        : new IllegalStateException(failed.getCause());
            } catch (TimeoutException late) {
                throw new IllegalStateException("the policy host did not answer within " + most, late);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", stop);
            }
        }
    }

    private Decision decide(ClusterSnapshot now, Planner planner, Roster.Turn turn) {
        keeper.seen(now);
        return switch (turn) {
            case Roster.Turn.BuiltIn builtin ->
                said(builtin.name(), builtin.policy().in(settings.release()).decide(now, planner));
            case Roster.Turn.Nobody nobody -> instead(now, planner, nobody.name(), nobody.why());
            case Roster.Turn.FromFile file -> ofChild(now, planner, file);
        };
    }

    private Decision ofChild(ClusterSnapshot now, Planner planner, Roster.Turn.FromFile file) {
        try {
            List<Wish> wishes = Nursery.decide(file.child(), settings.rules(), now, settings.deadline());
            roster.answered(file.plugin());
            return said(file.name(), new Decision(file.source(), wishes, ""));
        } catch (ChildFailure failure) {
            String why = closed ? failure.sentence() : roster.struck(file.plugin(), file.child(), failure.sentence());
            keeper.wake();
            return instead(now, planner, file.name(), why);
        }
    }

    private Decision instead(ClusterSnapshot now, Planner planner, String name, String why) {
        Decision made = roster.fallback().in(settings.release()).decide(now, planner);
        String sentence = "policy " + name + " " + why + "; " + settings.fallback() + " decides";
        return said(settings.fallback(), new Decision(made.source(), made.wishes(), sentence));
    }

    /** Says once what goes on for many ticks. */
    private synchronized Decision said(String name, Decision decision) {
        if (roster.noted(decision.note()) && !decision.note().isEmpty()) {
            log.warn(decision.note());
        }
        if (!name.equals(deciding)) {
            log.info("policy " + name + " decides");
        }
        deciding = name;
        return decision;
    }

    /**
     * Lets this policy decide from now on, and remembers it. One from a file takes over when its process is warm.
     *
     * @throws Refused if there is none of that name, or no version of it has passed
     */
    public void enable(String name) {
        roster.enable(name);
        keeper.wake();
    }

    /**
     * Lets a policy from a file decide nothing any more, until it is enabled.
     *
     * @throws Refused if there is none of that name, or it is built in
     */
    public void disable(String name) {
        roster.disable(name);
        keeper.wake();
    }

    public PolicyOverview overview() {
        return roster.overview(containment.description());
    }

    /** Versions of a policy, also of one that is gone, oldest first. @throws Refused if there never was one */
    public List<PolicyVersion> history(String name) {
        return roster.history(name);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        asking.shutdownNow();
        keeper.close();
    }
}
