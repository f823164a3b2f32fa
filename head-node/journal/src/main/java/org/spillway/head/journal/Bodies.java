package org.spillway.head.journal;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Bodies of rows, decoded one after the other: the base of many decisions in a row is unpacked once. */
final class Bodies {
    private final Connection connection;
    private String baseId = "";
    private String base = "";

    Bodies(Connection connection) {
        this.connection = connection;
    }

    /**
     * @param body text or packed bytes
     * @return the entry; null for a base and for a decision, whose snapshots are unpacked but not read
     * @throws JournalFailure if it cannot be decoded
     */
    @Nullable
    Entry decode(String kind, String id, @Nullable Object body) {
        if (body == null) {
            throw new JournalFailure("it has no body");
        }
        try {
            if (!(body instanceof byte[] packed)) {
                return EntryJson.read(kind, id, body.toString());
            }
            if (kind.equals("base")) {
                PackedText.unpack(packed, "");
                return null;
            }
            String needed = PackedText.baseOf(packed);
            String text = PackedText.unpack(packed, needed.isEmpty() ? "" : base(needed));
            // Thousands of decisions about thousands of nodes take minutes to read, and no head needs them.
            return kind.equals("decision") ? null : EntryJson.read(kind, id, text);
        } catch (IOException | SQLException damaged) {
            throw new JournalFailure("it cannot be unpacked: " + damaged.getMessage(), damaged);
        }
    }

    private String base(String id) throws SQLException, IOException {
        if (!baseId.equals(id)) {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT body FROM entry WHERE kind = 'base' AND id = ?")) {
                select.setString(1, id);
                try (ResultSet rows = select.executeQuery()) {
                    if (!rows.next()) {
                        throw new IOException("what it was packed with, " + id + ", is not there");
                    }
                    base = PackedText.unpack(rows.getBytes(1), "");
                    baseId = id;
                }
            }
        }
        return base;
    }

    /** The reason of a failure in few words. */
    static String why(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        String said = String.valueOf(last.getMessage()).lines().findFirst().orElse("");
        return said.length() <= 200 ? said : said.substring(0, 200) + "...";
    }
}
