package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.journal.NoticeRecord;
import org.spillway.head.journal.NoticeRecord.Status;
import org.spillway.head.mail.Addresses;
import org.spillway.head.mail.Letter;
import org.spillway.head.mail.MailRefused;
import org.spillway.policy.Money;

final class NoticesTest {
    private final JournalStore store = new MemoryJournalStore();
    private Journal journal = new Journal(store, Instant.EPOCH);
    private final StepEffects effects = new StepEffects();
    private final List<Letter> sent = new ArrayList<>();
    private @Nullable IOException trouble;
    private Instant now = Kids.MADE;
    private Money spent = Money.ZERO;
    private Notices notices = notices(true, "example.org");

    private Notices notices(boolean mail, String domain) {
        var post = new Notices.Post(
                letter -> {
                    if (trouble != null) {
                        throw trouble;
                    }
                    sent.add(letter);
                },
                new Addresses(user -> "", domain));
        return new Notices(
                journal,
                effects,
                new Warnings.Settings(List.of(Duration.ofMinutes(10)), List.of(80)),
                new NoticeTexts("EUR"),
                mail ? Optional.of(post) : Optional.empty(),
                (child, at) -> spent,
                () -> List.of("alice", "carol", "dave"),
                () -> now);
    }

    private void tick(Duration after) {
        now = Kids.MADE.plus(after);
        effects.handBack();
        notices.advance(now, false);
    }

    private void restart() {
        journal = new Journal(store, Instant.EPOCH);
        effects.forget();
        notices = notices(true, "example.org");
    }

    private List<String> subjects() {
        return sent.stream().map(Letter::subject).toList();
    }

    private List<Status> statuses() {
        return journal.notices("main-c1").stream().map(NoticeRecord::status).toList();
    }

