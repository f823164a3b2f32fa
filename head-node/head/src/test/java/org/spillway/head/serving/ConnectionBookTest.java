package org.spillway.head.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.serving.ConnectionBook.Phase;

/** Places of connections, without any. */
final class ConnectionBookTest {
    private static final long SECOND = 1_000_000_000L;
    private final ConnectionBook<String> book = new ConnectionBook<>(new ConnectionBook.Bounds(
            10, 4, new ConnectionBook.Times(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(20))));

    @Test
    void oneBeyondAnOwnersShareTakesThePlaceOfItsOwnSlowest() {
        for (int i = 0; i < 4; i++) {
            assertThat(book.opened("a" + i, "alice", i)).isEmpty();
        }
        book.is("a0", Phase.ANSWERING, 5);
        assertThat(book.opened("b0", "bob", 6)).isEmpty();
        assertThat(book.opened("a4", "alice", 7)).containsExactly("a1");
        book.closed("a2");
        assertThat(book.opened("a5", "alice", 8)).isEmpty();
    }

    @Test
    void whoseItIsMayComeLater() {
        for (int i = 0; i < 6; i++) {
            assertThat(book.opened("s" + i, "stranger " + i, i)).isEmpty();
        }
        for (int i = 0; i < 4; i++) {
            assertThat(book.owned("s" + i, "alice", false)).isEmpty();
        }
        assertThat(book.owned("s4", "alice", false)).containsExactly("s0");
        assertThat(book.owned("s0", "alice", false)).as("it is closed").isEmpty();
    }

    @Test
    void whereAllAreTooManyTheOneWithMostGivesWay() {
        for (int i = 0; i < 8; i++) {
            assertThat(book.opened("x" + i, "user " + i, i)).isEmpty();
        }
        assertThat(book.opened("y", "user 3", 9)).isEmpty();
        assertThat(book.opened("z", "user 8", 10)).isEmpty();
        assertThat(book.opened("new", "user 9", 11)).containsExactly("x3");
    }

    @Test
    void anAdministratorAlwaysHasAPlaceAndNeverLosesIt() {
        Set<String> gone = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            gone.addAll(book.opened("r" + i, "stranger " + i, 0));
            gone.addAll(book.owned("r" + i, "root", true));
        }
        for (int i = 0; i < 1000; i++) {
            gone.addAll(book.opened("h" + i, "user " + i % 77, i));
        }
        assertThat(gone).noneMatch(one -> one.startsWith("r")).hasSize(990);
        assertThat(book.count()).isEqualTo(10);
        assertThat(book.overdue(3600 * SECOND)).hasSize(10).noneMatch(one -> one.startsWith("r"));
    }

    @Test
    void eachPhaseHasItsTimeAndTheHeadsOwnHasNone() {
        book.opened("a", "alice", 0);
        assertThat(book.overdue(10 * SECOND)).isEmpty();
        assertThat(book.overdue(10 * SECOND + 1)).containsExactly("a");
        book.is("a", Phase.READING, 10 * SECOND);
        assertThat(book.overdue(40 * SECOND)).isEmpty();
        assertThat(book.overdue(40 * SECOND + 1)).containsExactly("a");
        book.is("a", Phase.ANSWERING, 40 * SECOND);
        assertThat(book.overdue(4000 * SECOND)).isEmpty();
        book.is("a", Phase.WRITING, 4000 * SECOND);
        assertThat(book.overdue(4020 * SECOND)).isEmpty();
        assertThat(book.overdue(4020 * SECOND + 1)).containsExactly("a");
        book.closed("a");
        book.is("a", Phase.WAITING, 0);
        assertThat(book.count()).isZero();
    }

    @Test
    void peersGetAPartOfTheFileDescriptorsOnly() {
        assertThat(FileDescriptors.share(256)).isEqualTo(32);
        assertThat(FileDescriptors.share(1024)).isEqualTo(128);
        assertThat(FileDescriptors.share(1 << 20)).isEqualTo(512);
        assertThat(FileDescriptors.share()).isBetween(32, 512);
    }
}
