package org.spillway.head.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JournalReport.Damage;

/**
 * A table, row by row: from its beginning to the first page that cannot be read, from its end to the last such page, and what
 * lies between by the keys of its indexes. A row that an index names and that cannot be read is lost, by its name.
 */
final class SalvagedTable {
    private final Connection from;
    private final Connection to;
    private final String table;
    private final List<String> columns;
    private final List<String> keys;
    private final @Nullable Bodies bodies;
    private final List<Damage> lost = new ArrayList<>();
    private final Set<List<Object>> refused = new LinkedHashSet<>();

    SalvagedTable(Connection from, Connection to, String table, int schema) throws SQLException {
        this.from = from;
        this.to = to;
        this.table = table;
        this.columns = names(to, "SELECT name FROM pragma_table_info('" + table + "') ORDER BY cid");
        List<String> primary =
                names(to, "SELECT name FROM pragma_table_info('" + table + "') WHERE pk > 0 ORDER BY pk");
        this.keys = primary.isEmpty() ? List.of("rowid") : primary;
        this.bodies = schema == JournalFile.SCHEMA ? new Bodies(from) : null;
    }

    static boolean isThere(Connection connection, String table) throws SQLException {
        return !names(connection, "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '" + table + "'")
                .isEmpty();
    }

    private static List<String> names(Connection connection, String query) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    List<Damage> lost() {
        return lost;
    }

    /** @return how many rows were saved */
    long save() throws SQLException {
        String torn = scan("ASC");
        if (!torn.isEmpty()) {
            scan("DESC");
            boolean isNamed = false;
            // Indexes over every row; the one of the primary key is the table itself.
            for (String index : names(
                    to, "SELECT name FROM pragma_index_list('" + table + "') WHERE origin = 'c' AND partial = 0")) {
                isNamed |= byKeys(index);
            }
            if (!isNamed) {
                lost.add(new Damage(table, "", "rows on a page that cannot be read, which nothing names: " + torn));
            }
        }
        try (Statement statement = to.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table)) {
            return rows.getLong(1);
        }
    }

    /** @return what ended it; empty when all was read */
    private String scan(String direction) throws SQLException {
        String order = keys.stream().map(key -> key + " " + direction).collect(Collectors.joining(", "));
        String query = "SELECT " + String.join(", ", columns) + ", " + String.join(", ", keys) + " FROM " + table
                + " ORDER BY " + order;
        try (PreparedStatement select = from.prepareStatement(query);
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                if (!take(rows)) {
                    // Rows of the other direction that are there already.
                    return "";
                }
            }
            return "";
        } catch (SQLException unreadable) {
            return Bodies.why(unreadable);
        }
    }

    private List<Object> key(ResultSet row, int from) throws SQLException {
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Object part = row.getObject(from + i);
            key.add(part == null ? "" : part);
        }
        return key;
    }

    private static String text(List<Object> key) {
        return key.stream().map(Object::toString).collect(Collectors.joining(" "));
    }

    /** @return whether it was new */
    private boolean take(ResultSet row) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            values.add(row.getObject(i + 1));
        }
        List<Object> key = key(row, columns.size() + 1);
        if (refused.contains(key)) {
            return false;
        }
        String why = mistake(values);
        if (!why.isEmpty()) {
            refused.add(key);
            lost.add(new Damage(table, text(key), why));
            return true;
        }
        String marks = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
        try (PreparedStatement insert = to.prepareStatement(
                "INSERT OR IGNORE INTO " + table + " (" + String.join(", ", columns) + ") VALUES (" + marks + ")")) {
            for (int i = 0; i < values.size(); i++) {
                insert.setObject(i + 1, values.get(i));
            }
            return insert.executeUpdate() == 1;
        }
    }

    /** Why a row that can be read is none of ours; empty when it is. */
    private String mistake(List<@Nullable Object> values) {
        try {
            if (bodies != null && table.equals("entry")) {
                bodies.decode(
                        String.valueOf(values.get(columns.indexOf("kind"))),
                        String.valueOf(values.get(columns.indexOf("id"))),
                        values.get(columns.indexOf("body")));
            } else if (table.equals("program")) {
                return ProgramText.mistake(values.get(columns.indexOf("digest")), values.get(columns.indexOf("body")));
            } else if (bodies != null && table.equals("transition")) {
                EntryJson.cause(String.valueOf(values.get(columns.indexOf("cause"))));
            }
            return "";
        } catch (JournalFailure undecoded) {
            return "it cannot be decoded: " + Bodies.why(undecoded);
        }
    }

    /** @return whether that index can be read to its end, so that no row is missed */
    private boolean byKeys(String index) throws SQLException {
        String where = keys.stream().map(key -> key + " = ?").collect(Collectors.joining(" AND "));
        String all = "SELECT " + String.join(", ", columns) + ", " + String.join(", ", keys) + " FROM " + table
                + " WHERE " + where;
        try (PreparedStatement named = from.prepareStatement(
                        "SELECT " + String.join(", ", keys) + " FROM " + table + " INDEXED BY " + index + " ORDER BY "
                                + String.join(", ", names(to, "SELECT name FROM pragma_index_info('" + index + "')")));
                ResultSet rows = named.executeQuery()) {
            while (rows.next()) {
                one(all, key(rows, 1));
            }
            return true;
        } catch (SQLException unreadable) {
            return false;
        }
    }

    private void one(String query, List<Object> key) throws SQLException {
        if (refused.contains(key) || isSaved(key)) {
            return;
        }
        try (PreparedStatement select = from.prepareStatement(query)) {
            bind(select, key);
            try (ResultSet row = select.executeQuery()) {
                if (row.next()) {
                    take(row);
                    return;
                }
            }
            refused.add(key);
            lost.add(new Damage(table, text(key), "an index names it, and it is not there"));
        } catch (SQLException unreadable) {
            refused.add(key);
            lost.add(new Damage(table, text(key), "its page cannot be read: " + Bodies.why(unreadable)));
        }
    }

    private boolean isSaved(List<Object> key) throws SQLException {
        String where = keys.stream().map(one -> one + " = ?").collect(Collectors.joining(" AND "));
        try (PreparedStatement select = to.prepareStatement("SELECT 1 FROM " + table + " WHERE " + where)) {
            bind(select, key);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static void bind(PreparedStatement statement, List<Object> key) throws SQLException {
        for (int i = 0; i < key.size(); i++) {
            statement.setObject(i + 1, key.get(i));
        }
    }
}
