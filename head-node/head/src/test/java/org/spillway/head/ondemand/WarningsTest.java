package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.ondemand.Warnings.About;
import org.spillway.head.ondemand.Warnings.Due;
import org.spillway.policy.Money;

final class WarningsTest {
    private static final Warnings.Settings USUAL =
            new Warnings.Settings(List.of(Duration.ofHours(1), Duration.ofMinutes(10)), List.of(80, 95));
    private final Set<String> told = new HashSet<>();

    /** Notices that are told at that time, and written down. */
    private List<String> tell(ClusterRecord child, String spent, Duration after) {
        return tell(child, Money.parse(spent), Kids.MADE.plus(after));
    }

    private List<String> tell(ClusterRecord child, Money spent, Instant now) {
        List<Due> due = Warnings.due(child, spent, now, USUAL, List.of("carol", "dave"), told::contains);
        due.forEach(one -> told.add(one.id()));
        return due.stream()
                .map(one -> one.id().replaceAll("^main-c1\\.|\\.\\d+$", ""))
                .toList();
    }

    @Test
    void eachWarningComesOnceInItsTime() {
        var child = Kids.running(Duration.ofHours(8), "10");
        assertThat(tell(child, "0", Duration.ofHours(6))).isEmpty();
        assertThat(tell(child, "0", Duration.ofHours(7))).containsExactly("time-3600");
        assertThat(tell(child, "0", Duration.ofHours(7).plusMinutes(1))).isEmpty();
        assertThat(tell(child, "0", Duration.ofHours(7).plusMinutes(50))).containsExactly("time-600");
        assertThat(tell(child, "0", Duration.ofHours(8))).isEmpty();
    }

    @Test
    void aHeadThatWasAwayTellsTheNearestOnly() {
        var child = Kids.running(Duration.ofHours(8), "10");
        assertThat(tell(child, "9.9", Duration.ofHours(9))).containsExactly("time-600", "spent-95");
        assertThat(tell(child, "9.9", Duration.ofHours(9))).isEmpty();
    }

    @Test
    void aShortLifeIsWarnedOfAtItsLastFifth() {
        var child = Kids.running(Duration.ofSeconds(30), "10");
        assertThat(tell(child, "0", Duration.ofSeconds(23))).isEmpty();
        assertThat(tell(child, "0", Duration.ofSeconds(24))).containsExactly("time-6");
        var hour = Kids.running(Duration.ofHours(1), "10");
        assertThat(tell(hour, "0", Duration.ofSeconds(1)))
                .as("an hour before its end is its beginning")
                .isEmpty();
        assertThat(tell(hour, "0", Duration.ofMinutes(50))).containsExactly("time-600");
    }

    @Test
    void anotherEndIsWarnedOfAgain() {
        var child = Kids.running(Duration.ofHours(2), "10");
        assertThat(tell(child, "8", Duration.ofMinutes(110))).containsExactly("time-600", "spent-80");
        var extended = Kids.running(Duration.ofHours(4), "20");
        assertThat(tell(extended, "8", Duration.ofMinutes(111))).isEmpty();
        assertThat(tell(extended, "16", Duration.ofMinutes(230))).containsExactly("time-600", "spent-80");
    }

    @Test
    void moneyThatIsGoneAtOnceIsToldBeforeTheEnd() {
        var child = Kids.made(Duration.ofHours(8), "0.01");
        assertThat(tell(child, "0.50", Duration.ofSeconds(1))).containsExactly("spent-95");
        var going = child.deleting(new Told("its budget is spent"), Kids.MADE);
        assertThat(tell(going, "0.50", Duration.ofSeconds(1))).containsExactly("ending");
        assertThat(tell(going, "0.50", Duration.ofSeconds(2))).isEmpty();
        var gone = going.gone(Money.parse("0.50"), Kids.MADE);
        assertThat(tell(gone, "0.50", Duration.ofSeconds(3))).containsExactly("ended");
        assertThat(tell(gone, "0.50", Duration.ofSeconds(4))).isEmpty();
    }

    @Test
    void oneThatEndedBeforeThereWereNoticesIsLeftInPeace() {
        var gone = Kids.running(Duration.ofHours(8), "10")
                .deleting(new Told("deleted by alice"), Kids.MADE)
                .gone(Money.ZERO, Kids.MADE);
        assertThat(tell(gone, "0", Duration.ofHours(1))).isEmpty();
    }

