package org.spillway.head.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * Statements of one connection, each parsed once: parsing takes as long as a look-up by a key. They end with the
 * connection. Under the lock of that, and none within itself: its last rows would end.
 */
final class PreparedSql {
    private final Connection connection;
    private final Map<String, PreparedStatement> known = new HashMap<>();

    PreparedSql(Connection connection) {
        this.connection = connection;
    }

    /** @param sql a constant of the code: all that were ever asked for are kept; whoever gets it does not close it */
    PreparedStatement of(String sql) throws SQLException {
        PreparedStatement statement = known.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            known.put(sql, statement);
        }
        return statement;
    }

    /** After a failure, which may have left any of them half way. */
    void forget() {
        for (PreparedStatement statement : known.values()) {
            try {
                statement.close();
            } catch (SQLException alreadyGone) {
                // The failure itself is told.
                continue;
            }
        }
        known.clear();
    }
}
