package org.spillway.head.journal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.sqlite.Function;

/** The name of a stored program: a digest of its text. */
final class ProgramText {
    private ProgramText() {}

    /** SHA-256 in base64url without padding. */
    static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** Why a row of both is none of ours; empty when it is. */
    static String mistake(@Nullable Object digest, @Nullable Object body) {
        if (digest == null || body == null) {
            return "it is not whole";
        }
        try {
            EntryJson.program(body.toString());
        } catch (JournalFailure undecoded) {
            return "it cannot be decoded: " + Bodies.why(undecoded);
        }
        return digest(body.toString()).equals(digest) ? "" : "it is not what its digest says";
    }

    /** Lets migrations of that connection say {@code program_digest(text)}. */
    static void teach(Connection connection) throws SQLException {
        Function.create(connection, "program_digest", new Function() {
            @Override
            protected void xFunc() throws SQLException {
                String text = value_text(0);
                if (text == null) {
                    result();
                } else {
                    result(digest(text));
                }
            }
        });
    }
}
