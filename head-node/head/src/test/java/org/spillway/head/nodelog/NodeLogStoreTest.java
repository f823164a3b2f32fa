package org.spillway.head.nodelog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs of nodes on disk: each byte once, bounded, nobody else's to read. */
final class NodeLogStoreTest {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    private static final String FIRST = "00112233445566aa";
    private static final String SECOND = "99112233445566bb";

    @TempDir
    Path folder;

    private boolean append(String node, String boot, long from, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new NodeLogStore(folder).append(node, boot, "agent", from, bytes, NOON);
    }

    private String agent(String node, int boot) throws IOException {
        NodeLogStore store = new NodeLogStore(folder);
        return store.read(
                        store.boots(node).stream()
                                .filter(one -> one.number() == boot)
                                .findFirst()
                                .orElseThrow(),
                        List.of("agent"))
                .getFirst()
                .text();
    }

    @Test
    void piecesJoinWhetherRepeatedOverlappingOrReadByALaterProcess() throws IOException {
        assertThat(append("n1", FIRST, 40, "one\n")).isTrue();
        assertThat(append("n1", FIRST, 40, "one\n")).isTrue();
        append("n1", FIRST, 42, "e\ntwo\n");
        append("n1", FIRST, 40, "one\ntwo\nthree\n");
        assertThat(agent("n1", 1)).isEqualTo("one\ntwo\nthree\n");
        append("n1", FIRST, 64, "after a gap\n");
        append("n1", FIRST, 40, "one\n");
        assertThat(agent("n1", 1)).isEqualTo("one\ntwo\nthree\n[10 bytes of it did not come]\nafter a gap\n");
    }

    @Test
    void aNameThatIsUsedAgainHasBootsOfItsOwn() throws IOException {
        append("n1", FIRST, 0, "of the first\n");
        append("n1", SECOND, 13, "of the second\n");
        append("n1", FIRST, 13, "late\n");
        assertThat(agent("n1", 1)).isEqualTo("of the first\nlate\n");
        assertThat(agent("n1", 2)).isEqualTo("of the second\n");
        for (int boot = 3; boot < 40; boot++) {
            append("n1", String.format("%016x", boot), 0, "x\n");
        }
        List<NodeBoot> boots = new NodeLogStore(folder).boots("n1");
        assertThat(boots).hasSize(20);
        assertThat(boots.getLast().number()).isEqualTo(39);
    }

    @Test
    void theLastQuarterOfAMegabyteStaysAndNotMuchMore() throws IOException {
        String line = " " + "x".repeat(1018) + "\n";
        for (int i = 0; i < 2000; i++) {
            append("n1", FIRST, i * 1024L, String.format("%04d", i) + line);
        }
        String kept = agent("n1", 1);
        assertThat(kept).endsWith(line).contains("\n1999 x").contains("\n1750 x");
        assertThat(kept.length()).isBetween(NodeLogStore.KEPT_BYTES, 3 * NodeLogStore.KEPT_BYTES / 2 + 1024);
        for (int i = 0; i < 100; i++) {
            append("n2", FIRST, i * 1000L, "gap\n");
        }
        try (Stream<Path> files = Files.walk(folder.resolve("n2"))) {
            assertThat(files.filter(Files::isRegularFile)).hasSizeLessThan(15);
        }
    }

    @Test
    void whatNoNodeIsCalledOrSaysIsLeftOut() throws IOException {
        for (String node : List.of("../n1", "", ".", "n1/x", "n 1")) {
            assertThat(append(node, FIRST, 0, "x")).as(node).isFalse();
        }
        assertThat(append("n1", "../../x", 0, "x")).isFalse();
        assertThat(append("n1", FIRST, -1, "x")).isFalse();
        assertThat(append("n1", FIRST, Long.MAX_VALUE, "x")).isFalse();
        NodeLogStore store = new NodeLogStore(folder);
        assertThat(store.append("n1", FIRST, "console", 0, new byte[] {'x'}, NOON))
                .as("only its provider tells that")
                .isFalse();
        assertThat(store.append("n1", FIRST, "shadow", 0, new byte[] {'x'}, NOON))
                .isFalse();
        assertThat(folder).isEmptyDirectory();
        assertThat(store.boots("../" + folder.getFileName())).isEmpty();
    }

