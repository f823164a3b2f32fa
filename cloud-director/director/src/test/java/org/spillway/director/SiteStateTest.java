package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.spillway.director.SiteState.Start;
import org.spillway.director.SiteState.Task;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** When a gang starts. */
final class SiteStateTest {
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration LONG = Duration.ofMinutes(2);

    private final SiteState state = new SiteState(new LogShelf());
    private long sequence;

    private static OrderDraft rank(int rank, int size) {
        OrderDraft draft = new OrderDraft("g", "n" + rank, 1000, "exit 0\n");
        draft.rank = rank;
        draft.peers = Collections.nCopies(size, "10.0.0.1");
        return draft;
    }

    private static OrderDraft rank(int rank, int size, Consumer<OrderDraft> change) {
        OrderDraft draft = rank(rank, size);
        change.accept(draft);
        return draft;
    }

    private void direct(OrderDraft... orders) {
        List<Directive.NodeGrant> nodes = new ArrayList<>();
        List<JobOrder> jobs = Arrays.stream(orders).map(OrderDraft::order).toList();
        jobs.forEach(order -> nodes.add(new Directive.NodeGrant(order.node())));
        state.accept(
                new Directive(
                        Directive.SCHEMA,
                        "site",
                        ++sequence,
                        60,
                        List.of(),
                        List.of(),
                        nodes,
                        jobs,
                        List.of(),
                        Directive.ImageGrant.NONE,
                        Directive.DirectoryGrant.NONE,
                        null,
                        null,
                        null,
                        null),
                Instant.EPOCH);
    }

    private static Task task(int rank) {
        return new Task("g", 1, "n" + rank);
    }

    private CompletableFuture<Start> waiting(int rank) {
        var answer = new CompletableFuture<Start>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(state.start(task(rank), LONG));
            } catch (InterruptedException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Test
    void theLastThatPreparesLetsAllGo() throws Exception {
        direct(rank(0, 3), rank(1, 3), rank(2, 3));
        var first = waiting(0);
        assertThat(state.start(task(2), AT_ONCE)).isEqualTo(Start.WAIT);
        assertThat(state.start(task(2), AT_ONCE)).isEqualTo(Start.WAIT);
        assertThat(first).isNotDone();
        // Whichever of the two comes last.
        var last = waiting(1);
        assertThat(last.get(180, TimeUnit.SECONDS)).isEqualTo(Start.GO);
        assertThat(first.get(180, TimeUnit.SECONDS)).isEqualTo(Start.GO);
        assertThat(state.start(task(2), AT_ONCE)).isEqualTo(Start.GO);
    }

    @Test
    void asManyAsPeersMustBeOrderedAndNoneCancelled() throws Exception {
        direct(rank(0, 2));
        assertThat(state.start(task(0), AT_ONCE)).isEqualTo(Start.WAIT);
        direct(rank(0, 2), rank(1, 2, draft -> draft.rank = 0));
        assertThat(state.start(task(1), AT_ONCE)).isEqualTo(Start.WAIT);
        direct(rank(0, 2), rank(1, 2, draft -> draft.cancel = true));
        assertThat(state.start(task(0), AT_ONCE)).isEqualTo(Start.WAIT);
        assertThat(state.start(task(1), AT_ONCE)).isEqualTo(Start.CANCELLED);
        var first = waiting(0);
        direct(rank(1, 2));
        assertThat(first.get(180, TimeUnit.SECONDS)).isEqualTo(Start.GONE);
        direct(rank(0, 2), rank(1, 2));
        // A node's word for an order that was taken back does not count for a new one.
        assertThat(state.start(task(1), AT_ONCE)).isEqualTo(Start.WAIT);
    }

    @Test
    void aNodeThatStartedBeforeTheDirectorDidIsKnownByItsLease() throws Exception {
        direct(rank(0, 2), rank(1, 2));
        assertThat(state.start(task(1), AT_ONCE)).isEqualTo(Start.WAIT);
        var said = LeaseText.parse("ready yes\n".getBytes(StandardCharsets.UTF_8));
        for (Phase phase : List.of(Phase.ACCEPTED, Phase.RUNNING)) {
            var report = JobReport.of("g", 1, "n0", phase, null, 1, 0, null, "", true);
            state.lease("n0", said, List.of(report), Instant.EPOCH);
            assertThat(state.start(task(1), AT_ONCE)).isEqualTo(phase == Phase.RUNNING ? Start.GO : Start.WAIT);
        }
        assertThat(state.jobReports()).hasSize(1);
    }

    private void directLeft(String node) {
        state.accept(
                new Directive(
                        Directive.SCHEMA,
                        "site",
                        ++sequence,
                        60,
                        List.of(),
                        List.of(),
                        List.of(new Directive.NodeGrant(node).leftAsItIs()),
                        List.of(),
                        List.of(),
                        Directive.ImageGrant.NONE,
                        Directive.DirectoryGrant.NONE,
                        null,
                        null,
                        null,
                        null),
                Instant.EPOCH);
    }

    private static LeaseText said(String job) {
        return LeaseText.parse(("ready yes\n" + job).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aHeadThatDoesNotKnowItsPastStopsNoJobOfANodeThatIsLeftAsItIs() throws Exception {
        direct(rank(0, 1));
        state.lease("n0", said("job g 1 running - 5 0 user "), List.of(), Instant.EPOCH);
        directLeft("n0");
        assertThat(state.order(task(0))).as("its results find their way").isPresent();
        assertThat(state.orders("n0", "", Duration.ZERO).orElseThrow()).contains("start g 1");
        direct(new OrderDraft[0]);
        assertThat(state.order(task(0))).isEmpty();
    }

    @Test
    void aNewDirectorAsksWhatRunsThereBeforeItSaysWhatShould() throws Exception {
        directLeft("n0");
        assertThat(state.orders("n0", "", Duration.ZERO)).isEmpty();
        state.lease("n0", said("job g 3 running - 5 0 user \njob h 1 ended 0 5 6 user "), List.of(), Instant.EPOCH);
        assertThat(state.orders("n0", "", Duration.ZERO).orElseThrow())
                .contains("start g 3")
                .doesNotContain(" h ");
    }
}
