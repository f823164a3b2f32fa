package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.api.NodeState;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.Market;

/** The head at a provider whose listings are wrong: what {@code FleetLooks} makes of them. */
final class LyingListingStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(5);
    private static final int NODES = 4;

    private final Story story = new Story(new SimWorld.Spec("east", NODES, 0, "1"));

    private SimProvider up() {
        story.pass(Duration.ofSeconds(2));
        story.loop.addNodes(
                new NodePurchase("east", "std", "", Market.ON_DEMAND, NODES, true, ""), story.world.clock.now());
        story.until(
                "all are up", LATER, () -> story.nodes("east", NodeState.READY).size() == NODES);
        // Until the provider's window has passed for each.
        story.pass(SimProvider.WINDOW.multipliedBy(20));
        return story.world.site("east").provider;
    }

    private void lies(Lies.Lie lie, Duration time) {
        story.world.site("east").provider.lies(lie, story.world.clock.now().plus(time));
        story.pass(time);
    }

    @ParameterizedTest
    @EnumSource(Lies.Lie.class)
    void nothingEndsOverAnHourOfLiesThatItsIdsRefute(Lies.Lie lie) {
        SimProvider provider = up();
        List<String> before = story.nodes("east", NodeState.READY).stream()
                .map(node -> node.id())
                .toList();
        lies(lie, Duration.ofHours(1));
        assertThat(story.nodes("east", NodeState.READY))
                .extracting(node -> node.id())
                .containsExactlyElementsOf(before);
        assertThat(provider.toldToEnd).isEmpty();
        assertThat(provider.machines.values()).allMatch(SimProvider.Machine::isLive);
    }

    @ParameterizedTest
    @EnumSource(Lies.Lie.class)
    void oneLieEndsNothingWhereNobodyCanBeAskedById(Lies.Lie lie) {
        SimProvider provider = up();
        provider.canAskById = false;
        for (int i = 0; i < 3; i++) {
            lies(lie, Duration.ofSeconds(20));
            story.pass(Duration.ofSeconds(20));
        }
        assertThat(story.nodes("east", NodeState.READY)).hasSize(NODES);
        assertThat(provider.toldToEnd).isEmpty();
    }

    @Test
    void anEmptyListingIsSaidToBeDoubted() {
        up();
        lies(Lies.Lie.EMPTY, Duration.ofSeconds(15));
        assertThat(story.loop.trouble("east")).isEqualTo(new SiteCause.ListingDoubted(NODES + 1, NODES + 1));
        story.pass(Duration.ofSeconds(10));
        assertThat(story.loop.trouble("east").isNone()).isTrue();
    }

    @Test
    void whatReallyEndsIsFoundOut() {
        SimProvider provider = up();
        Instant begin = story.world.clock.now();
        provider.end(story.world.site("east").nodes.values().iterator().next().machine);
        story.until(
                "its node has ended",
                LATER,
                () -> story.nodes("east", NodeState.FAILED).size() == 1);
        assertThat(Duration.between(begin, story.world.clock.now())).isLessThan(Duration.ofSeconds(20));
    }
}
