package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FineTimesTest {
    private static final long CHANGED = 1_800_000_000_123_456_789L;

    @TempDir
    Path folder;

    @Test
    void timesOfThisMachinesOwnDiskAreFineUnlessTheyEndInZeros() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "a");
        assumeTrue(Files.getFileStore(file).type().matches("ext4|xfs|btrfs|tmpfs"), "a disk that is known");
        assertThat(new FineTimes().are(file, 1, CHANGED)).isTrue();
        assertThat(new FineTimes().are(file, 1, 1_800_000_000_000_000_000L))
                .as("ext3, and ext4 with small inodes")
                .isFalse();
        assertThat(new FineTimes().are(file, 1, 1_800_000_000_123_000_000L)).isFalse();
    }

    @Test
    void whatIsNotKnownToBeSoIsCoarse() {
        assertThat(new FineTimes().are(Path.of("/proc/self/stat"), 1, CHANGED)).isFalse();
        assertThat(new FineTimes().are(folder.resolve("gone"), 2, CHANGED)).isFalse();
    }
}