    @Test
    void aLetterIsWrittenDownThenSentThenNeverAgain() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "10"));
        tick(Duration.ofMinutes(50));
        assertThat(statuses()).as("before anything is sent").containsExactly(Status.WAITING);
        assertThat(notices.isBusy()).isTrue();
        tick(Duration.ofMinutes(51));
        assertThat(statuses()).containsExactly(Status.SENT);
        assertThat(subjects()).containsExactly("[spillway] cluster demo1 ends in 10 min");
        restart();
        tick(Duration.ofMinutes(52));
        tick(Duration.ofMinutes(53));
        assertThat(sent).hasSize(1);
        assertThat(store.timeline(
                        "notice", journal.notices("main-c1").getFirst().id()))
                .extracting(JournalStore.Transition::to)
                .containsExactly("WAITING", "SENT");
    }

    @Test
    void aHeadThatIsKilledBeforeItSendsSendsInItsNextLife() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "10"));
        tick(Duration.ofMinutes(50));
        restart();
        tick(Duration.ofMinutes(55));
        tick(Duration.ofMinutes(56));
        assertThat(subjects()).containsExactly("[spillway] cluster demo1 ends in 10 min");
    }

    @Test
    void aServerThatIsAwayIsToldOnceAndTriedLessAndLessUntilItIsThere() {
        journal.commit(now, Kids.running(Duration.ofHours(1), "10"));
        trouble = new IOException("mail server x:25: away");
        tick(Duration.ofMinutes(50));
        for (int second = 1; second < 600; second++) {
            tick(Duration.ofMinutes(50).plusSeconds(second));
        }
        var notice = journal.notices("main-c1").getFirst();
        assertThat(notice.status()).isEqualTo(Status.DELAYED);
        assertThat(notice.why()).contains("away");
        assertThat(store.timeline("notice", notice.id())).hasSize(2);
        assertThat(notices.isBusy()).isFalse();
        trouble = null;
        for (int second = 600; second < 1300 && sent.isEmpty(); second++) {
            tick(Duration.ofMinutes(50).plusSeconds(second));
        }
        assertThat(sent).hasSize(1);
        assertThat(journal.notices("main-c1").getFirst().status()).isEqualTo(Status.SENT);
    }

    @Test
    void itIsGivenUpAfterADayAndAtOnceWhenTheServerWillNeverTakeIt() {
        journal.commit(now, Kids.running(Duration.ofDays(3), "10"));
        trouble = new IOException("away");
        tick(Duration.ofDays(3).minusMinutes(10));
        tick(Duration.ofDays(3));
        tick(Duration.ofDays(5));
        tick(Duration.ofDays(5).plusSeconds(1));
        assertThat(journal.notices("main-c1").getFirst().status()).isEqualTo(Status.NOT_SENT);
        spent = Money.parse("9");
        trouble = new MailRefused("550 nobody");
        tick(Duration.ofDays(5).plusSeconds(2));
        tick(Duration.ofDays(5).plusSeconds(3));
        assertThat(statuses()).containsOnly(Status.NOT_SENT).hasSize(2);
    }

    @Test
    void lettersOfAClusterGoInTheirOrder() {
        var child = Kids.running(Duration.ofHours(1), "10");
        journal.commit(now, child);
        trouble = new IOException("away");
        tick(Duration.ofMinutes(50));
        tick(Duration.ofMinutes(51));
        var going = child.deleting(new Told("its time is over"), now);
        journal.commit(now, going);
        tick(Duration.ofMinutes(60));
        journal.commit(now, going.gone(Money.parse("1.20"), now));
        trouble = null;
        for (int second = 1; second < 1200; second++) {
            tick(Duration.ofMinutes(60).plusSeconds(second));
        }
        assertThat(subjects())
                .containsExactly(
                        "[spillway] cluster demo1 ends in 10 min",
                        "[spillway] cluster demo1 has ended and has cost 0.00 EUR: its time is over");
        assertThat(journal.notices("main-c1").stream().map(NoticeRecord::sentence))
                .contains("cluster demo1 is being removed: its time is over");
    }

    @Test
    void withoutAServerOrAnAddressItStandsInTheTimeline() {
        notices = notices(false, "");
        journal.commit(now, Kids.running(Duration.ofHours(1), "10"));
        tick(Duration.ofMinutes(50));
        assertThat(statuses()).containsExactly(Status.TOLD);
        notices = notices(true, "");
        spent = Money.parse("9");
        tick(Duration.ofMinutes(51));
        assertThat(journal.notices("main-c1").getLast().why()).contains("no mail address of alice");
        assertThat(sent).isEmpty();
    }

    @Test
    void thoseWhoMayAgreeAreAskedAndTheOwnerHearsWhatTheySaid() {
        var waiting = Kids.waiting(Duration.ofHours(1), "10");
        journal.commit(now, waiting);
        tick(Duration.ZERO);
        tick(Duration.ofSeconds(1));
        tick(Duration.ofSeconds(2));
        assertThat(sent)
                .extracting(letter -> letter.to() + " " + letter.subject())
                .containsExactlyInAnyOrder(
                        "alice@example.org [spillway] cluster demo1 waits for approval: nodes: found 2; at most 1 together",
                        "carol@example.org [spillway] alice asks for cluster demo1: nodes: found 2; at most 1 together",
                        "dave@example.org [spillway] alice asks for cluster demo1: nodes: found 2; at most 1 together");
        assertThat(sent.stream()
                        .filter(letter -> letter.to().startsWith("carol"))
                        .findFirst())
                .hasValueSatisfying(letter -> assertThat(letter.text())
                        .contains("2 x small", "10.00 EUR", "until    2026-11-29", "cluster approve demo1")
                        .doesNotContain("spent"));
        sent.clear();
        var rejected = waiting.rejected(new Told("rejected by carol: not now"), "carol", now);
        journal.commit(now, rejected);
        restart();
        tick(Duration.ofSeconds(3));
        tick(Duration.ofSeconds(4));
        assertThat(subjects()).containsExactly("[spillway] cluster demo1 was not made: rejected by carol: not now");
    }

    @Test
    void whoAgreedIsToldToTheOwner() {
        var waiting = Kids.waiting(Duration.ofHours(5), "10");
        journal.commit(now, waiting);
        tick(Duration.ZERO);
        now = Kids.MADE.plusSeconds(3600);
        journal.commit(now, waiting.approved("carol", now));
        tick(Duration.ofSeconds(3601));
        tick(Duration.ofSeconds(3602));
        assertThat(subjects()).contains("[spillway] cluster demo1 is approved by carol");
    }
}
