package org.spillway.head.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Numbers that are given once, in blocks: none of a block is given before the block is durable. Under the writer's lock. */
final class SqliteNumbers {
    private static final String READ = "SELECT value FROM counter WHERE name = 'sequence'";

    private final Connection writer;
    private final KeptPast past;
    private long lastGiven;
    private long lastReserved;

    SqliteNumbers(Connection writer, KeptPast past) {
        this.writer = writer;
        this.past = past;
    }

    long left() {
        return lastReserved - lastGiven;
    }

    long next() {
        return ++lastGiven;
    }

    /** Makes a block durable, which follows the rest of the block before. */
    void reserve(int count) throws SQLException {
        boolean first = lastReserved == 0;
        try (Statement statement = writer.createStatement()) {
            past.reserve(value(statement) + count);
            statement.executeUpdate("UPDATE counter SET value = value + " + count + " WHERE name = 'sequence'");
            long last = value(statement);
            writer.commit();
            lastGiven = first ? last - count : lastGiven;
            lastReserved = last;
        }
    }

    private static long value(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery(READ)) {
            return rows.getLong(1);
        }
    }

    /** Gives the rest of the block back, so that an orderly stop leaves no gap. */
    void giveBack() throws SQLException {
        if (left() == 0) {
            return;
        }
        try (PreparedStatement update =
                writer.prepareStatement("UPDATE counter SET value = ? WHERE name = 'sequence'")) {
            update.setLong(1, lastGiven);
            update.executeUpdate();
        }
        writer.commit();
        lastReserved = lastGiven;
    }
}
