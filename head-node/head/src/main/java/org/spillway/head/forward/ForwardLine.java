package org.spillway.head.forward;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionFault;
import org.spillway.api.session.SessionRecord;
import org.spillway.head.forward.ForwardPermit.Asked;

/** The head's end of a line: connections of one job on one node to one service, over cuts of the link. */
final class ForwardLine {
    /** The node gives a line up as late. */
    static final Session.Times TIMES = new Session.Times(
            Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofMillis(300), Duration.ofMinutes(2));

    private static final Logger LOG = LoggerFactory.getLogger(ForwardLine.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** Of one line; a node that asks faster is told no more often, and the log hears the number. */
    private static final long REFUSALS_NANOS = Duration.ofSeconds(1).toNanos();

    private final Asked asked;
    private final String user;
    private final Rules rules;
    private final ForwardCounts counts;
    private final Session session;
    private final Map<Integer, ForwardedConnection> open = new ConcurrentHashMap<>();
    private long refusedNanos = System.nanoTime() - REFUSALS_NANOS;
    private int unsaid;

    /**
     * Questions of each connection.
     *
     * @param runs whether the job is there still
     * @param refusal why the job may not; empty when it may
     * @param forward the service
     */
    record Rules(BooleanSupplier runs, Supplier<Optional<String>> refusal, Supplier<Optional<HomeForward>> forward) {}

    ForwardLine(Asked asked, String user, Rules rules, ForwardCounts counts, Session.Wire wire, Session.Times times) {
        this.asked = asked;
        this.user = user;
        this.rules = rules;
        this.counts = counts;
        this.session = new Session(
                () -> {
                    if (!rules.runs().getAsBoolean()) {
                        throw new SessionFault("the job has ended");
                    }
                    return wire.open();
                },
                times,
                this::open);
    }

    /** Carries until the job or the line is over. */
    void run() throws InterruptedException {
        session.start();
        try {
            while (session.goesOn() && rules.runs().getAsBoolean()) {
                rules.forward()
                        .get()
                        .ifPresent(forward -> endIdle(forward.bounds().idle()));
                Thread.sleep(LOOK);
            }
        } catch (SessionFault away) {
            LOG.info(
                    "site {}: job {} has left service {} on node {}: {}",
                    asked.site(),
                    asked.job(),
                    asked.name(),
                    asked.node(),
                    away.getMessage());
        } finally {
            open.values().forEach(one -> one.end("the line is over"));
            session.close();
        }
    }

    private void endIdle(Duration most) {
        open.values().stream()
                .filter(one -> one.isIdle(most))
                .forEach(one -> one.end("no byte passed for " + most.toSeconds() + " s"));
    }

    /** Under the session's lock, for each connection: what was true of the last need not be of this one. */
    private void open(int number, int port) {
        Optional<HomeForward> forward = rules.forward().get();
        OptionalInt to = forward.map(its -> its.toPort(port)).orElseGet(OptionalInt::empty);
        Optional<String> refusal = rules.refusal()
                .get()
                .or(() -> to.isEmpty() ? Optional.of("it has no port " + port) : Optional.empty())
                .or(() -> open.containsKey(number) ? Optional.of("its number is taken") : Optional.empty())
                .or(() -> forward.flatMap(its -> counts.take(asked, its.bounds())));
        if (refusal.isPresent() || forward.isEmpty() || to.isEmpty()) {
            String why = refusal.orElse("there is no such service");
            session.say(SessionRecord.over(number, why));
            tell("is refused", why);
            return;
        }
        var place = new ForwardedConnection.Place(forward.get().toHost(), to.getAsInt());
        var connection = new ForwardedConnection(session, number, place);
        open.put(number, connection);
        connection.begin(why -> {
            open.remove(number);
            counts.give(asked);
            if (!why.isEmpty()) {
                tell("cannot be reached", why);
            }
        });
    }

    private synchronized void tell(String what, String why) {
        long now = System.nanoTime();
        if (now - refusedNanos < REFUSALS_NANOS) {
            unsaid++;
            return;
        }
        LOG.info(
                "site {}: service {} {} for job {} of {} on node {}: {}{}",
                asked.site(),
                asked.name(),
                what,
                asked.job(),
                user,
                asked.node(),
                why,
                unsaid == 0 ? "" : " (and " + unsaid + " times more)");
        refusedNanos = now;
        unsaid = 0;
    }
}
