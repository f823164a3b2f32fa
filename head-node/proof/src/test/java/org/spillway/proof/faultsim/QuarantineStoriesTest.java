package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.cause.RecoveryCause;
import org.spillway.head.cause.RecoveryCause.RecoveryFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.sites.Recovering;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.head.past.Standing;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** Instances that a journal without its whole past does not know: kept, counted, and ended only once it is over. */
final class QuarantineStoriesTest {
    private static final Standing OURS = new Standing("a.2.x", 2, Set.of("a.1.w", "a.2.x"), false, false);
    private static final Standing QUARANTINE = new Standing("a.2.x", 2, Set.of("a.1.w", "a.2.x"), true, false);

    private final Story story = new Story(new SimWorld.Spec("east", 3, 0, "1"));

    private Instance bought(String intent, String tag) {
        var answer = provider()
                .launch(LaunchRequest.of(intent, 1, new OfferingId("east", "a", "std", Market.ON_DEMAND), 1)
                        .withTags(Map.of(Instance.TAG_ROLE, "NODE", Instance.TAG_STATE, tag)));
        return answer.instances().getFirst();
    }

    private SimProvider provider() {
        return story.world.sites.get("east").provider;
    }

    private boolean isLive(Instance instance) {
        return provider().machines.get(instance.id()).isLive();
    }

    @Test
    void aQuarantinedJournalEndsNothingAndCountsIt() {
        story.world.disk.stands(QUARANTINE);
        Money before = story.loop.budgetLeft(story.world.clock.now());
        Instance unknown = bought("i99", "a.1.w");
        story.pass(Duration.ofMinutes(20));
        assertThat(isLive(unknown)).isTrue();
        assertThat(before.isMoreThan(story.loop.budgetLeft(story.world.clock.now())))
                .isTrue();
        assertThat(story.world.disk.standing().quarantined()).isTrue();
        story.world.disk.release();
        story.until("it is ended", Duration.ofMinutes(5), () -> !isLive(unknown));
    }

    @Test
    void aQuarantineWithNothingUnknownIsOverByItself() {
        story.world.disk.stands(QUARANTINE);
        story.pass(Duration.ofMinutes(9));
        assertThat(story.world.disk.standing().quarantined()).isTrue();
        story.until(
                "it is over",
                Duration.ofMinutes(5),
                () -> !story.world.disk.standing().quarantined());
    }

    @Test
    void whatAnotherHeadOfTheSameBackupHasBoughtIsNeverEnded() {
        story.world.disk.stands(OURS);
        Instance anothers = bought("i98", "a.2.y");
        Instance ours = bought("i99", "a.1.w");
        story.until("our own orphan is ended", Duration.ofMinutes(5), () -> !isLive(ours));
        story.pass(Duration.ofMinutes(20));
        assertThat(isLive(anothers)).isTrue();
    }

    /** Nothing answers that could tell of the other head: what it buys does. */
    @Test
    void whereAnotherHeadOfThisStateBuysNothingIsBoughtUntilSomebodyChooses() {
        story.world.disk.stands(new Standing("a.2.x", 2, Set.of("a.2.w", "a.2.x"), false, false));
        Instance sinceTheCopy = bought("i99", "a.2.w");
        Instance ofItsNextStart = bought("i98", "a.2.y");
        story.until(
                "it is told",
                Duration.ofMinutes(5),
                () -> story.loop.unusable("east").equals(new SiteCause.TwinBuys(2)));
        story.submit(new Story.Job("1", "east"));
        story.pass(Duration.ofMinutes(20));
        assertThat(story.waits("1").all()).contains(new SiteCause.TwinBuys(2));
        assertThat(provider().machines).hasSize(2);
        assertThat(isLive(sinceTheCopy)).isTrue();
        assertThat(isLive(ofItsNextStart)).isTrue();

        choose(sinceTheCopy, RecoveryRecord.State.KEPT);
        choose(ofItsNextStart, RecoveryRecord.State.ENDING);
        story.until("it runs", Duration.ofMinutes(10), () -> story.state("1") == JobState.RUNNING);
        story.until("the one is ended", Duration.ofMinutes(5), () -> !isLive(ofItsNextStart));
        assertThat(isLive(sinceTheCopy)).isTrue();
    }

