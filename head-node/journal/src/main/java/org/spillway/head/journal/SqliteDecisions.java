package org.spillway.head.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How decisions lie in the file: packed, each against a base that was written with an earlier one. A base is written anew
 * when this head's life begins, and when decisions have drifted too far from it. It stays while a decision needs it.
 */
final class SqliteDecisions {
    /** A base costs no more than the decisions of a few minutes. */
    private static final int DECISIONS_PER_BASE = 500;

    private final Connection writer;
    private @Nullable PackedText base;
    private int baseBytes;
    private int packedWithBase;
    private long bytesWithBase;

    SqliteDecisions(Connection writer) {
        this.writer = writer;
    }

    /** The body of a decision; writes its base first where it needs a new one. Within the caller's transaction. */
    byte[] pack(Instant at, DecisionEntry decision) throws SQLException {
        String text = EntryJson.write(decision);
        PackedText known = base;
        if (known != null && packedWithBase < DECISIONS_PER_BASE) {
            byte[] packed = known.pack(text);
            // A new base pays when what is written beside the old one has grown as large as a base.
            if (bytesWithBase + packed.length <= Math.max(1L, packedWithBase) * baseBytes / 2) {
                packedWithBase++;
                bytesWithBase += packed.length;
                return packed;
            }
        }
        byte[] whole = PackedText.whole(text);
        try (PreparedStatement insert = writer.prepareStatement(
                "INSERT OR REPLACE INTO entry (kind, id, state, live, updated_at, body_schema, body, uid)"
                        + " VALUES ('base', ?, '', 0, ?, ?, ?, NULL)")) {
            insert.setString(1, decision.id());
            insert.setLong(2, at.toEpochMilli());
            insert.setInt(3, EntryJson.SCHEMA);
            insert.setBytes(4, whole);
            insert.executeUpdate();
        }
        PackedText fresh = new PackedText(decision.id(), text);
        base = fresh;
        baseBytes = whole.length;
        packedWithBase = 1;
        byte[] packed = fresh.pack(text);
        bytesWithBase = packed.length;
        return packed;
    }

    /** The last base that was written is not there after all. */
    void forgetBase() {
        base = null;
    }

    /** Bases of decisions that are deleted, or have gone to the archive. */
    void dropUnusedBases() throws SQLException {
        try (Statement delete = writer.createStatement()) {
            PackedBases.dropUnused(delete);
        }
    }
}
