package org.spillway.head.journal;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Bases that decisions are packed with: where a decision lies, its base lies, too. Within the caller's transaction. */
final class PackedBases {
    private PackedBases() {}

    /** Copies those of some decisions from the attached journal. */
    static void copy(Connection to, List<String> decisions) throws SQLException {
        Set<String> bases = new HashSet<>();
        try (PreparedStatement body =
                to.prepareStatement("SELECT body FROM journal.entry WHERE kind = 'decision' AND id = ?")) {
            for (String decision : decisions) {
                body.setString(1, decision);
                try (ResultSet rows = body.executeQuery()) {
                    if (rows.next() && rows.getObject(1) instanceof byte[] packed) {
                        bases.add(baseOf(packed));
                    }
                }
            }
        }
        try (PreparedStatement base = to.prepareStatement("INSERT OR REPLACE INTO main.entry"
                + " (kind, id, state, live, updated_at, body_schema, body, uid, program)"
                + " SELECT kind, id, state, live, updated_at, body_schema, body, uid, program"
                + " FROM journal.entry WHERE kind = 'base' AND id = ?")) {
            for (String id : bases) {
                base.setString(1, id);
                base.executeUpdate();
            }
        }
    }

    /** Empty for none, and for a damaged one, which is moved as it is: 'state check' names it in either file. */
    private static String baseOf(byte[] packed) {
        try {
            return PackedText.baseOf(packed);
        } catch (IOException damaged) {
            return "";
        }
    }

    /** All decisions of a base are younger than it and not younger than the next one. */
    static void dropUnused(Statement statement) throws SQLException {
        statement.executeUpdate(
                "DELETE FROM main.entry WHERE kind = 'base' AND updated_at < (SELECT max(updated_at) FROM main.entry"
                        + " WHERE kind = 'base' AND live = 0 AND updated_at <= coalesce((SELECT min(updated_at)"
                        + " FROM main.entry WHERE kind = 'decision' AND live = 0), 9223372036854775807))");
    }
}
