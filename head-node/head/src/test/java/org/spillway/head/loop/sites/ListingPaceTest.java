package org.spillway.head.loop.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.RateLimits.Bucket;
import org.spillway.head.loop.sites.ListingPace.Expected;

/** Finding C3: every site was listed twice a second while anything booted, whatever that took of the account. */
final class ListingPaceTest {
    private static final RateLimits AZURE = new RateLimits(
                    new Bucket(200, 10), new Bucket(200, 10), new Bucket(250, 25))
            .withListings(new Bucket(900, 5));

    private static final RateLimits AWS = new RateLimits(new Bucket(1000, 2), new Bucket(50, 5), new Bucket(50, 10));

    @ParameterizedTest
    @EnumSource(Expected.class)
    void listingsTakeAFifthOfTheAllowanceAtMost(Expected expected) {
        for (RateLimits limits : new RateLimits[] {AZURE, AWS}) {
            for (long calls : new long[] {1, 2, 4, 16, 100}) {
                double pause = ListingPace.pause(expected, limits, calls, 0).toMillis() / 1000.0;
                assertThat(calls / pause)
                        .as("%s, %s calls a second", expected, calls)
                        .isLessThanOrEqualTo(0.2 * limits.listings().perSecond() + 0.01);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CHANGE, 1, PT1S",
        "CHANGE, 4, PT4S",
        "CHANGE, 9, PT10S",
        "CHANGE, 120, PT2M",
        "PROOF, 1, PT2S",
        "NOTHING, 2, PT15S",
        "NO_MACHINE, 1, PT30S"
    })
    void whatGoesOnAsItIsIsLookedAtRarely(Expected expected, long calls, Duration pause) {
        assertThat(ListingPace.pause(expected, AZURE, calls, 0)).isEqualTo(pause);
    }

    @ParameterizedTest
    @CsvSource({"CHANGE, PT0.5S", "PROOF, PT2S", "NOTHING, PT5S", "NO_MACHINE, PT30S"})
    void whereNobodyCountsNothingIsSaved(Expected expected, Duration pause) {
        assertThat(ListingPace.pause(expected, RateLimits.NONE, 100, 7)).isEqualTo(pause);
    }

    @ParameterizedTest
    @CsvSource({"1, PT2S", "2, PT4S", "3, PT8S", "4, PT16S", "5, PT30S", "500, PT30S"})
    void failuresAreFollowedByPausesThatGrow(int failures, Duration pause) {
        assertThat(ListingPace.pause(Expected.CHANGE, AZURE, 1, failures)).isEqualTo(pause);
    }
}
