package org.spillway.head.ondemand.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.DelegatedRecord.State;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.ondemand.Allowance;
import org.spillway.head.ondemand.Estate;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Money;

final class DelegationsTest {
    private static final Instant BEGIN = Instant.parse("2026-11-22T08:00:00Z");
    private static final Duration QUANTUM = Duration.ofMinutes(30);

    private Instant now = BEGIN;
    private final SmallCloud cloud = new SmallCloud(() -> now);
    private final MemoryJournalStore store = new MemoryJournalStore();
    private BookOfOne book = new BookOfOne(store, () -> now);
    private Delegations delegations = new Delegations(cloud, book, () -> now, QUANTUM);
    private Optional<Allowance> allowance = Optional.of(new Allowance(
            "home-c1", "east", 4, Money.parse("10"), BEGIN.plus(Duration.ofHours(8)), Set.of("small", "large")));

    private LaunchAnswer launch(LaunchRequest request) {
        return delegations.launch(allowance.orElseThrow(), () -> allowance, request, now.plusSeconds(30));
    }

    private DelegatedRecord record(LaunchRequest request) {
        return book.journal()
                .delegation(DelegatedRecord.id("home-c1", request.token()))
                .orElseThrow();
    }

    private void passes(Duration time) {
        now = now.plus(time);
    }

