package org.spillway.stage.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.store.PieceIntake;
import org.spillway.stage.store.PieceStore;

/** Files from servers that cut, lie, change their minds, or want to be left alone. */
@Timeout(120)
final class PullerTest extends PullScene {
    private static final String TAG = "\"one\"";
    private static final String OTHER = "\"two\"";
    private final byte[] file = noise(20_000_000, 1);

    @Test
    void aFileComes() throws Exception {
        byte[] small = noise(1000, 2);
        try (var server = new OddServer(
                identity,
                (asked, number, out) ->
                        OddServer.serve(asked, asked.target().equals("/large") ? file : small, TAG, out))) {
            assertThat(comes(pull(server.url("/large")), file).kept()).isFalse();
            comes(pull(server.url("/small?a=b")), small);
            assertThat(moved.get()).isEqualTo(file.length + small.length);
            assertThat(server.asked).extracting(OddServer.Asked::target).containsExactly("/large", "/small?a=b");
        }
    }

    @Test
    void anEmptyOneDoes() throws Exception {
        try (var server =
                new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, new byte[0], TAG, out))) {
            comes(pull(server.url("/")), new byte[0]);
        }
    }

    @Test
    void aFileThatIsHereDoesNotComeAgain() throws Exception {
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, file, TAG, out))) {
            comes(pull(server.url("/f")), file);
            assertThat(comes(pull(server.url("/f")), file).kept()).isTrue();
            assertThat(server.asked.getLast().field("if-none-match")).isEqualTo(TAG);
        }
    }

    @Test
    void oneThatIsAnotherNowComesAnewAndThatIsSaid() throws Exception {
        byte[] other = noise(9_000_000, 3);
        try (var server = new OddServer(
                identity,
                (asked, number, out) ->
                        OddServer.serve(asked, number == 1 ? file : other, number == 1 ? TAG : OTHER, out))) {
            assertThat(comes(pull(server.url("/f")), file).changed()).isFalse();
            assertThat(comes(pull(server.url("/f")), other).changed()).isTrue();
            assertThat(moved.get()).isEqualTo(file.length + other.length);
        }
    }

    /** A part of a body, and an end. */
    private static void cut(OddServer.Asked asked, byte[] file, String tag, int bytes, OutputStream out)
            throws IOException {
        int from = asked.field("if-range").equals(tag) ? (int) asked.from() : 0;
        out.write(
                from == 0
                        ? OddServer.head("200 OK", "ETag: " + tag, "Content-Length: " + file.length)
                        : OddServer.head(
                                "206 Partial Content",
                                "ETag: " + tag,
                                "Content-Range: bytes " + from + "-" + (file.length - 1) + "/" + file.length,
                                "Content-Length: " + (file.length - from)));
        out.write(file, from, Math.min(bytes, file.length - from));
        out.flush();
        if (bytes < file.length - from) {
            throw new IOException("cut");
        }
    }

    @Test
    void aCutBodyGoesOnAtTheVeryByte() throws Exception {
        AtomicLong sent = new AtomicLong();
        try (var server = new OddServer(identity, (asked, number, out) -> {
            int part = 1_234_567;
            sent.addAndGet(Math.min(part, file.length - asked.from()));
            cut(asked, file, TAG, part, out);
        })) {
            comes(pull(server.url("/f")), file);
            assertThat(sent.get()).as("bytes that were sent").isEqualTo(file.length);
            assertThat(server.asked).hasSize(17);
        }
    }

    @Test
    void afterAKillItGoesOnFromItsLastPack() throws Exception {
        try (var server = new OddServer(identity, (asked, number, out) -> {
            if (number == 1) {
                cut(asked, file, TAG, 17_000_000, out);
            } else if (number <= 9) {
                throw new IOException("gone");
            } else {
                OddServer.serve(asked, file, TAG, out);
            }
        })) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.BROKEN);
            assertThat(moved.get()).isZero();
            comes(pull(server.url("/f")), file);
            assertThat(server.asked.getLast().from()).isEqualTo(16L << 20);
        }
    }

    @Test
    void whereThereAreNoPartsAllOfItComesAgain() throws Exception {
        try (var server = new OddServer(identity, (asked, number, out) -> {
            out.write(OddServer.head("200 OK", "Content-Length: " + file.length));
            out.write(file, 0, number == 1 ? 5_000_000 : file.length);
            out.flush();
            if (number == 1) {
                throw new IOException("cut");
            }
        })) {
            comes(pull(server.url("/f")), file);
            assertThat(server.asked).hasSize(2);
            assertThat(server.asked.getLast().field("range")).isEmpty();
        }
    }

    @Test
    void aPartOfAnotherFileIsNotPutBehindTheFirst() throws Exception {
        byte[] other = noise(20_000_000, 4);
        try (var server = new OddServer(identity, (asked, number, out) -> {
            if (number == 1) {
                cut(asked, file, TAG, 10_000_000, out);
            }
            // A server that has never heard of If-Range.
            int from = (int) asked.from();
            if (from == 0) {
                OddServer.serve(asked, other, OTHER, out);
                return;
            }
            out.write(OddServer.head(
                    "206 Partial Content",
                    "ETag: " + OTHER,
                    "Content-Range: bytes " + from + "-19999999/20000000",
                    "Content-Length: " + (20_000_000 - from)));
            out.write(other, from, other.length - from);
        })) {
            comes(pull(server.url("/f")), other);
        }
    }

    @Test
    void oneThatIsAnotherEachTimeIsGivenUp() throws Exception {
        try (var server = new OddServer(
                identity, (asked, number, out) -> cut(asked, file, "\"" + number + "\"", 9_000_000, out))) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.CHANGING);
        }
    }

    @Test
    void oneWithoutAnEndIsBounded() throws Exception {
        mostBytes = 3_000_000;
        byte[] chunk = noise(100_000, 5);
        try (var server = new OddServer(identity, (asked, number, out) -> {
            out.write(OddServer.head("200 OK", "Transfer-Encoding: chunked"));
            while (true) {
                out.write("186a0\r\n".getBytes(StandardCharsets.US_ASCII));
                out.write(chunk);
                out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        })) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.TOO_MUCH);
            assertThat(root.resolve("users/" + UID + "/pulling")).isEmptyDirectory();
            assertThat(root.resolve("users/" + UID + "/packs")).doesNotExist();
        }
    }

    @Test
    void oneThatIsTooMuchIsNotEvenBegun() throws Exception {
        mostBytes = 19_999_999;
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, file, TAG, out))) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.TOO_MUCH);
            mostBytes = 1L << 40;
            freeBytes = 20_000_000;
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.NO_ROOM);
        }
    }

    @Test
    void chunksAreTakenApart() throws Exception {
        byte[] small = noise(5000, 6);
        try (var server = new OddServer(identity, (asked, number, out) -> {
            out.write(OddServer.head("200 OK", "Transfer-Encoding: chunked", "ETag: " + TAG));
            out.write("3E8;what=ever\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(small, 0, 1000);
            out.write("\r\nfa0\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(small, 1000, 4000);
            out.write("\r\n0\r\nTrailer: yes\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        })) {
            comes(pull(server.url("/f")), small);
        }
    }

    @Test
    void whereNobodySaysItsLengthADigestIsNeeded() throws Exception {
        byte[] small = noise(5000, 7);
        try (var server = new OddServer(identity, (asked, number, out) -> {
            out.write(OddServer.head("200 OK", "Connection: close"));
            out.write(small, 0, number == 2 ? 3000 : 5000);
            out.flush();
            throw new IOException("the end");
        })) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.NO_LENGTH);
            assertThat(pull(server.url("/f"), "", sha256(small))).isEqualTo(new Pulled.Failed(PullFault.DIGEST, ""));
            comes(pull(server.url("/f"), "", sha256(small)), small);
        }
    }

    @Test
    void anotherDigestThanWasWrittenDownIsNobodysFile() throws Exception {
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, file, TAG, out))) {
            assertThat(pull(server.url("/f"), "", sha256(noise(3, 3))))
                    .isEqualTo(new Pulled.Failed(PullFault.DIGEST, ""));
            comes(pull(server.url("/f"), "", sha256(file)), file);
            assertThat(server.asked.getLast().field("if-none-match")).isEmpty();
        }
    }

    @Test
    void aServerThatWantsToBeLeftAloneIs() throws Exception {
        byte[] small = noise(100, 8);
        try (var server = new OddServer(identity, (asked, number, out) -> {
            switch (number) {
                case 1 ->
                    out.write(OddServer.head(
                            "503 Later", "Retry-After: Sun, 01 Mar 2026 12:01:30 GMT", "Content-Length: 0"));
                case 2 -> out.write(OddServer.head("429 Often", "Retry-After: 7", "Content-Length: 0"));
                default -> OddServer.serve(asked, small, TAG, out);
            }
        })) {
            comes(pull(server.url("/f")), small);
            assertThat(slept).containsExactly(Duration.ofSeconds(90), Duration.ofSeconds(7));
        }
    }

    @Test
    void oneThatWantsSoForVeryLongIsNotAskedAgainBefore() throws Exception {
        try (var server = new OddServer(
                identity,
                (asked, number, out) ->
                        out.write(OddServer.head("503 Later", "Retry-After: 7200", "Content-Length: 0")))) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.BUSY);
            assertThat(fails(server.url("/other")).fault()).isEqualTo(PullFault.BUSY);
            assertThat(server.asked).hasSize(1);
            assertThat(slept).isEmpty();
        }
    }

    @Test
    void aRefusalIsNotAskedForTwice() throws Exception {
        try (var server = new OddServer(
                identity,
                (asked, number, out) -> out.write(OddServer.head(
                        asked.target().equals("/absent") ? "404 Not Found" : "403 Forbidden", "Content-Length: 0")))) {
            assertThat(fails(server.url("/f"))).isEqualTo(new Pulled.Failed(PullFault.REFUSED, "403"));
            assertThat(fails(server.url("/absent"))).isEqualTo(new Pulled.Failed(PullFault.ABSENT, "404"));
            assertThat(server.asked).hasSize(2);
            assertThat(slept).isEmpty();
        }
    }

    @Test
    void aFailureThatMayPassIsAskedForAFewTimes() throws Exception {
        try (var server = new OddServer(
                identity, (asked, number, out) -> out.write(OddServer.head("500 Oh", "Content-Length: 0")))) {
            assertThat(fails(server.url("/f"))).isEqualTo(new Pulled.Failed(PullFault.SERVER, "500"));
            assertThat(server.asked).hasSize(9);
        }
    }

    @Test
    void aCertificateThatNobodyTrustsIsSaid() throws Exception {
        trusts = false;
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, file, TAG, out))) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.UNTRUSTED);
            assertThat(slept).isEmpty();
        }
    }

    @Test
    void nobodySpeaksHttpThere() throws Exception {
        try (var server = new OddServer(identity, (asked, number, out) -> {
            out.write("SSH-2.0-OpenSSH\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            throw new IOException("the end");
        })) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.MALFORMED);
        }
    }

    @Test
    void aTornOrForgedBookCostsBytesOnly() throws Exception {
        byte[] small = noise(1000, 11);
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, small, TAG, out))) {
            comes(pull(server.url("/f")), small);
            var book = root.resolve("users/" + UID + "/pulled");
            String line = Files.readString(book);
            Files.writeString(book, line.replace(" w ", " p "));
            Files.writeString(book, "x".repeat(50), StandardOpenOption.APPEND);
            assertThat(comes(pull(server.url("/f")), small).kept()).isFalse();
            assertThat(comes(pull(server.url("/f")), small).kept()).isTrue();
            try (var packs = Files.newDirectoryStream(root.resolve("users/" + UID + "/packs"))) {
                for (var pack : packs) {
                    Files.delete(pack);
                }
            }
            assertThat(comes(pull(server.url("/f")), small).kept()).isFalse();
        }
    }

    /** An end of a pack within a file is a part of the file, whoever looks while it comes. */
    @Test
    void aFileThatLooksLikeAPackIsNone() throws Exception {
        byte[] planted = noise(1000, 12);
        byte[] end = PackEnd.of(List.of(new Digest(1, 2, 3, 4)), List.of(planted.length));
        byte[] odd = Arrays.copyOf(planted, planted.length + end.length + 10_000);
        System.arraycopy(end, 0, odd, planted.length, end.length);
        int forged = planted.length + end.length;
        try (var server = new OddServer(identity, (asked, number, out) -> {
            out.write(OddServer.head("200 OK", "Content-Length: " + odd.length, "ETag: " + TAG));
            out.write(odd, 0, forged);
            out.flush();
            assertThat(eventually(() -> moved.get() == forged)).isTrue();
            // Somebody looks just now.
            PieceIntake intake = new PieceIntake(root, new PieceStore(root, InstantSource.system()), UID);
            assertThat(intake.has(planted.length, List.of(new Digest(1, 2, 3, 4))))
                    .isFalse();
            out.write(odd, forged, odd.length - forged);
        })) {
            comes(pull(server.url("/f")), odd);
            Files.write(root.resolve("users/" + UID + "/pulling/left"), planted);
            PieceIntake.clear(root);
            assertThat(root.resolve("users/" + UID + "/pulling")).isEmptyDirectory();
        }
    }

    private static boolean eventually(BooleanSupplier condition) {
        for (int left = 1000; left > 0 && !condition.getAsBoolean(); left--) {
            LockSupport.parkNanos(10_000_000);
        }
        return condition.getAsBoolean();
    }
}
