package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.RolloutCause;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JournalStore.Transition;
import org.spillway.head.rollout.Member;
import org.spillway.head.rollout.Rollout;
import org.spillway.head.rollout.Terms;
import org.spillway.head.rollout.Version;
import org.spillway.policy.Money;

/** Promises that the head relies on, wherever entries are kept. */
abstract class JournalStoreContract {
    static final Instant NOW = Entries.NOW;

    private static final OptionalInt EVERYBODY = OptionalInt.empty();

    JournalStore store;

    /** A fresh one. */
    abstract JournalStore create();

    /** The same one, in the head's next life. */
    abstract JournalStore reopen(JournalStore before);

    @BeforeEach
    void open() {
        store = create();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void everyFieldOfEveryLiveEntryIsThereInTheNextLife() {
        List<Entry> live = new ArrayList<>();
        live.add(Entries.job("1", JobState.RUNNING));
        live.add(Entries.fresh("2"));
        live.add(Entries.node("n1", NodeState.READY));
        live.add(Entries.intent("i7", Intent.State.CALLED));
        live.add(Entries.delegated(DelegatedRecord.State.SETTLED));
        store.write(NOW, live, List.of());
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).containsExactlyInAnyOrderElementsOf(live);
    }

    @Test
    void launchesOfEveryOutcomeAreThereInTheNextLifeOldestFirst() {
        List<LaunchEntry> launches = Entries.launches();
        for (int i = 0; i < launches.size(); i++) {
            store.write(NOW.plusSeconds(i), List.of(launches.get(i)), List.of());
        }
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).isEqualTo(launches);
    }

    @Test
    void aJobThatHasEndedIsFoundButNotLive() {
        JobRecord ended = Entries.job("1", JobState.DONE);
        store.write(NOW, List.of(ended), List.of());
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).isEmpty();
        assertThat(store.job("1")).contains(ended);
        assertThat(store.job("2")).isEmpty();
    }

    @Test
    void anEndedNodeWhoseCostMayCountIsLoaded() {
        NodeRecord ended = Entries.node("n1", NodeState.TERMINATED);
        store.write(NOW, List.of(ended), List.of());
        assertThat(store.load(NOW.minusSeconds(3600))).containsExactly(ended);
    }

    @Test
    void whatAChildHasBoughtIsThereInTheNextLife() {
        DelegatedRecord called = Entries.delegated(DelegatedRecord.State.CALLED);
        store.write(NOW, List.of(called), List.of());
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).containsExactly(called);
        DelegatedRecord refused = Entries.delegated(DelegatedRecord.State.REFUSED);
        store.write(NOW, List.of(refused), List.of());
        assertThat(store.load(NOW.minusSeconds(3600))).containsExactly(refused);
        assertThat(store.load(NOW.plusSeconds(3600))).isEmpty();
    }

    @Test
    void whatAnOwnerWasToldIsNotForgottenInTheNextLife() {
        var waiting = new NoticeRecord(
                "e2e-c1.ended.1", "e2e-c1", "cluster a ends", "text", NOW, NoticeRecord.Status.WAITING, "", "");
        var sent = new NoticeRecord("e2e-c1.x.1", "e2e-c1", "b", "", NOW, NoticeRecord.Status.SENT, "", "");
        store.write(NOW, List.of(waiting, sent), List.of());
        store = reopen(store);
        assertThat(store.load(NOW.minusSeconds(3600))).containsExactlyInAnyOrder(waiting, sent);
        assertThat(store.load(NOW.plusSeconds(3600))).containsExactly(waiting);
        var journal = new Journal(store, NOW.minusSeconds(3600));
        assertThat(journal.hasNotice("e2e-c1.x.1")).isTrue();
        assertThatThrownBy(() -> journal.commit(NOW, sent.with(NoticeRecord.Status.WAITING, "")))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRolloutGoesOnInTheNextLifeWhereItWas() {
        var old = new Version("compute", "a".repeat(64));
        var next = new Version("compute", "b".repeat(64));
        var sick = new Member("n1", 1, Member.Stage.FAILED, NOW, new NodeCause.Sick("scratch: full"));
        var under = new Rollout(
                old,
                next,
                Terms.USUAL,
                Rollout.Phase.BATCHES,
                true,
                new RolloutCause.Ordered(RolloutCause.Order.PAUSE, "root"),
                NOW,
                3,
                List.of(sick),
                1);
        var first = RolloutRecord.first("ml", old);
        var journal = new Journal(store, NOW);
        journal.commit(NOW, first);
        journal.commit(NOW, first.naming(next).with(under));
        store = reopen(store);
        var found = new Journal(store, NOW.plusSeconds(3600)).rollout("ml").orElseThrow();
        assertThat(found).isEqualTo(first.naming(next).with(under));
        assertThat(found.wanted("n1")).isEqualTo(next);
        assertThat(found.wanted("n2")).isEqualTo(old);
        assertThat(store.timeline("rollout", "ml")).extracting(Transition::to).containsExactly("SETTLED", "PAUSED");
    }

    @Test
    void whatResultsHaveCostIsNotForgottenInTheNextLife() {
        JobRecord job = Entries.fresh("1");
        JobRecord placed = job.with(job.run().at("east"));
        EgressRecord one = EgressRecord.of(placed, 2_000_000_000L, Money.parse("0.18"), NOW);
        Journal journal = new Journal(store, NOW.minusSeconds(3600));
        journal.commit(NOW, one);
        journal.commit(NOW, journal.egress(one.id()).orElseThrow().plus(one));
        store = reopen(store);
        assertThat(store.load(NOW.plusSeconds(3600))).isEmpty();
        assertThat(store.timeline("egress", one.id())).isEmpty();
        Journal next = new Journal(store, NOW.minusSeconds(3600));
        assertThat(next.egress()).singleElement().satisfies(found -> {
            assertThat(found.bytes()).isEqualTo(4_000_000_000L);
            assertThat(found.price()).isEqualTo(Money.parse("0.36"));
            assertThat(found.site()).isEqualTo("east");
            assertThat(found.user()).isEqualTo(job.spec().user());
        });
        next.forgetBefore(NOW.plusSeconds(3600));
        assertThat(next.egress()).isEmpty();
    }

    @Test
    void aLaterEntryReplacesTheEarlier() {
        JobRecord first = Entries.fresh("1");
        JobRecord second = first.to(JobState.STAGING_IN, Cause.NONE, NOW.plusSeconds(1));
        store.write(NOW, List.of(first), List.of());
        store.write(NOW.plusSeconds(1), List.of(second), List.of());
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).containsExactly(second);
    }

    @Test
    void aJobIsFoundByTheKeyOfItsOwnUserOnly() {
        JobRecord job = Entries.fresh("1");
        store.write(NOW, List.of(job), List.of());
        JobRecord ended = job.to(JobState.CANCELLED, Cause.NONE, NOW);
        store.write(NOW, List.of(ended), List.of());
        store = reopen(store);
        assertThat(store.jobByKey(1001, "key-1")).contains(ended);
        assertThat(store.jobByKey(1002, "key-1")).isEmpty();
        assertThat(store.jobByKey(1001, "key-2")).isEmpty();
    }

    @Test
    void endedJobsComeNewestFirst() {
        for (int i = 1; i <= 4; i++) {
            Instant at = NOW.plusSeconds(i == 2 ? 100 : i);
            store.write(at, List.of(Entries.fresh("" + i).to(JobState.CANCELLED, Cause.NONE, at)), List.of());
        }
        store.write(NOW.plusSeconds(500), List.of(Entries.fresh("live")), List.of());
        store = reopen(store);
        assertThat(store.endedJobs(EVERYBODY, 3)).extracting(JobRecord::id).containsExactly("2", "4", "3");
    }

    @Test
    void endedJobsOfOneUserAreNotCutByThoseOfOthers() {
        for (int i = 1; i <= 6; i++) {
            Instant at = NOW.plusSeconds(i);
            JobRecord job = Entries.fresh("" + i).to(JobState.CANCELLED, Cause.NONE, at);
            store.write(at, List.of(i % 2 == 0 ? Entries.ofUser(job, 2000) : job), List.of());
        }
        store = reopen(store);
        assertThat(store.endedJobs(OptionalInt.of(2000), 2))
                .extracting(JobRecord::id)
                .containsExactly("6", "4");
        assertThat(store.endedJobs(OptionalInt.of(3000), 2)).isEmpty();
        assertThat(store.endedJobs(EVERYBODY, 1).getFirst().spec().program().script())
                .isEmpty();
    }

    @Test
    void aTimelineIsKeptPerEntryOldestFirst() {
        // The timeline is kept to the millisecond.
        Instant at = Instant.parse("2026-01-05T08:00:00.123Z");
        Transition first = new Transition(at, "job", "1", "", "SUBMITTED", Cause.NONE);
        Transition other = new Transition(at, "node", "1", "", "REQUESTED", new Told("x"));
        Transition second = new Transition(at, "job", "1", "SUBMITTED", "HELD", new Told("no \u201cbudget\u201d"));
        store.write(at, List.of(Entries.fresh("1")), List.of(first, other));
        store.write(at, List.of(Entries.fresh("1")), List.of(second));
        store = reopen(store);
        assertThat(store.timeline("job", "1")).containsExactly(first, second);
        assertThat(store.timeline("node", "1")).containsExactly(other);
        assertThat(store.timeline("job", "2")).isEmpty();
    }

    @Test
    void theSequenceGrowsOverLives() {
        long first = store.nextSequence();
        long second = store.nextSequence();
        store = reopen(store);
        assertThat(second).isGreaterThan(first);
        assertThat(store.nextSequence()).isGreaterThan(second);
    }

    @Test
    void noNumberIsGivenTwiceOverManyLives() {
        List<Long> given = new ArrayList<>();
        for (int life = 0; life < 4; life++) {
            // More than one block, and a block that is not used up.
            for (int i = 0; i < 130 * life + 1; i++) {
                given.add(store.nextSequence());
            }
            store = reopen(store);
        }
        assertThat(given).isSorted().doesNotHaveDuplicates();
        assertThat(given.getFirst()).isPositive();
    }

    @Test
    void oldDecisionsAndLaunchesArePrunedWithTheirLines() {
        Journal journal = new Journal(store, Instant.MIN);
        LaunchEntry first = Entries.launches().getFirst();
        for (int i = 0; i < 5; i++) {
            Instant at = NOW.plusSeconds(i);
            journal.commit(at, Entries.decision("d" + i), new LaunchEntry("i" + i, first.launch()));
        }
        JobRecord ended = Entries.fresh("1").to(JobState.CANCELLED, Cause.NONE, NOW);
        journal.commit(NOW.minusSeconds(1000), ended, Entries.node("n1", NodeState.TERMINATED));
        assertThat(pruneAll(NOW.plusSeconds(1), 100)).isEqualTo(2);
        assertThat(pruneAll(NOW, 3)).isEqualTo(2);
        assertThat(pruneAll(NOW, 3)).isZero();
        store = reopen(store);
        assertThat(store.load(NOW.minusSeconds(1))).extracting(Entry::id).containsExactly("i2", "i3", "i4");
        assertThat(store.timeline("decision", "d1")).isEmpty();
        assertThat(store.timeline("decision", "d2")).hasSize(1);
        assertThat(store.timeline("launch", "i1")).isEmpty();
        assertThat(store.timeline("launch", "i4")).hasSize(1);
        // Jobs and nodes are kept for ever, however old.
        assertThat(store.job("1")).contains(ended);
        assertThat(store.timeline("node", "n1")).hasSize(1);
    }

    private int pruneAll(Instant before, int most) {
        int all = 0;
        for (int some = store.prune(before, most); some > 0; some = store.prune(before, most)) {
            all += some;
        }
        return all;
    }

    /** Jobs that came later are more than the list takes. */
    @Test
    void aSpanOfThePastIsListedWhateverCameLater() {
        for (int i = 0; i < 12; i++) {
            int hour = i;
            Instant at = NOW.plus(Duration.ofHours(hour)).truncatedTo(ChronoUnit.SECONDS);
            JobRecord job = Entries.ofUser(Entries.fresh("" + i), 1001 + i % 2);
            job = job.with(job.spec().with(draft -> {
                draft.queue = hour % 3 == 0 ? "cpu" : "gpu";
                draft.submittedAt = at.plusMillis(hour % 4 == 0 ? 500 : 0);
            }));
            Instant end = at.plusSeconds(60);
            store.write(end, List.of(job.to(JobState.CANCELLED, Cause.NONE, end)), List.of());
        }
        Instant three = NOW.plus(Duration.ofHours(3)).truncatedTo(ChronoUnit.SECONDS);
        Instant eight = NOW.plus(Duration.ofHours(8)).truncatedTo(ChronoUnit.SECONDS);
        assertThat(ids("", Optional.empty(), three, eight, 100)).containsExactly("7", "6", "5", "4", "3");
        assertThat(ids("", Optional.empty(), three, eight, 2)).containsExactly("7", "6");
        assertThat(ids("", Optional.empty(), three.plusSeconds(61), eight.plusMillis(500), 3))
                .containsExactly("7", "6", "5");
        assertThat(ids("", Optional.empty(), three, eight.plusMillis(501), 2)).containsExactly("8", "7");
        assertThat(ids("cpu", Optional.empty(), Instant.EPOCH, Instant.MAX, 2)).containsExactly("9", "6");
        assertThat(ids("cpu", Optional.empty(), Instant.EPOCH, eight, 2)).containsExactly("6", "3");
        assertThat(ids("", Optional.of(JobState.DONE), Instant.EPOCH, Instant.MAX, 2))
                .isEmpty();
        assertThat(store.endedJobs(new JobFilter(OptionalInt.of(1002), true, "", Optional.empty(), three, eight, 9)))
                .extracting(JobRecord::id)
                .containsExactly("7", "5", "3");
    }

    private List<String> ids(String queue, Optional<JobState> state, Instant since, Instant until, int limit) {
        return store.endedJobs(new JobFilter(OptionalInt.empty(), true, queue, state, since, until, limit)).stream()
                .map(JobRecord::id)
                .toList();
    }

    @Test
    void anEndedNodeBeforeAllBudgetPeriodsIsNotLoaded() {
        store.write(NOW, List.of(Entries.node("n1", NodeState.TERMINATED)), List.of());
        store = reopen(store);
        assertThat(store.load(NOW.plus(Duration.ofDays(40)))).isEmpty();
    }

    @Test
    void onlyTheLatestThousandLaunchesAreLoaded() {
        List<LaunchEntry> all = new ArrayList<>();
        for (int i = 0; i < 1010; i++) {
            all.add(new LaunchEntry("i" + i, Entries.launches().getFirst().launch()));
        }
        for (int i = 0; i < 1010; i += 10) {
            store.write(NOW.plusSeconds(i), all.subList(i, i + 10), List.of());
        }
        store = reopen(store);
        assertThat(store.load(Instant.MIN))
                .hasSize(1000)
                .doesNotContain(all.get(3))
                .contains(all.get(1009));
    }

    @Test
    void anIntentWithoutOpenCallIsLoadedWhileItsNodeLives() {
        IntentRecord settled = Entries.intent("i1", Intent.State.SETTLED);
        IntentRecord past = Entries.intent("i2", Intent.State.SETTLED);
        NodeRecord node = Entries.node("n1", NodeState.READY);
        store.write(NOW, List.of(settled, past, node), List.of());
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).containsExactlyInAnyOrder(settled, node);
    }

    @Test
    void aDecisionIsKeptAndNotLive() {
        store.write(NOW, List.of(Entries.decision("d1")), List.of());
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).filteredOn(Entry::isLive).isEmpty();
    }

    @Test
    void theJournalWritesATimelineOfStatesAndNothingElse() {
        Journal journal = new Journal(store, Instant.MIN);
        JobRecord job = Entries.fresh("1");
        journal.commit(NOW, job);
        journal.commit(NOW.plusSeconds(1), job.to(JobState.STAGING_IN, Cause.NONE, NOW.plusSeconds(1)));
        journal.commit(NOW.plusSeconds(2), job.to(JobState.STAGING_IN, new Told("again"), NOW.plusSeconds(2)));
        store = reopen(store);
        assertThat(store.timeline("job", "1")).extracting(Transition::to).containsExactly("SUBMITTED", "STAGING_IN");
        assertThat(new Journal(store, Instant.MIN).job("1").orElseThrow().jobState())
                .isEqualTo(JobState.STAGING_IN);
    }

    @Test
    void aStepThatIsNotAllowedWritesNothingOfItsBatch() {
        Journal journal = new Journal(store, Instant.MIN);
        journal.commit(NOW, Entries.fresh("1"));
        assertThatThrownBy(() -> journal.commit(
                        NOW, Entries.fresh("2"), Entries.fresh("1").to(JobState.RUNNING, Cause.NONE, NOW)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("job 1 cannot go from SUBMITTED to RUNNING");
        assertThatThrownBy(() -> journal.commit(
                        NOW, Entries.node("n1", NodeState.READY), Entries.node("n1", NodeState.REQUESTED)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("node n1 cannot go from READY to REQUESTED");
        assertThat(journal.job("2")).isEmpty();
        store = reopen(store);
        assertThat(store.load(Instant.MIN)).containsExactly(Entries.fresh("1"));
        assertThat(store.timeline("job", "1")).hasSize(1);
        assertThat(store.timeline("job", "2")).isEmpty();
    }

    @Test
    void anEndedJobDoesNotBeginAgain() {
        JobRecord ended = Entries.fresh("1").to(JobState.CANCELLED, Cause.NONE, NOW);
        store.write(NOW, List.of(ended), List.of());
        Journal journal = new Journal(store, Instant.MIN);
        assertThatThrownBy(() -> journal.commit(NOW, ended.to(JobState.STAGING_IN, Cause.NONE, NOW)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("CANCELLED");
        assertThat(store.job("1")).contains(ended);
    }
}