    @Test
    void filesAreForTheHeadAloneAndHoldNoSecret() throws IOException {
        append("n1", FIRST, 0, "Authorization: Bearer abc\nkept\n");
        new NodeLogStore(folder).console("n1", "last words\npassword=hunter2\n", NOON);
        assertThat(agent("n1", 1)).isEqualTo("Authorization: **********\nkept\n");
        try (Stream<Path> files = Files.walk(folder.resolve("n1"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
            }
        }
    }

    @Test
    void theConsoleIsOfTheLatestBootAndOfANodeThatNobodyHeard() throws IOException {
        NodeLogStore store = new NodeLogStore(folder);
        append("n1", FIRST, 0, "x\n");
        append("n1", SECOND, 2, "y\n");
        store.console("n1", "once\n", NOON);
        store.console("n1", "panic\n", NOON);
        store.console("n1", " \n", NOON);
        store.console("never", "kernel not found\n", NOON);
        assertThat(store.read(store.boots("n1").getFirst(), List.of("console"))).isEmpty();
        assertThat(store.read(store.boots("n1").getLast(), List.of("console")))
                .singleElement()
                .satisfies(text -> assertThat(text.text()).isEqualTo("panic\n"));
        assertThat(store.boots("never")).hasSize(1);
        store.console("n1", "z".repeat(200_000), NOON);
        assertThat(store.read(store.boots("n1").getLast(), List.of("console"))
                        .getFirst()
                        .text())
                .hasSize(64 * 1024);
    }

    @Test
    void theOldGoesAndThenTheOldestOfWhatIsTooMuch() throws IOException {
        for (int i = 0; i < 5; i++) {
            append("n" + i, FIRST, 0, "x".repeat(1000));
            age("n" + i, NOON.minus(Duration.ofDays(10 - i)));
        }
        NodeLogStore store = new NodeLogStore(folder);
        Files.writeString(folder.resolve("README"), "not ours");
        store.sweep(NOON, Duration.ofDays(9), 1 << 20);
        assertThat(store.boots("n0")).as("ten days old").isEmpty();
        assertThat(store.boots("n1")).as("nine days old").isEmpty();
        assertThat(folder.resolve("n0")).doesNotExist();
        assertThat(store.boots("n2")).hasSize(1);
        store.sweep(NOON, Duration.ofDays(30), 2_500);
        assertThat(store.boots("n2")).as("the oldest of three").isEmpty();
        assertThat(store.boots("n4")).hasSize(1);
        assertThat(folder.resolve("README")).exists();
        new NodeLogStore(folder.resolve("none")).sweep(NOON, Duration.ofDays(1), 0);
    }

    private void age(String node, Instant at) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(node))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.setLastModifiedTime(file, FileTime.from(at));
                if (Files.isDirectory(file) && file.getFileName().toString().endsWith(FIRST)) {
                    Files.move(file, file.resolveSibling("000001-" + at.getEpochSecond() + "-" + FIRST));
                    break;
                }
            }
        }
        try (Stream<Path> files = Files.walk(folder.resolve(node))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.setLastModifiedTime(file, FileTime.from(at));
            }
        }
    }

    @Test
    void aMaskCoversSecretsAndLeavesTheRestInItsPlace() {
        for (String[] pair : new String[][] {
            {"usb 1-1: new device", "usb 1-1: new device"},
            {"api_key=AbC", "api_key=***"},
            {"x token : a b", "x token : ***"},
            {"bearer AbCd.e", "bearer ******"},
            {"key AKIAIOSFODNN7EXAMPLEABCD1 end", "key *************************  end".replace("  ", " ")},
            {
                "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nz",
                "***************************\n***\n*************************\nz"
            },
            {"-----BEGIN EC PRIVATE KEY-----\nabc", "******************************\n***"},
            {"A/b+".repeat(12), "*".repeat(48)},
            {"bell\u0007 and \u001b[31m", "bell? and ?[31m"},
            {"überall", "überall"},
        }) {
            assertThat(new String(LogMask.of(pair[0].getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8))
                    .isEqualTo(pair[1]);
        }
        // Words that would take a careless pattern hours.
        byte[] hostile = "a".repeat(64 * 1024).getBytes(StandardCharsets.UTF_8);
        assertThat(LogMask.of(hostile)).hasSameSizeAs(hostile);
        byte[] blocks = "-----BEGIN A-----".repeat(4000).getBytes(StandardCharsets.UTF_8);
        assertThat(LogMask.of(blocks)).hasSameSizeAs(blocks);
    }
}
