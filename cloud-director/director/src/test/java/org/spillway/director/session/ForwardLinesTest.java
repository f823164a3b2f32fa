package org.spillway.director.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.director.session.Sessions.Outcome;

/** Lines to services of home: a node comes first, the head hears of it, and both meet. */
@Timeout(60)
final class ForwardLinesTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private final ForwardLines lines = new ForwardLines();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static ForwardLines.Line line(String node, String id) {
        return new ForwardLines.Line(node, "7", 1, "licence", id);
    }

    @Test
    void theHeadHearsOfALineThatWaitsAndComes() throws Exception {
        Future<Outcome> node = threads.submit(() -> lines.fromNode(line("n1", "a"), LONG));
        assertThat(lines.wanted(LONG)).isEqualTo("n1 7 1 licence a\n");
        Future<Outcome> head = threads.submit(() -> lines.fromHead("n1", "a", LONG));
        assertThat(head.get()).isInstanceOf(Outcome.Met.class);
        assertThat(node.get()).isInstanceOf(Outcome.Met.class);
        assertThat(lines.wanted(Duration.ZERO)).isEmpty();
    }

    @Test
    void aQuestionWaitsForALine() throws Exception {
        Future<String> wanted = threads.submit(() -> lines.wanted(LONG));
        Future<Outcome> node = threads.submit(() -> lines.fromNode(line("n1", "a"), LONG));
        assertThat(wanted.get()).isEqualTo("n1 7 1 licence a\n");
        assertThat(node.isDone()).isFalse();
    }

    @Test
    void whatWasToldIsNotToldAgainAtOnceAndIsForgottenWithItsNode() throws Exception {
        assertThat(lines.fromNode(line("n1", "a"), Duration.ZERO)).isInstanceOf(Outcome.Nobody.class);
        assertThat(lines.wanted(Duration.ZERO)).isEmpty();
        Future<Outcome> node = threads.submit(() -> lines.fromNode(line("n1", "a"), LONG));
        assertThat(lines.wanted(LONG)).isNotEmpty();
        assertThat(lines.wanted(Duration.ZERO)).isEmpty();
        assertThat(node.isDone()).isFalse();
    }

    /** Only the node that began a line comes to its end. */
    @Test
    void anotherNodesNameLeadsNowhere() throws Exception {
        Future<Outcome> node = threads.submit(() -> lines.fromNode(line("n1", "a"), LONG));
        assertThat(lines.fromHead("n2", "a", Duration.ofMillis(50))).isInstanceOf(Outcome.Nobody.class);
        assertThat(node.isDone()).isFalse();
    }
}
