package org.spillway.head.journal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The file of a journal by SQL, past the store. */
record RawJournal(Path state) {
    List<String> read(String sql) throws SQLException {
        try (Connection other = connect();
                Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection other = connect();
                Statement statement = other.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    String schema() throws SQLException {
        return String.join(";\n", read("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name"))
                + ";\n";
    }

    static String resource(String name) throws IOException {
        try (InputStream in = RawJournal.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + state.resolve("journal.db"));
    }
}
