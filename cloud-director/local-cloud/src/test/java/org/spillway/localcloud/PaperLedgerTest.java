package org.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Instance;
import org.spillway.policy.Market;

final class PaperLedgerTest {
    private static final Instant NOW = Instant.parse("2026-11-21T00:00:00Z");

    @TempDir
    private Path directory;

    private static InstanceRecord record(String id) {
        return new InstanceRecord(
                id,
                "a",
                "paper",
                Market.SPOT,
                Instance.State.PENDING,
                "127.77.1.1",
                2222,
                NOW,
                NOW,
                Map.of("line", "one\ntwo"),
                false,
                false,
                -1,
                NOW,
                InstanceRecord.NEVER,
                0,
                "launched",
                "",
                InstanceRecord.Ending.NONE);
    }

    @Test
    void lastLineCountsAndACutOneDoesNot() throws Exception {
        Path file = directory.resolve("paper.log");
        InstanceRecord one = record("i-1");
        InstanceRecord ended = one.with(Instance.State.TERMINATING, "test").ended(NOW);
        try (PaperLedger ledger = PaperLedger.open(file)) {
            ledger.write(List.of(one, record("i-2")));
            ledger.write(List.of(ended));
            Files.writeString(file, "\n{\"id\":\"i-3\",\"zone", StandardOpenOption.APPEND);
            ledger.write(List.of(record("i-4")));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (PaperLedger again = PaperLedger.open(file)) {
            assertThat(again.all()).containsExactly(ended, record("i-2"), record("i-4"));
        }
    }

    @Test
    void isRewrittenWithoutTheForgottenWhenItHasGrown() throws Exception {
        Path file = directory.resolve("paper.log");
        List<InstanceRecord> many = java.util.Collections.nCopies(1000, record("i-1"));
        try (PaperLedger ledger = PaperLedger.open(file)) {
            ledger.write(List.of(record("i-2")));
            ledger.forget("i-2");
            for (int i = 0; i < 50; i++) {
                ledger.write(many);
            }
            assertThat(Files.readString(file).lines().filter(line -> !line.isEmpty()))
                    .hasSize(1);
            ledger.write(List.of(record("i-3")));
        }
        try (PaperLedger again = PaperLedger.open(file)) {
            assertThat(again.all()).containsExactly(record("i-1"), record("i-3"));
        }
    }
}
