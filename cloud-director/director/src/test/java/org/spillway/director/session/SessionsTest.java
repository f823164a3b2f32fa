package org.spillway.director.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.director.session.Sessions.Outcome;
import org.spillway.director.session.Sessions.Terms;

@Timeout(60)
final class SessionsTest {
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Terms TERMS = new Terms("7", 1, 60, 0, 4);

    private final AtomicInteger news = new AtomicInteger();
    private final Sessions sessions = new Sessions(news::incrementAndGet);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private Future<Outcome> head(String id) {
        return threads.submit(() -> sessions.fromHead("n1", id, TERMS, LONG));
    }

    private Future<Outcome> node(String node, String id) {
        return threads.submit(() -> sessions.fromNode(node, id, LONG));
    }

    private static void until(Callable<Boolean> condition) throws Exception {
        while (!condition.call()) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static Sessions.End met(Future<Outcome> outcome) throws Exception {
        return ((Outcome.Met) outcome.get()).end();
    }

    /** An end with its connection: what it writes to {@code say} is carried, and what it is told comes at {@code hears}. */
    private record Client(OutputStream say, InputStream hears, Future<?> carried) {}

    private Client client(Sessions.End end) throws Exception {
        var say = new PipedOutputStream();
        var from = new PipedInputStream(say);
        var to = new PipedOutputStream();
        var hears = new PipedInputStream(to);
        return new Client(say, hears, threads.submit(() -> end.carry(from, () -> to)));
    }

    @Test
    void aNodeLearnsOfItByItsOrdersAndBothMeet() throws Exception {
        Future<Outcome> head = head("a");
        until(() -> sessions.lines("n1").equals("session a\n"));
        assertThat(sessions.lines("n2")).isEmpty();
        assertThat(sessions.terms("n1", "a")).contains(TERMS);
        assertThat(sessions.terms("n2", "a")).isEmpty();
        assertThat(news).hasPositiveValue();
        Future<Outcome> node = node("n1", "a");
        Client one = client(met(head));
        Client other = client(met(node));
        assertThat(sessions.lines("n1")).isEmpty();
        one.say().write("there".getBytes(UTF_8));
        one.say().flush();
        assertThat(other.hears().readNBytes(5)).asString().isEqualTo("there");
        other.say().write("back".getBytes(UTF_8));
        other.say().flush();
        assertThat(one.hears().readNBytes(4)).asString().isEqualTo("back");
        // Either's end is the other's.
        other.say().close();
        one.carried().get();
        other.carried().get();
        assertThat(sessions.terms("n1", "a")).isEmpty();
    }

    @Test
    void anotherNodeNeverMeetsIt() throws Exception {
        Future<Outcome> head = head("a");
        until(() -> !sessions.lines("n1").isEmpty());
        assertThat(sessions.fromNode("n2", "a", Duration.ofMillis(50))).isInstanceOf(Outcome.Nobody.class);
        sessions.refuse("n2", "a", "mine");
        assertThat(head.isDone()).isFalse();
        sessions.refuse("n1", "a", "no room");
        assertThat(head.get()).isEqualTo(new Outcome.Refused("no room"));
    }

    @Test
    void aSecondConnectionTakesThePlaceOfThatWhichNobodySawBreak() throws Exception {
        Future<Outcome> head = head("a");
        Future<Outcome> node = node("n1", "a");
        Client old = client(met(head));
        Client oldNode = client(met(node));
        Future<Outcome> again = head("a");
        old.carried().get();
        oldNode.carried().get();
        Future<Outcome> nodeAgain = node("n1", "a");
        Client fresh = client(met(again));
        Client freshNode = client(met(nodeAgain));
        fresh.say().write('x');
        fresh.say().flush();
        assertThat(freshNode.hears().read()).isEqualTo('x');
    }

    @Test
    void whoWaitsInVainLeavesNothing() throws Exception {
        assertThat(sessions.fromHead("n1", "a", TERMS, Duration.ofMillis(20))).isInstanceOf(Outcome.Nobody.class);
        assertThat(sessions.lines("n1")).isEmpty();
        assertThat(sessions.terms("n1", "a")).isEmpty();
    }

    @Test
    void aNodeHoldsNoMoreThanItsShare() throws Exception {
        List<Future<Outcome>> waiting = new ArrayList<>();
        for (int number = 0; number < 256; number++) {
            waiting.add(node("n1", "s" + number));
        }
        until(() -> news.get() >= 256);
        assertThat(sessions.fromNode("n1", "one-more", Duration.ofMillis(1))).isInstanceOf(Outcome.Full.class);
        assertThat(sessions.fromNode("n2", "a", Duration.ofMillis(1))).isInstanceOf(Outcome.Nobody.class);
        assertThat(waiting).noneMatch(Future::isDone);
    }
}
