package org.spillway.head.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.Entries;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.ForwardingJournalStore;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.MemoryJournalStore;

/** Requests that wait together share a write, and nobody can tell but by the time that it takes. */
final class RequestsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    private final CountingStore store = new CountingStore();
    private final Journal journal = new Journal(store, Instant.MIN);
    private final Requests requests = new Requests(journal, () -> NOW);

    @Test
    void changesThatWaitTogetherShareAWriteAndAreAnsweredAfterIt() {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            answers.add(requests.change("k" + i, submit("j" + i, "k" + i)));
        }
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        store.atWrite = () -> assertThat(journal.jobs()).hasSize(Math.max(0, store.writes - 1) * 100);
        requests.serve();
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThat(store.writes).isEqualTo(3);
        assertThat(answers.get(249).join()).isEqualTo("j249");
        assertThat(journal.jobs()).hasSize(250);
    }

    /** H1: the loop served as long as more came, and did nothing else. */
    @Test
    void whoHammersDoesNotKeepTheLoop() {
        int[] asked = {0};
        again(asked);
        requests.serve();
        assertThat(asked[0]).isEqualTo(Requests.MOST_AT_ONCE + 1);
        assertThat(requests.isEmpty()).isFalse();
        requests.close();
    }

    /** Each answer makes one more ask. */
    private void again(int[] asked) {
        if (++asked[0] <= 3 * Requests.MOST_AT_ONCE) {
            var answer = requests.ask(now -> "x").thenRun(() -> again(asked));
            assertThat(answer).isNotCompletedExceptionally();
        }
    }

    @Test
    void nobodyIsAnsweredBeforeTheWriteReturns() {
        List<CompletableFuture<String>> answers =
                List.of(requests.change("a", submit("1", "a")), requests.change("b", submit("2", "b")));
        store.atWrite = () -> assertThat(answers).noneMatch(CompletableFuture::isDone);
        requests.serve();
        assertThat(answers).allMatch(CompletableFuture::isDone);
    }

    @Test
    void twoOfOneKeyAreOneJob() {
        CompletableFuture<String> first = requests.change("same", submit("1", "same"));
        CompletableFuture<String> other = requests.change("other", submit("2", "other"));
        CompletableFuture<String> again = requests.change("same", submit("3", "same"));
        requests.serve();
        assertThat(first.join()).isEqualTo("1");
        assertThat(other.join()).isEqualTo("2");
        assertThat(again.join()).isEqualTo("1");
        assertThat(journal.jobs()).extracting(JobRecord::id).containsExactly("1", "2");
        assertThat(store.writes).isEqualTo(1);
    }

    @Test
    void whoIsRefusedDoesNotHinderTheOthers() {
        CompletableFuture<String> first = requests.change("a", submit("1", "a"));
        CompletableFuture<String> refused = requests.change("b", now -> {
            throw new IllegalArgumentException("not like this");
        });
        CompletableFuture<String> last = requests.change("c", submit("2", "c"));
        requests.serve();
        assertThat(first.join()).isEqualTo("1");
        assertThat(last.join()).isEqualTo("2");
        assertThatThrownBy(refused::join).hasRootCauseMessage("not like this");
        assertThat(store.writes).isEqualTo(1);
    }

    @Test
    void whoTheJournalRefusesDoesNotHinderTheOthers() {
        journal.commit(NOW, Entries.fresh("9", "z").to(JobState.CANCELLED, Cause.NONE, NOW));
        CompletableFuture<String> first = requests.change("a", submit("1", "a"));
        CompletableFuture<String> refused = requests.change(
                "job 9",
                now -> new Change<>(List.of(Entries.fresh("9", "z").to(JobState.STAGING_IN, Cause.NONE, now)), "9"));
        CompletableFuture<String> last = requests.change("c", submit("2", "c"));
        requests.serve();
        assertThat(first.join()).isEqualTo("1");
        assertThat(last.join()).isEqualTo("2");
        assertThatThrownBy(refused::join).hasRootCauseMessage("job 9 cannot go from CANCELLED to STAGING_IN");
        assertThat(journal.jobs()).extracting(JobRecord::id).containsExactly("1", "2");
    }

    @Test
    void oneThatRunsByItselfSeesWhatCameBefore() {
        CompletableFuture<String> first = requests.change("a", submit("1", "a"));
        CompletableFuture<Integer> seen = requests.ask(now -> journal.jobs().size());
        CompletableFuture<String> last = requests.change("b", submit("2", "b"));
        requests.serve();
        assertThat(seen.join()).isEqualTo(1);
        assertThat(first.join() + last.join()).isEqualTo("12");
    }

    @Test
    void aJournalThatFailsIsToldToAllOfTheWriteAndEndsTheLoop() {
        CompletableFuture<String> first = requests.change("a", submit("1", "a"));
        CompletableFuture<String> second = requests.change("b", submit("2", "b"));
        store.atWrite = () -> {
            throw new JournalFailure("full");
        };
        CompletableFuture<String> other = requests.change("a", submit("3", "a"));
        assertThatThrownBy(requests::serve).isInstanceOf(JournalFailure.class);
        assertThatThrownBy(first::join).hasRootCauseMessage("full");
        assertThatThrownBy(second::join).hasRootCauseMessage("full");
        assertThat(other).isNotDone();
        requests.close();
        assertThatThrownBy(other::join).hasRootCauseMessage("the head is stopping");
        assertThatThrownBy(() -> requests.change("d", submit("4", "d")).join())
                .hasRootCauseMessage("the head is stopping");
        assertThat(journal.jobs()).isEmpty();
    }

    /** As the head does it: under a key that is known the answer is the job that is there. */
    private Function<Instant, Change<String>> submit(String id, String key) {
        return now -> {
            Optional<JobRecord> known = store.jobByKey(1001, key);
            return known.isPresent()
                    ? Change.none(known.get().id())
                    : new Change<>(List.of(Entries.fresh(id, key)), id);
        };
    }

    private static final class CountingStore extends ForwardingJournalStore {
        private Runnable atWrite = () -> {};
        private int writes;

        CountingStore() {
            super(new MemoryJournalStore());
        }

        @Override
        public void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
            writes++;
            atWrite.run();
            super.write(at, entries, transitions);
        }
    }
}