    /** A number that is given twice: nodes do not begin the second run, and its results lie where the first ones are. */
    @Test
    void anAttemptAfterARestoreHasANumberThatWasNeverGiven() {
        story.submit(new Story.Job("1", "east"));
        story.until("it waits", Duration.ofMinutes(5), () -> story.state("1") == JobState.QUEUED);
        JobRecord backup = story.job("1");
        story.until("it runs", Duration.ofMinutes(5), () -> story.state("1") == JobState.RUNNING);
        assertThat(story.job("1").run().attempt()).isEqualTo(1);
        story.until("it has ended", Duration.ofMinutes(5), () -> story.state("1") == JobState.STAGING_OUT);
        story.world.disk.stands(QUARANTINE);
        story.journal.commit(story.world.clock.now(), backup);
        Story restored = story.restarted();
        restored.until("it runs again", Duration.ofMinutes(5), () -> restored.state("1") == JobState.RUNNING);
        assertThat(restored.job("1").run().attempt()).isEqualTo(1001);
        assertThat(Orders.outputKey("1", restored.job("1").run().attempt(), 0))
                .isNotEqualTo(Orders.outputKey("1", 1, 0));
    }

    @Test
    void allThatIsBoughtBearsTheStateAndItsEpoch() {
        story.world.disk.stands(OURS);
        story.submit(new Story.Job("1", "east"));
        story.until("it runs", Duration.ofMinutes(5), () -> story.state("1") == JobState.RUNNING);
        story.loop.addNodes(
                new NodePurchase("east", "std", "", Market.ON_DEMAND, 1, true, ""), story.world.clock.now());
        story.until(
                "director, node, and one by hand",
                Duration.ofMinutes(5),
                () -> provider().machines.size() == 3);
        assertThat(provider().machines.values())
                .allMatch(machine -> "a.2.x".equals(machine.request.tags().get(Instance.TAG_STATE)));
    }

    private RecoveryRecord record(Instance instance) {
        return story.journal.recovery(RecoveryRecord.id("east", instance.id())).orElseThrow();
    }

    private void choose(Instance instance, RecoveryRecord.State choice) {
        Instant now = story.world.clock.now();
        story.journal.commit(now, story.loop.recovering().choose(record(instance), choice, "root", now));
    }

    @Test
    void whatIsKeptByChoiceOutlivesTheQuarantineAndWhatIsEndedByChoiceDoesNot() {
        story.world.disk.stands(QUARANTINE);
        Instance kept = bought("i98", "a.1.w");
        Instance ended = bought("i99", "a.1.w");
        story.pass(Duration.ofMinutes(2));
        Instant now = story.world.clock.now();
        assertThat(story.loop.recovering().release(RecoveryFact.NOT_IN_JOURNAL, now))
                .isFalse();
        choose(kept, RecoveryRecord.State.KEPT);
        choose(ended, RecoveryRecord.State.ENDING);
        story.until("it is ended", Duration.ofMinutes(5), () -> !isLive(ended));
        assertThat(story.loop.recovering().release(new RecoveryCause.ChosenBy("root"), story.world.clock.now()))
                .isTrue();
        assertThat(story.world.disk.standing().quarantined()).isFalse();
        story.pass(Duration.ofMinutes(20));
        assertThat(isLive(kept)).isTrue();
        assertThat(record(kept).found()).isEqualTo(RecoveryRecord.State.KEPT);
        assertThat(record(ended).found()).isEqualTo(RecoveryRecord.State.GONE);
        assertThat(record(ended).costSince(Instant.EPOCH, story.world.clock.now()))
                .as("what it has cost stays in the books")
                .isEqualTo(record(ended)
                        .costSince(Instant.EPOCH, story.world.clock.now().plusSeconds(3600)))
                .isGreaterThan(Money.ZERO);
        assertThat(story.journal.store().timeline("recovery", record(ended).id()))
                .extracting(JournalStore.Transition::to)
                .containsExactly("FOUND", "ENDING", "GONE");
    }

    @Test
    void whatNobodyAdoptsByNameSaysWhyItCannotBe() {
        story.world.disk.stands(QUARANTINE);
        Instance node = bought("i98", "a.1.w");
        Instance foreign = bought("i99", "b.1.w");
        story.pass(Duration.ofMinutes(2));
        assertThat(story.loop.recovering().all(story.world.clock.now()))
                .extracting(Recovering.Found::obstacle)
                .containsExactlyInAnyOrder(RecoveryFact.NODE_UNHEARD, RecoveryFact.STATE_FOREIGN);
        assertThatThrownBy(() -> choose(node, RecoveryRecord.State.ADOPTED))
                .isInstanceOf(Recovering.NotAdopted.class)
                .hasMessageContaining("no director of the journal reports it");
        assertThat(record(foreign).found()).isEqualTo(RecoveryRecord.State.FOUND);
    }

