package org.spillway.head.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Deletes from the journal what has gone to the archive, some entries at a time. Under the store's lock, within the caller's transaction. */
final class SqliteDeletion {
    /** So that a write waits a few milliseconds for it at most. */
    static final int AT_ONCE = 100;

    private final Connection writer;
    private final SqlitePrograms programs;
    private final SqliteDecisions decisions;

    SqliteDeletion(Connection writer, SqlitePrograms programs, SqliteDecisions decisions) {
        this.writer = writer;
        this.programs = programs;
        this.decisions = decisions;
    }

    /** Deletes what the archive has now, with all that belongs to it. @return how many entries */
    int letGo(List<Archive.Old> copied) throws SQLException {
        int deleted = 0;
        List<String> digests = new ArrayList<>();
        try (PreparedStatement entry = writer.prepareStatement(
                        "DELETE FROM entry WHERE kind = ? AND id = ? AND live = 0 AND updated_at = ?");
                PreparedStatement lines = writer.prepareStatement("DELETE FROM transition WHERE kind = ? AND id = ?");
                PreparedStatement key = writer.prepareStatement(
                        "DELETE FROM submission WHERE uid = ? AND idempotency_key = ? AND job = ?")) {
            for (Archive.Old one : copied) {
                entry.setString(1, one.kind());
                entry.setString(2, one.id());
                entry.setLong(3, one.at());
                if (entry.executeUpdate() == 0) {
                    // Written meanwhile: newer than its copy, it stays for the next time.
                    continue;
                }
                deleted++;
                lines.setString(1, one.kind());
                lines.setString(2, one.id());
                lines.executeUpdate();
                key.setInt(1, one.uid());
                key.setString(2, one.key());
                key.setString(3, one.id());
                key.executeUpdate();
                if (one.program() != null) {
                    digests.add(one.program());
                }
            }
        }
        programs.drop(digests);
        if (copied.stream().anyMatch(one -> one.kind().equals(DecisionEntry.KIND))) {
            decisions.dropUnusedBases();
        }
        return deleted;
    }
}
