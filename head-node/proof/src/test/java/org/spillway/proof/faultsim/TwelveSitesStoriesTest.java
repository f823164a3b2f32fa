package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.RateLimits.Bucket;

/** A head with twelve sites on three clouds, each with the allowance that its driver names. */
final class TwelveSitesStoriesTest {
    private static final Duration SOON = Duration.ofMinutes(15);
    private static final List<String> NAMES = List.of(
            "aws-a", "aws-b", "aws-c", "aws-d", "azure-e", "azure-f", "azure-g", "azure-h", "nova-i", "nova-j",
            "nova-k", "nova-l");
    private static final String DOWN = "azure-e";

    private static RateLimits limits(String site) {
        if (site.startsWith("aws")) {
            return new RateLimits(new Bucket(1000, 2), new Bucket(50, 5), new Bucket(50, 10));
        }
        if (site.startsWith("azure")) {
            return new RateLimits(new Bucket(200, 10), new Bucket(200, 10), new Bucket(250, 25))
                    .withListings(new Bucket(900, 5));
        }
        return RateLimits.NONE.withListings(new Bucket(10, 10));
    }

    private static int callsOfListing(String site) {
        return site.startsWith("azure") ? 2 : 1;
    }

    private static Story story() {
        Story story = new Story(
                NAMES.stream().map(name -> new SimWorld.Spec(name, 3, 0, "1")).toArray(SimWorld.Spec[]::new));
        story.world.sites.forEach((name, site) -> site.counted =
                new CountedListings(site.provider, story.world.clock, callsOfListing(name), limits(name)));
        return story.restarted();
    }

    private static List<String> submit(Story story, int from) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
            String id = Integer.toString(from + i);
            story.submit(new Story.Job(id, NAMES.get(i)));
            ids.add(id);
        }
        return ids;
    }

    /** Whether they have run: scripts of this world fail now and then. */
    private static boolean haveRun(Story story, List<String> jobs) {
        return jobs.stream()
                .allMatch(job ->
                        story.state(job).isTerminal() && story.job(job).run().attempt() > 0);
    }

    @Test
    void eachServesAndOneThatIsDownForAnHourHoldsNobodyUp() {
        Story story = story();
        List<String> first = submit(story, 1);
        story.until("a job in each has run", SOON, () -> haveRun(story, first));

        SimSite down = story.world.site(DOWN);
        down.mute = true;
        down.provider.mute = true;
        List<String> second = submit(story, 101);
        String stuck = second.remove(NAMES.indexOf(DOWN));
        story.until("a job in each other has run", SOON, () -> haveRun(story, second));
        assertThat(story.state(stuck).isTerminal()).isFalse();
        for (int i = 0; i < Duration.ofHours(1).toSeconds(); i++) {
            story.step(1000);
        }
        assertThat(story.state(stuck).isTerminal())
                .as("it waits for its region")
                .isFalse();

        down.mute = false;
        down.provider.mute = false;
        story.until(
                "the region is back, and its job has run",
                Duration.ofMinutes(45),
                () -> haveRun(story, List.of(stuck)));
        story.until(
                "nothing is left",
                SOON,
                () -> story.world.sites.values().stream()
                        .allMatch(site ->
                                site.provider.machines.values().stream().noneMatch(SimProvider.Machine::isLive)));
        story.world.sites.forEach((name, site) -> {
            double share = 0.2 * 60 * limits(name).listings().perSecond();
            assertThat(inAMinute(site.counted.listings) * callsOfListing(name))
                    .as("calls for listings of %s in a minute", name)
                    .isLessThanOrEqualTo((int) share + callsOfListing(name));
        });
    }

    /** The most in any minute. */
    private static int inAMinute(List<Instant> listings) {
        int most = 0;
        int from = 0;
        for (int to = 0; to < listings.size(); to++) {
            while (!listings.get(from).plusSeconds(60).isAfter(listings.get(to))) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }
}
