package org.spillway.head.journal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How programs lie in the file: each once, under its digest, whatever number of jobs run it. Digests of the latest are
 * remembered, so that a job which changes its state does not write its script again. Under the store's lock.
 */
final class SqlitePrograms {
    /** Together, of what is remembered. */
    private static final long MOST_CHARACTERS = 1 << 20;
    /** Looked at in one go for such as no job runs any more: well below a millisecond. */
    private static final int SWEPT_AT_ONCE = 200;

    private final Connection writer;
    private final PreparedSql sql;
    private final Map<JobSpec.Program, String> known = new LinkedHashMap<>(16, 0.75f, true);
    private long characters;
    private long sweptTo;

    SqlitePrograms(Connection writer, PreparedSql sql) {
        this.writer = writer;
        this.sql = sql;
    }

    /** Names a program by its digest, for those who run it; writes it where it is not there. Within the caller's transaction. */
    String put(JobSpec.Program program) throws SQLException {
        String digest = known.get(program);
        if (digest != null) {
            return digest;
        }
        String body = EntryJson.write(program);
        digest = ProgramText.digest(body);
        PreparedStatement insert = sql.of("INSERT OR IGNORE INTO program (digest, body) VALUES (?, ?)");
        insert.setString(1, digest);
        insert.setString(2, body);
        insert.executeUpdate();
        remember(program, digest);
        return digest;
    }

    private void remember(JobSpec.Program program, String digest) {
        known.put(program, digest);
        characters += size(program);
        for (Iterator<JobSpec.Program> oldest = known.keySet().iterator(); characters > MOST_CHARACTERS; ) {
            characters -= size(oldest.next());
            oldest.remove();
        }
    }

    private static long size(JobSpec.Program program) {
        return UserLoads.Load.bytes(program);
    }

    /** Programs that were written last may not be there after all. */
    void forget() {
        known.clear();
        characters = 0;
    }

    /** Deletes of the next few those that no job runs; from the first again behind the last. Within the caller's transaction. */
    int sweep() throws SQLException {
        List<String> unused = new ArrayList<>();
        long last = sweptTo;
        int looked = 0;
        try (PreparedStatement select = writer.prepareStatement(
                "SELECT id, digest, EXISTS (SELECT 1 FROM entry WHERE entry.program = program.digest) FROM program"
                        + " WHERE id > ? ORDER BY id LIMIT " + SWEPT_AT_ONCE)) {
            select.setLong(1, sweptTo);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    looked++;
                    last = rows.getLong(1);
                    if (rows.getInt(3) == 0) {
                        unused.add(Objects.requireNonNull(rows.getString(2)));
                    }
                }
            }
        }
        sweptTo = looked < SWEPT_AT_ONCE ? 0 : last;
        drop(unused);
        return unused.size();
    }

    /** Deletes those of these that no job runs. Within the caller's transaction. */
    void drop(List<String> digests) throws SQLException {
        if (digests.isEmpty()) {
            return;
        }
        forget();
        try (PreparedStatement delete = writer.prepareStatement("DELETE FROM program WHERE digest = ?1 AND NOT EXISTS"
                + " (SELECT 1 FROM entry WHERE entry.program = ?1)")) {
            for (String digest : digests) {
                delete.setString(1, digest);
                delete.executeUpdate();
            }
        }
    }
}
