package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.CheckView.FoundInput;
import org.spillway.head.loop.jobs.PlacementView;
import org.spillway.policy.Money;

final class ChecksTest {
    private static final PlacementView EAST = new PlacementView(
            "east",
            "a/small/on-demand",
            true,
            Money.parse("0.50"),
            Money.parse("0.09"),
            Duration.ofMillis(3200),
            Submissions.NOON.plusSeconds(40),
            "home is full");

    private static Judgement judgement(int tasks) {
        return new Judgement(
                Submissions.spec(1001, 2, null, List.of()),
                tasks,
                List.of(new FoundInput("/a", "", 2, 20), new FoundInput("/b", "b/", 4, 80)),
                List.of("it will not run in site lab"));
    }

    @Test
    void whatIsExpectedIsSaid() {
        var view = Checks.view(judgement(1), EAST, Submissions.NOON);
        assertThat(view.files()).isEqualTo(6);
        assertThat(view.bytes()).isEqualTo(100);
        assertThat(view.site()).isEqualTo("east");
        assertThat(view.stagingSeconds()).isEqualTo(4);
        assertThat(view.costAtMost()).as("an hour, and results").isEqualTo(Money.parse("0.59"));
        assertThat(view.expectedStart()).isEqualTo(Submissions.NOON.plusSeconds(40));
        assertThat(view.sentence())
                .isEqualTo("would be accepted; it would start in site east in about 40 s (home is full)");
        assertThat(view.notes())
                .containsExactly(
                        "it will not run in site lab",
                        "nodes would be launched for it",
                        "bringing its results home from site east is expected to cost 0.09, and more where they are"
                                + " larger than expected");
    }

    @Test
    void anArrayCostsAsMuchAsItsTasks() {
        var view = Checks.view(judgement(10), EAST, Submissions.NOON);
        assertThat(view.costAtMost()).isEqualTo(Money.parse("5.90"));
        assertThat(view.sentence()).contains("the first of its 10 tasks would start");
        assertThat(judgement(10).bytesOfOne()).isEqualTo(10);
    }

    @Test
    void whatWouldWaitIsSaidToBeAcceptedAllTheSame() {
        var none = new PlacementView(
                "", "", false, Money.ZERO, Money.ZERO, Duration.ZERO, null, "the budget has 0.10 left");
        var view = Checks.view(judgement(1), none, Submissions.NOON);
        assertThat(view.sentence()).isEqualTo("would be accepted and wait: the budget has 0.10 left");
        assertThat(view.expectedStart()).isNull();
        assertThat(view.notes()).containsExactly("it will not run in site lab");
        var now = new PlacementView(
                "east", "", false, Money.ZERO, Money.ZERO, Duration.ZERO, Submissions.NOON.minusSeconds(9), "");
        assertThat(Checks.view(judgement(1), now, Submissions.NOON).expectedStart())
                .isEqualTo(Submissions.NOON);
        assertThat(Checks.view(judgement(1), now, Submissions.NOON).sentence()).endsWith("in site east at once");
    }

    @ParameterizedTest
    @CsvSource({"0,1 s", "99,99 s", "100,2 min", "5940,99 min", "5941,2 h", "36000,10 h"})
    void estimatesAreRough(long seconds, String text) {
        assertThat(Checks.rough(Duration.ofSeconds(seconds))).isEqualTo(text);
    }
}
