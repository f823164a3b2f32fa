package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserFiles.Stamp;

final class DigestBookTest {
    private static final Instant CHANGED = Instant.ofEpochSecond(1_800_000_000, 123_456_789);
    private static final List<Digest> PIECES = List.of(Digest.of(Sha256.digest().digest(new byte[] {1})));

    @TempDir
    Path folder;

    private static Source source(boolean fine) {
        long changed = TimeUnit.SECONDS.toNanos(CHANGED.getEpochSecond()) + CHANGED.getNano();
        return new Source(new Packed("/a", "a", 1, 7, false), new Stamp("(dev=1,ino=2)", changed, fine));
    }

    /** @return whether the next head knows a file that was looked at so long after it was changed */
    private boolean isKnown(boolean fine, long millisLater) {
        Path file = folder.resolve(fine + "-" + millisLater);
        DigestBook book = DigestBook.read(file);
        book.put(source(fine), PIECES, CHANGED.plusMillis(millisLater));
        book.write();
        return PIECES.equals(DigestBook.read(file).of(source(fine)));
    }

    /** As git does of its index: what may have been changed once more within one tick of the clock is read again. */
    @Test
    void aFileOfAMomentAgoIsReadAgainAndTheMomentIsTheClocksThatMadeItsTime() {
        assertThat(isKnown(true, 100)).isFalse();
        assertThat(isKnown(true, 101)).isTrue();
        assertThat(isKnown(false, 101))
                .as("counted by the second, or by another machine")
                .isFalse();
        assertThat(isKnown(false, 2000)).isFalse();
        assertThat(isKnown(false, 2001)).isTrue();
        assertThat(isKnown(true, -5000)).as("a clock that was set back").isFalse();
    }
}