    /** A job of the part that is lost may have ended and taken its input with it: the node would find none, and the job fail. */
    @Test
    void aJournalThatWasPutBackDoesNotBelieveThatAnInputIsStillInItsSite() {
        story.submit(new Story.Job("first", "east").cpus(SimProvider.CPUS));
        story.until("it runs", Duration.ofMinutes(5), () -> story.state("first") == org.spillway.api.JobState.RUNNING);
        story.submit(new Story.Job("a", "east").cpus(SimProvider.CPUS));
        story.until(
                "it is staged",
                Duration.ofMinutes(5),
                () -> story.job("a").run().staged() != null);
        story.world
                .sites
                .get("east")
                .directors
                .values()
                .forEach(director -> director.sealed.removeIf(key -> key.startsWith("jobs/a/")));
        story.world.disk.stands(QUARANTINE);
        Story again = story.restarted();
        again.until("it is done", Duration.ofMinutes(10), () -> again.state("a") == org.spillway.api.JobState.DONE);
    }

    @Test
    void aMachineThatWasListedBeforeItsPriceWasKnownIsCountedAllTheSame() {
        story.world.disk.stands(QUARANTINE);
        provider().unpriced = true;
        Instance unknown = bought("i99", "a.1.w");
        story.pass(Duration.ofMinutes(2));
        assertThat(record(unknown).machine().pricePerHour()).isEqualTo(Money.ZERO);
        Money before = story.loop.budgetLeft(story.world.clock.now());
        provider().unpriced = false;
        story.pass(Duration.ofMinutes(2));
        assertThat(record(unknown).machine().pricePerHour()).isEqualTo(Money.parse("1"));
        assertThat(before.minus(story.loop.budgetLeft(story.world.clock.now())))
                .as("from its launch on")
                .isGreaterThan(Money.parse("1").perHourFor(Duration.ofMinutes(3)));
    }

    @Test
    void aQuarantineIsNotOverWhileANodeRunsAJobThatTheJournalDoesNotKnow() {
        story.submit(new Story.Job("a", "east"));
        story.until(
                "it joins",
                Duration.ofMinutes(5),
                () -> !story.nodes("east", org.spillway.api.NodeState.JOINING).isEmpty());
        var copy = story.world.disk.copy();
        story.until("it runs", Duration.ofMinutes(5), () -> story.state("a") == org.spillway.api.JobState.RUNNING);
        var runs = story.world.sites.get("east").nodes.values().iterator().next().runs;
        story.until("it has begun", Duration.ofMinutes(1), () -> !runs.isEmpty());
        var run = runs.values().iterator().next();
        run.earlier = true;
        story.world.disk.restore(copy);
        story.world.disk.skipTo(1000);
        story.world.disk.stands(QUARANTINE);
        Story again = story.restarted();
        again.until(
                "it is over",
                Duration.ofMinutes(5),
                () -> again.loop.recovering().release(new RecoveryCause.ChosenBy("ada"), again.world.clock.now()));
        assertThat(run.ended).as("and not before its run is").isTrue();
    }

    /** The copy is of the time when they booted: a director and a node that have come up since are late by its word alone. */
    @Test
    void whatCameUpInThePartThatIsLostIsNeitherLateNorForgotten() {
        story.submit(new Story.Job("a", "east"));
        story.until(
                "it boots",
                Duration.ofMinutes(5),
                () -> !story.nodes("east", org.spillway.api.NodeState.BOOTING).isEmpty());
        var copy = story.world.disk.copy();
        story.until("it runs", Duration.ofMinutes(5), () -> story.state("a") == org.spillway.api.JobState.RUNNING);
        story.world.disk.restore(copy);
        story.world.disk.skipTo(1000);
        story.world.disk.stands(QUARANTINE);
        Story again = story.restarted();
        again.until(
                "the node that was booting serves",
                Duration.ofMinutes(1),
                () -> !again.nodes("east", org.spillway.api.NodeState.READY).isEmpty());
        assertThat(provider().machines.values()).allMatch(SimProvider.Machine::isLive);
    }
}