    private static void isRefused(LaunchAnswer answer, Reason reason, String sentence) {
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Refused(reason, sentence));
    }

    @Test
    void theSameTokenGivesTheSameInstancesWithoutAnotherCall() {
        LaunchRequest request = SmallCloud.request("i1", SmallCloud.SMALL, 2);
        List<String> ids =
                launch(request).instances().stream().map(Instance::id).toList();
        LaunchAnswer again = launch(request);
        assertThat(again.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(again.instances()).extracting(Instance::id).containsExactlyElementsOf(ids);
        assertThat(cloud.calls).isEqualTo(1);
    }

    @Test
    void userDataIsInNoJournal() {
        LaunchRequest request = SmallCloud.request("i1", SmallCloud.SMALL, 1);
        launch(request);
        assertThat(record(request).request().userData()).startsWith("sha256:").doesNotContain("secret");
        assertThat(record(request).token()).isEqualTo(request.token());
    }

    @Test
    void moreThanItsNodesAreRefused() {
        launch(SmallCloud.request("i1", SmallCloud.SMALL, 3));
        isRefused(
                launch(SmallCloud.request("i2", SmallCloud.SMALL, 2)),
                Reason.OCCUPIED,
                "cluster home-c1 has 3 of its 4 nodes, 2 more are not allowed");
        assertThat(cloud.calls).isEqualTo(1);
    }

    @Test
    void aNumberBeyondAllLimitsIsRefusedLikeAnyOther() {
        isRefused(
                launch(SmallCloud.request("i1", SmallCloud.LARGE, Integer.MAX_VALUE)),
                Reason.QUOTA,
                "cluster home-c1 has 0 of its 4 nodes, 2147483647 more are not allowed");
    }

    @Test
    void moreThanTheParentsLimitLeavesIsRefused() {
        book.room = 1;
        isRefused(
                launch(SmallCloud.request("i1", SmallCloud.SMALL, 2)),
                Reason.OCCUPIED,
                "site east of the parent has room for 1 more, 2 were asked for");
    }

    /** H3: the parent can say why a child's nodes do not come. */
    @Test
    void aRefusalIsRememberedUntilALaunchSucceeds() {
        book.room = 0;
        launch(SmallCloud.request("i1", SmallCloud.SMALL, 1));
        assertThat(delegations.refusal("home-c1"))
                .contains(new Estate.Refusal(BEGIN, "site east of the parent has room for 0 more, 1 were asked for"));
        book.room = 1;
        passes(Duration.ofSeconds(5));
        launch(SmallCloud.request("i2", SmallCloud.SMALL, 1));
        assertThat(delegations.refusal("home-c1")).isEmpty();
    }

    @Test
    void moreThanItsBudgetIsRefused() {
        launch(SmallCloud.request("i1", SmallCloud.LARGE, 4));
        cloud.instances.keySet().forEach(id -> end(id));
        passes(Duration.ofMinutes(31));
        see();
        // 4 for 31 minutes at 4 an hour.
        assertThat(delegations.spent("home-c1", now)).isEqualTo(Money.parse("8.266668"));
        isRefused(
                launch(SmallCloud.request("i2", SmallCloud.LARGE, 1)),
                Reason.QUOTA,
                "the budget of cluster home-c1 has 1.733332 left, this would reserve 2.00");
        assertThat(launch(SmallCloud.request("i3", SmallCloud.SMALL, 1)).outcome())
                .isEqualTo(new LaunchOutcome.Launched(1));
    }

    private void end(String id) {
        cloud.of("home-c1", "east").compute();
        try {
            cloud.of("home-c1", "east").compute().terminate(List.of(id));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void see() {
        try {
            delegations.sight("home-c1", "east", "");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void nearItsEndItReservesNoLongerThanThat() {
        passes(Duration.ofHours(8).minusMinutes(6));
        LaunchRequest request = SmallCloud.request("i1", SmallCloud.LARGE, 1);
        launch(request);
        assertThat(record(request).committedFor()).isEqualTo(Duration.ofMinutes(6));
        passes(Duration.ofMinutes(6));
        isRefused(
                launch(SmallCloud.request("i2", SmallCloud.LARGE, 1)),
                Reason.QUOTA,
                "cluster home-c1 ended at 2026-11-22T16:00:00Z: nothing more is bought for it");
    }

    @Test
    void anotherTypeAnotherSiteAndTheParentsRoleAreRefused() {
        change(all -> new Allowance(
                all.cluster(), all.site(), all.maxNodes(), all.budgetLeft(), all.expires(), Set.of("small")));
        isRefused(
                launch(SmallCloud.request("i1", SmallCloud.LARGE, 1)),
                Reason.INVALID,
                "cluster home-c1 may not have large, only small");
        LaunchRequest head =
                LaunchRequest.of("i3", 1, SmallCloud.SMALL, 1).withTags(java.util.Map.of(Instance.TAG_ROLE, "HEAD"));
        isRefused(launch(head), Reason.INVALID, "the role HEAD is the parent's to give");
        assertThat(cloud.calls).isZero();
    }

    private void change(UnaryOperator<Allowance> other) {
        allowance = allowance.map(other);
    }

    @Test
    void anAllowanceThatWasTakenBackBuysNothingMore() {
        Allowance before = allowance.orElseThrow();
        LaunchAnswer answer = delegations.launch(
                before, Optional::empty, SmallCloud.request("i1", SmallCloud.SMALL, 1), now.plusSeconds(30));
        isRefused(answer, Reason.CREDENTIALS, "the token was taken back");
        assertThat(cloud.calls).isZero();
    }

    @Test
    void whatComesTooLateIsNotBegun() {
        LaunchAnswer answer = delegations.launch(
                allowance.orElseThrow(),
                () -> allowance,
                SmallCloud.request("i1", SmallCloud.SMALL, 1),
                now.minusMillis(1));
        isRefused(answer, Reason.THROTTLED, "the parent had no time for it");
        assertThat(cloud.calls).isZero();
    }

    @Test
    void aLostAnswerKeepsItsMoneyUntilAListingTells() {
        cloud.luck = SmallCloud.Luck.LOST;
        LaunchRequest request = SmallCloud.request("i1", SmallCloud.SMALL, 2);
        assertThat(launch(request).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
        assertThat(delegations.spent("home-c1", now)).isEqualTo(Money.parse("1"));
        see();
        assertThat(record(request).status()).isEqualTo(State.UNKNOWN);
        passes(SmallCloud.WINDOW);
        assertThat(launch(request).instances()).hasSize(2);
        assertThat(record(request).status()).isEqualTo(State.SETTLED);
        assertThat(cloud.live("home-c1")).hasSize(2);
        assertThat(cloud.calls).isEqualTo(1);
    }

    @Test
    void whatNeverWasGivesItsMoneyBackAfterTheWindow() {
        cloud.luck = SmallCloud.Luck.VANISHED;
        LaunchRequest request = SmallCloud.request("i1", SmallCloud.SMALL, 2);
        launch(request);
        passes(SmallCloud.WINDOW.minusMillis(1));
        see();
        assertThat(record(request).status()).isEqualTo(State.UNKNOWN);
        passes(Duration.ofMillis(1));
        see();
        assertThat(record(request).status()).isEqualTo(State.REFUSED);
        assertThat(delegations.spent("home-c1", now)).isEqualTo(Money.ZERO);
        // And now it may be asked for again.
        assertThat(launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(2));
    }

    @Test
    void aListingShowsWhatTheChildBoughtAndNothingElse() throws Exception {
        cloud.of("home-c1", "east").compute().launch(SmallCloud.request("the-head", SmallCloud.SMALL, 1));
        cloud.of("home-c2", "east").compute().launch(SmallCloud.request("i1", SmallCloud.SMALL, 1));
        launch(SmallCloud.request("i1", SmallCloud.SMALL, 1));
        passes(SmallCloud.WINDOW);
        assertThat(delegations.list(allowance.orElseThrow()))
                .extracting(Instance::id)
                .containsExactly("m-3");
        assertThat(delegations.own(allowance.orElseThrow(), List.of("m-1", "m-2", "m-3")))
                .containsExactly("m-3");
    }

    @Test
    void aRemovalEndsEverythingAndIsProvenByAWholeListing() throws Exception {
        cloud.of("home-c1", "east").compute().launch(SmallCloud.request("the-head", SmallCloud.SMALL, 1));
        cloud.of("home", "east").compute().launch(SmallCloud.request("i1", SmallCloud.SMALL, 1));
        cloud.things.put(
                "disk-1",
                Billable.tagged("disk", "disk-1", Money.ZERO, java.util.Map.of(Instance.TAG_CLUSTER, "home-c1")));
        launch(SmallCloud.request("i1", SmallCloud.SMALL, 1));
        cloud.luck = SmallCloud.Luck.LOST;
        launch(SmallCloud.request("i2", SmallCloud.SMALL, 1));
        List<String> said = new java.util.ArrayList<>();
        Brokered.Removed pass = remove();
        for (int i = 0; i < 60 && !pass.proven(); i++) {
            said.add(pass.what());
            passes(Duration.ofSeconds(2));
            pass = remove();
        }
        assertThat(pass)
                .as("%s", said)
                .isEqualTo(new Brokered.Removed(true, "nothing is listed and nothing is on the bill"));
        assertThat(said)
                .contains("3 instances were told to end", "an instance may still appear", "1 things were told to go");
        assertThat(cloud.live("home-c1")).isEmpty();
        assertThat(cloud.live("home")).hasSize(1);
        delegations.close("home-c1");
        assertThat(book.journal().delegations("home-c1"))
                .extracting(DelegatedRecord::status)
                .containsOnly(State.CLOSED);
    }

    @Test
    void oneEmptyLookRemovesNothing() throws Exception {
        launch(SmallCloud.request("i1", SmallCloud.SMALL, 1));
        passes(SmallCloud.WINDOW.multipliedBy(2));
        cloud.empty = true;
        assertThat(remove().proven()).isFalse();
        cloud.empty = false;
        passes(Duration.ofSeconds(40));
        assertThat(remove()).isEqualTo(new Brokered.Removed(false, "1 instances were told to end"));
    }

    @Test
    void aMachineThatAppearsAgainIsChargedAllTheTime() {
        launch(SmallCloud.request("i1", SmallCloud.SMALL, 1));
        passes(SmallCloud.WINDOW.multipliedBy(2));
        cloud.empty = true;
        see();
        assertThat(delegations.instances("home-c1", "east")).isZero();
        cloud.empty = false;
        passes(Duration.ofHours(1));
        see();
        assertThat(delegations.instances("home-c1", "east")).isEqualTo(1);
        assertThat(delegations.spent("home-c1", now)).isGreaterThanOrEqualTo(Money.parse("1"));
    }

    private Brokered.Removed remove() throws Exception {
        return Removal.pass(delegations, cloud.of("home-c1", "east"), "home-c1", "east", BEGIN);
    }
}
