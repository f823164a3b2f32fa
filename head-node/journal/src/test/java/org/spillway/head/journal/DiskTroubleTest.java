package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DiskTroubleTest {
    @Test
    void theRepairIsThatOfTheCause() {
        assertThat(DiskTrouble.repair("[SQLITE_FULL] the database or disk is full"))
                .isEqualTo("make room on the disk");
        assertThat(DiskTrouble.repair("[SQLITE_READONLY] attempt to write a readonly database"))
                .contains("mounted read-only");
        assertThat(DiskTrouble.repair("/state/secrets/state-id: Read-only file system"))
                .contains("mounted read-only");
        assertThat(DiskTrouble.repair("[SQLITE_IOERR_WRITE] disk I/O error")).contains("kernel's log");
    }

    @Test
    void aSlowWriteIsSaidOnceAMinute() {
        DiskTrouble disk = new DiskTrouble();
        long second = Duration.ofSeconds(1).toNanos();
        assertThat(disk.slow(second / 100, 5)).isEmpty();
        assertThat(disk.slow(4 * second, 10 * second).orElseThrow())
                .contains("took 4.0 s")
                .contains("slow or busy");
        assertThat(disk.slow(4 * second, 20 * second)).isEmpty();
        assertThat(disk.slow(4 * second, 80 * second)).isPresent();
    }
}
