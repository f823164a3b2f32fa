package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.past.Standing;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** Instances that a journal without its whole past does not know: kept, counted, and ended only once it is over. */
final class QuarantineStoriesTest {
    private static final Standing OURS = new Standing("a.2.x", Set.of("a.1.w", "a.2.x"), false);
    private static final Standing QUARANTINE = new Standing("a.2.x", Set.of("a.1.w", "a.2.x"), true);

    private final Story story = new Story(new SimWorld.Spec("east", 3, 0, "1"));

    private Instance bought(String intent, String tag) {
        var answer = provider()
                .launch(new LaunchRequest(
                        intent,
                        1,
                        new OfferingId("east", "a", "std", Market.ON_DEMAND),
                        1,
                        "",
                        "",
                        Map.of(Instance.TAG_ROLE, "NODE", Instance.TAG_STATE, tag)));
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
}
