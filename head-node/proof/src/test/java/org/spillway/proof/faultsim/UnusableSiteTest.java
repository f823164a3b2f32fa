package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.cause.SiteCause.SiteFact;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.Market;

/** A site whose checks find something broken is not used, says why, and comes back; the others go on. */
final class UnusableSiteTest {
    private static final Duration LATER = Duration.ofMinutes(5);
    private static final Finding BROKEN = new Finding("credentials", Verdict.BROKEN, "not accepted", "correct them");
    private static final Finding POOR = new Finding("quota", Verdict.WARNING, "2 of 96", "ask for more");

    private static final Cause NOT_ACCEPTED =
            new SiteCause.ChecksFailed(List.of(new SiteCause.CheckFailed("credentials", "not accepted")));

    private final Map<String, List<Finding>> found = new ConcurrentHashMap<>();
    private final AtomicInteger looks = new AtomicInteger();

    private Story story(SimWorld.Spec... sites) {
        return new Story(
                name -> Optional.<SiteCheck>of(() -> {
                    looks.incrementAndGet();
                    return found.getOrDefault(name, List.of(POOR));
                }),
                sites);
    }

    private static SimWorld.Spec region(String name, String price) {
        return new SimWorld.Spec(name, 3, 0, price);
    }

    @Test
    void jobsGoElsewhereAndTheReasonIsSaid() {
        found.put("cheap", List.of(POOR, BROKEN));
        Story story = story(region("cheap", "1"), region("dear", "9"));
        story.submit(new Story.Job("1", "cheap", "dear"));
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.job("1").run().site()).isEqualTo("dear");
        assertThat(story.loop.trouble("cheap")).isEqualTo(NOT_ACCEPTED);
        assertThat(story.loop.trouble("dear")).isEqualTo(Cause.NONE);
    }

    @Test
    void aJobThatMayGoNowhereElseWaitsUntilItIsRepaired() {
        found.put("east", List.of(BROKEN));
        Story story = story(region("east", "1"));
        story.until(
                "it was looked at", LATER, () -> !story.loop.unusable("east").isNone());
        story.submit(new Story.Job("1", "east"));
        story.pass(Duration.ofSeconds(30));
        assertThat(story.journal.nodes()).isEmpty();
        assertThat(story.waits("1").all()).contains(NOT_ACCEPTED);
        assertThatThrownBy(() -> story.loop.addNodes(
                        new NodePurchase("east", "std", "", Market.ON_DEMAND, 1, false, ""), story.world.clock.now()))
                .hasMessage("site east cannot be used: credentials: not accepted");
        found.remove("east");
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.loop.trouble("east")).isEqualTo(Cause.NONE);
    }

    @Test
    void oneBadLookAtAGoodSiteIsNotEnough() {
        Story story = story(region("east", "1"));
        story.until("it was looked at", LATER, () -> looks.get() == 1);
        found.put("east", List.of(BROKEN));
        story.until("it was looked at again", Duration.ofMinutes(10), () -> looks.get() == 2);
        story.pass(Duration.ofSeconds(2));
        assertThat(story.loop.unusable("east")).isEqualTo(Cause.NONE);
        found.remove("east");
        story.until("and once more", LATER, () -> looks.get() == 3);
        story.pass(Duration.ofSeconds(2));
        assertThat(story.loop.unusable("east")).isEqualTo(Cause.NONE);
        found.put("east", List.of(BROKEN));
        story.until("twice in a row", Duration.ofMinutes(10), () -> looks.get() == 5);
        story.until("it is broken", LATER, () -> !story.loop.unusable("east").isNone());
    }

    @Test
    void whatRunsThereGoesOn() {
        Story story = story(region("east", "1"));
        story.submit(new Story.Job("1", "east"));
        story.until("it runs", LATER, () -> story.state("1") == JobState.RUNNING);
        found.put("east", List.of(BROKEN));
        story.loop.openSite("east");
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.loop.unusable("east")).isEqualTo(NOT_ACCEPTED);
        assertThat(story.nodes("east", NodeState.FAILED)).isEmpty();
    }

    @Test
    void whileItsNetworkIsDeletedNothingIsBought() {
        Story story = story(region("east", "1"));
        story.loop.closeSite("east", SiteFact.NETWORK_BEING_DELETED);
        story.submit(new Story.Job("1", "east"));
        story.pass(Duration.ofSeconds(60));
        assertThat(story.journal.nodes()).isEmpty();
        assertThat(story.waits("1").all()).contains(SiteFact.NETWORK_BEING_DELETED);
        story.loop.openSite("east");
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
    }
}
