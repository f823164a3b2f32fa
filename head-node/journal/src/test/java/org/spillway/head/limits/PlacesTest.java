package org.spillway.head.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.DelegatedRecord.State;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.LaunchEntry;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.journal.NodeRecord;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** H3: what our own instances hold comes free by an event, and refusals for that hold no longer. */
final class PlacesTest {
    private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
    private static final OfferingId WEST = new OfferingId("west", "a", "small", Market.ON_DEMAND);

    private final Places places = new Places();

    private static NodeRecord node(String id, String site) {
        return NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = site;
        });
    }

    private static DelegatedRecord bought(int count) {
        LaunchRequest request = LaunchRequest.of("i1", 1, WEST, count);
        return new DelegatedRecord(
                "main-c1",
                request.token(),
                request,
                State.CALLED,
                List.of(new DelegatedRecord.Price(WEST, Money.parse("1"))),
                Duration.ofMinutes(1),
                NOW,
                NOW,
                null,
                List.of(),
                List.of(),
                Cause.NONE);
    }

    @Test
    void theEndOfANodeFreesItsSiteOnce() {
        assertThat(places.freed(List.of(node("n1", "west"), node("n2", "east")), List.of()))
                .isEmpty();
        assertThat(places.freed(List.of(node("n2", "east")), List.of())).containsExactly("west");
        assertThat(places.freed(List.of(node("n2", "east")), List.of())).isEmpty();
    }

    @Test
    void theEndOfAChildsInstanceFreesItsSite() {
        assertThat(places.freed(List.of(), List.of(bought(2)))).isEmpty();
        assertThat(places.freed(List.of(), List.of(bought(2).to(State.ENDED, Cause.NONE, NOW))))
                .containsExactly("west");
    }

    @Test
    void refusalsForWantOfAPlaceAreForgottenThereAndNoOthers() {
        Journal journal = new Journal(new MemoryJournalStore(), Instant.EPOCH);
        LaunchRecord launched = new LaunchRecord(NOW, WEST, 1, new LaunchOutcome.Launched(1));
        journal.commit(NOW, new LaunchEntry("i1", launched));
        journal.commit(NOW, new LaunchEntry("i2", refused(Reason.OCCUPIED)));
        journal.commit(NOW, new LaunchEntry("i3", refused(Reason.QUOTA)));
        journal.commit(NOW, new LaunchEntry("i4", refused(Reason.CAPACITY)));
        journal.forgetFull("east");
        assertThat(journal.launches()).hasSize(4);
        journal.forgetFull("west");
        assertThat(journal.launches()).containsExactly(launched, refused(Reason.CAPACITY));
    }

    private static LaunchRecord refused(Reason reason) {
        return new LaunchRecord(NOW, WEST, 1, new LaunchOutcome.Refused(reason, "no"));
    }
}