    @Test
    void nothingConfiguredNothingToldButTheEnd() {
        var child = Kids.running(Duration.ofSeconds(30), "1");
        var none = new Warnings.Settings(List.of(), List.of());
        assertThat(Warnings.due(child, Money.parse("2"), Kids.MADE.plusSeconds(60), none, List.of(), id -> false))
                .isEmpty();
    }

    /** However time jumps: nothing twice, and never an end without a word on what ends it. */
    @RepeatedTest(50)
    void anyPace(RepetitionInfo round) {
        var random = new Random(round.getCurrentRepetition());
        var child = Kids.running(Duration.ofSeconds(30 + random.nextInt(100_000)), "10");
        var all = new ArrayList<String>();
        Instant now = Kids.MADE;
        Money spent = Money.ZERO;
        while (true) {
            all.addAll(tell(child, spent, now));
            boolean late = !now.isBefore(child.spec().expires());
            if (late || spent.isMoreThan(child.spec().budget())) {
                assertThat(all).as("seed " + round.getCurrentRepetition()).doesNotHaveDuplicates();
                assertThat(all).anyMatch(one -> one.startsWith(late ? "time" : "spent"));
                return;
            }
            now = now.plusSeconds(1 + random.nextInt(20_000));
            spent = spent.plus(new Money(random.nextInt(2_000_000)));
        }
    }

    @Test
    void whatIsToldIsOneLineHoweverAMachineChatters() {
        var texts = new NoticeTexts("EUR");
        var child = Kids.made(Duration.ofHours(8), "2")
                .failing(new Told("stage nodes: \r\nBcc: all@example.org\u001b[2J" + "x".repeat(500)), "", Kids.MADE);
        String sentence = texts.sentence(child, About.ENDING, Money.ZERO, Kids.MADE);
        assertThat(sentence).hasSizeLessThanOrEqualTo(180).doesNotContainPattern("\\p{Cc}");
        assertThat(texts.letter(child, About.ENDED, Money.ZERO, sentence, "a\nb"))
                .doesNotContain("\r", "\nBcc", "\u001b");
    }

    @Test
    void sentencesSayHowLongAndHowMuch() {
        var texts = new NoticeTexts("EUR");
        var child = Kids.running(Duration.ofHours(8), "2");
        assertThat(texts.sentence(child, About.TIME, Money.ZERO, Kids.MADE.plusSeconds(8 * 3600 - 6)))
                .isEqualTo("cluster demo1 ends in 6 s");
        assertThat(texts.sentence(child, About.TIME, Money.ZERO, Kids.MADE.plusSeconds(7 * 3600)))
                .isEqualTo("cluster demo1 ends in 60 min");
        assertThat(texts.sentence(child, About.BUDGET, Money.parse("1.70"), Kids.MADE))
                .isEqualTo("cluster demo1 has spent 85% of its budget");
        var gone = child.deleting(new Told("its time is over"), Kids.MADE).gone(Money.parse("1.70"), Kids.MADE);
        assertThat(texts.sentence(gone, About.ENDED, Money.parse("1.70"), Kids.MADE))
                .isEqualTo("cluster demo1 has ended and has cost 1.70 EUR: its time is over");
    }

    @Test
    void whatWaitsForApprovalIsToldToItsOwnerAndToThoseWhoMayAgreeAndNothingElse() {
        var waiting = Kids.waiting(Duration.ofHours(1), "10");
        var told = new java.util.HashSet<String>();
        var due = Warnings.due(
                waiting,
                Money.ZERO,
                Kids.MADE.plus(Duration.ofDays(6)),
                USUAL,
                List.of("alice", "b_b", "b-b"),
                told::contains);
        assertThat(due.stream().map(one -> one.about() + " " + one.to()))
                .containsExactly("WAITING ", "ASKED b_b", "ASKED b-b");
        due.forEach(one -> assertThat(told.add(one.id())).isTrue());
        assertThat(Warnings.due(waiting, Money.ZERO, Kids.MADE, USUAL, List.of("alice", "b_b", "b-b"), told::contains))
                .isEmpty();
        for (var decided : List.of(
                waiting.approved("carol", Kids.MADE),
                waiting.rejected(new Told("rejected by carol: no"), "carol", Kids.MADE))) {
            assertThat(Warnings.due(decided, Money.ZERO, Kids.MADE, USUAL, List.of("carol"), told::contains))
                    .extracting(Warnings.Due::about)
                    .containsExactly(Warnings.About.DECIDED);
        }
        assertThat(Warnings.due(
                        waiting.withdrawn(new Told("withdrawn"), Kids.MADE),
                        Money.ZERO,
                        Kids.MADE,
                        USUAL,
                        List.of("carol"),
                        told::contains))
                .isEmpty();
    }
}
