package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.cloud.ProviderUnderTest.Lie;
import org.spillway.cloud.ProviderUnderTest.Luck;
import org.spillway.cloud.fleet.FleetAction;

/** Listings that come with a good status and are wrong. */
abstract class LieDuties extends Duties {
    LieDuties(ProviderUnderTest provider) {
        super(provider);
    }

    private static final int FLEET = 5;

    @ParameterizedTest
    @EnumSource(Lie.class)
    void endNothingThatLives(Lie lie) throws Exception {
        LaunchRequest request = request(provider.offering("here"), FLEET, "");
        site.compute().launch(request);
        List<Instance> fleet = eventually(
                () -> listed(site, request),
                all -> all.size() == FLEET && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
        LyingListings head = new LyingListings(site, fleet);
        head.look();
        assertThat(head.isCalm()).isTrue();
        // A lie, and then the same once more, hours later.
        for (int i = 0; i < 2; i++) {
            provider.arrange(new Luck.LyingListing(lie));
            List<FleetAction> follows = head.look();
            assertThat(follows).as("the lie was heard").isNotEmpty();
            if (lie == Lie.EMPTY || lie == Lie.STALE) {
                assertThat(follows).as("doubted").anyMatch(FleetAction.Doubt.class::isInstance);
            }
            head.nothingFollows();
        }
        head.look();
        head.nothingFollows();
        assertThat(head.isCalm()).as("the truth ends all doubts").isTrue();
        assertThat(listed(site, request))
                .filteredOn(one -> one.state() == Instance.State.RUNNING)
                .hasSize(FLEET);
    }

    @Test
    void doNotKeepWhatHasEnded() throws Exception {
        LaunchRequest request = request(provider.offering("here"), 2, "");
        List<Instance> fleet = site.compute().launch(request).instances();
        eventually(
                () -> listed(site, request),
                all -> all.size() == 2 && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
        LyingListings head = new LyingListings(site, fleet);
        head.look();
        site.compute().terminate(List.of(fleet.getFirst().id()));
        List<FleetAction> last =
                eventually(head::look, all -> all.stream().anyMatch(FleetAction.Gone.class::isInstance));
        assertThat(last)
                .filteredOn(FleetAction.Gone.class::isInstance)
                .extracting(action -> ((FleetAction.Gone) action).node())
                .containsExactly("node of " + fleet.getFirst().id());
    }

    @Test
    void aStrayIsSeenTwiceBeforeItIsEnded() throws Exception {
        LaunchRequest request = request(provider.offering("here"), 1, "");
        Instance stray = first(site.compute().launch(request));
        eventually(() -> listed(site, request), all -> all.size() == 1);
        LyingListings head = new LyingListings(site, List.of());
        assertThat(head.look())
                .noneMatch(FleetAction.End.class::isInstance)
                .anyMatch(action -> action instanceof FleetAction.Noticed noticed
                        && noticed.instance().id().equals(stray.id()));
        assertThat(head.look())
                .anyMatch(action -> action instanceof FleetAction.End end
                        && end.instance().id().equals(stray.id()));
    }
}
