package org.spillway.head.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Entries of a kind that nobody needs any more, with their timelines. Within the writer's transaction. */
final class Pruning {
    /** So that a write waits a few milliseconds for pruning at most. */
    private static final int DELETED_AT_ONCE = 100;

    private Pruning() {}

    /** @param most of them stay when they are new enough @return the ids of those that are deleted */
    static List<String> delete(Connection writer, String kind, Instant before, int most) throws SQLException {
        List<String> ids = past(writer, kind, before, most);
        delete(writer, "DELETE FROM entry WHERE kind = ? AND id = ?", kind, ids);
        delete(writer, "DELETE FROM transition WHERE kind = ? AND id = ?", kind, ids);
        return ids;
    }

    private static List<String> past(Connection writer, String kind, Instant before, int most) throws SQLException {
        List<String> ids = new ArrayList<>();
        try (PreparedStatement select = writer.prepareStatement("SELECT id FROM entry WHERE kind = ?1 AND live = 0"
                + " AND (updated_at < ?2 OR updated_at < (SELECT updated_at FROM entry WHERE kind = ?1 AND live = 0"
                + " ORDER BY updated_at DESC LIMIT 1 OFFSET ?3)) ORDER BY updated_at LIMIT " + DELETED_AT_ONCE)) {
            select.setString(1, kind);
            select.setLong(2, before.toEpochMilli());
            select.setInt(3, most - 1);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getString(1));
                }
            }
        }
        return ids;
    }

    private static void delete(Connection writer, String sql, String kind, List<String> ids) throws SQLException {
        try (PreparedStatement delete = writer.prepareStatement(sql)) {
            for (String id : ids) {
                delete.setString(1, kind);
                delete.setString(2, id);
                delete.executeUpdate();
            }
        }
    }
}
