package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles.Found;
import org.spillway.stage.worker.UserFiles.Stamp;

final class RecentFindsTest {
    private static final Identity ADA = new Identity("ada", 1000, 1000, List.of());

    private Instant now = Instant.EPOCH;
    private final RecentFinds recent = new RecentFinds(() -> now);

    private static List<Found> files(int count, String path) {
        return Collections.nCopies(count, new Found(path, path, 1, 0, false, new Stamp("1", 1, true)));
    }

    private List<Found> kept(Identity who, String pattern) {
        return recent.of(who, pattern).map(RecentFinds.Scan::files).orElse(List.of());
    }

    @Test
    void aLookIsKeptForAMomentAndForItsUserAlone() throws IOException {
        assertThat(recent.look(ADA, "/d", () -> files(2, "/d/a"))).hasSize(2);
        assertThat(kept(ADA, "/d")).hasSize(2);
        assertThat(kept(ADA, "/e")).isEmpty();
        assertThat(kept(new Identity("bob", 1001, 1000, List.of()), "/d")).isEmpty();
        assertThat(kept(new Identity("ada", 1000, 1000, List.of(4)), "/d"))
                .as("with other groups other files may be read")
                .isEmpty();
        now = now.plus(RecentFinds.KEPT);
        assertThat(kept(ADA, "/d")).hasSize(2);
        now = now.plusMillis(1);
        assertThat(kept(ADA, "/d")).isEmpty();
    }

    @Test
    void aClockThatWasSetBackKeepsNothingForLong() throws IOException {
        now = Instant.EPOCH.plus(Duration.ofDays(1));
        recent.look(ADA, "/d", () -> files(1, "/d/a"));
        now = Instant.EPOCH;
        assertThat(kept(ADA, "/d")).isEmpty();
    }

    @Test
    void itsTimeIsThatBeforeItBegan() throws IOException {
        recent.look(ADA, "/d", () -> {
            now = now.plusSeconds(100);
            return files(1, "/d/a");
        });
        assertThat(recent.of(ADA, "/d"))
                .hasValueSatisfying(scan -> assertThat(scan.begun()).isEqualTo(Instant.EPOCH));
    }

    /** A later submission has seen no less than what was there then. */
    @Test
    void theLookThatBeganLastCountsWhicheverEndsFirst() throws IOException {
        recent.look(ADA, "/d", () -> {
            recent.look(ADA, "/d", () -> files(2, "/d/later"));
            assertThat(kept(ADA, "/d")).hasSize(2);
            return files(1, "/d/earlier");
        });
        assertThat(kept(ADA, "/d")).hasSize(2);
    }

    @Test
    void whileItLooksAndWhenThatFailedThereIsNone() throws IOException {
        recent.look(ADA, "/d", () -> files(1, "/d/a"));
        assertThatThrownBy(() -> recent.look(ADA, "/d", () -> {
                    assertThat(kept(ADA, "/d")).isEmpty();
                    throw new FileRefused("/d: permission denied");
                }))
                .isInstanceOf(FileRefused.class);
        assertThat(kept(ADA, "/d")).isEmpty();
    }

    @Test
    void whatTheHeadWritesForAUserMakesItsFilesOthers() throws IOException {
        Identity bob = new Identity("bob", 1001, 1000, List.of());
        recent.look(ADA, "/d", () -> files(1, "/d/a"));
        recent.look(bob, "/d", () -> files(1, "/d/a"));
        recent.forget(ADA);
        assertThat(kept(ADA, "/d")).isEmpty();
        assertThat(kept(bob, "/d")).hasSize(1);
        recent.look(ADA, "/d", () -> {
            recent.forget(ADA);
            return files(1, "/d/a");
        });
        assertThat(kept(ADA, "/d")).as("of before that").isEmpty();
    }

    @Test
    void nothingLargeIsKeptAndAllTogetherIsBounded() throws IOException {
        recent.look(ADA, "/large", () -> files(RecentFinds.FILES_MOST + 1, "/large/a"));
        assertThat(kept(ADA, "/large")).isEmpty();
        recent.look(ADA, "/one", () -> files(RecentFinds.FILES_MOST / 2 + 1, "/one/a"));
        recent.look(ADA, "/two", () -> files(RecentFinds.FILES_MOST / 2 + 1, "/two/a"));
        assertThat(kept(ADA, "/one")).isEmpty();
        assertThat(kept(ADA, "/two")).hasSize(RecentFinds.FILES_MOST / 2 + 1);
    }
}
