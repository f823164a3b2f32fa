package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Taken;
import org.spillway.stage.worker.UserFiles.Unpacked;

class UnpackTest extends UnpackScene {
    @ParameterizedTest
    @ValueSource(strings = {"posix", "gnu", "ustar"})
    void readsWhatGnuTarWrites(String format) throws IOException {
        file("results/empty", "");
        file("results/ünï code/日本", "ja");
        file("results/deep/" + "folder-of-a-name/".repeat(8) + "f", "prefix");
        file("results/two-blocks", "x".repeat(1024));
        Files.setPosixFilePermissions(file("results/tool", "#!"), PosixFilePermissions.fromString("rwxr-xr-x"));
        file("elsewhere", "behind a link");
        if (!format.equals("ustar")) {
            file("results/" + ("n".repeat(200) + "/").repeat(3) + "m".repeat(255), "long");
        }
        Files.createSymbolicLink(folder.resolve("results/link"), folder.resolve("elsewhere"));
        TreeMap<String, String> expected = tree(folder.resolve("results"));
        Unpacked unpacked = unpack(gnuTar("-h", "--format=" + format, "./results"), new Rule("results", out, false));
        assertThat(tree(out)).isEqualTo(expected);
        assertThat(unpacked.rules()).hasSize(1);
        assertThat(unpacked.rules().getFirst().files()).isEqualTo(expected.size());
        assertThat(unpacked.skipped()).isZero();
        assertThat(mode(out.resolve("tool"))).isEqualTo("rwxr-xr-x");
        assertThat(mode(out.resolve("empty"))).isEqualTo("rw-r--r--");
        assertThat(worker.partBytes(bundle, "7-1")).as("the bundle stays").isPositive();
    }

    @Test
    void eachMemberGoesByTheFirstRule() throws IOException {
        file("out.txt", "one");
        file("logs/a.log", "two");
        file("logs/b.log", "three");
        file("model/best/weights", "four");
        file("model/notes.txt", "five");
        file("other", "six");
        Unpacked unpacked = unpack(
                gnuTar("."),
                new Rule("out.txt", out.resolve("answer.txt"), false),
                new Rule("logs/*.log", out.resolve("logs"), true),
                new Rule("model/**/weights", out, true),
                new Rule("model", out.resolve("m"), false),
                new Rule("missing-*", out, true),
                new Rule("out.txt", out.resolve("never"), true));
        assertThat(tree(out))
                .isEqualTo(Map.of(
                        "answer.txt", "one",
                        "logs/a.log", "two",
                        "logs/b.log", "three",
                        "best/weights", "four",
                        "m/notes.txt", "five"));
        assertThat(unpacked.rules())
                .containsExactly(
                        new Taken(1, 3, 1),
                        new Taken(2, 8, 2),
                        new Taken(1, 4, 1),
                        new Taken(1, 4, 2),
                        new Taken(0, 0, 0),
                        new Taken(0, 0, 1));
        assertThat(unpacked.skipped()).isEqualTo(1);
        assertThat(unpacked.reasons()).containsExactly("./other: no output names it");
    }

    @Test
    void aPatternForOneFileTakesTheFirstAndAPlainFileGoesIntoATree() throws IOException {
        file("result-1", "one");
        file("result-2", "two");
        file("deep/plain", "three");
        Unpacked unpacked = unpack(
                gnuTar("--sort=name", "."),
                new Rule("result-*", out.resolve("result"), false),
                new Rule("deep/plain", out, true));
        assertThat(tree(out)).isEqualTo(Map.of("result", "one", "plain", "three"));
        assertThat(unpacked.reasons()).containsExactly("./result-2: another member was put at its destination before");
    }

    @Test
    void anExistingFileIsReplacedWithItsModeAndALinkItself() throws IOException {
        Files.createDirectories(out);
        Path old = Files.writeString(out.resolve("old"), "before");
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rw-rw----"));
        Path victim = Files.writeString(temporary.resolve("victim"), "precious");
        Files.createSymbolicLink(out.resolve("link"), victim);
        file("old", "after");
        file("link", "after");
        byte[] tar = gnuTar(".");
        unpack(tar, everything());
        unpack(tar, everything());
        assertThat(tree(out)).isEqualTo(Map.of("old", "after", "link", "after"));
        assertThat(mode(old)).isEqualTo("rw-rw----");
        assertThat(victim).hasContent("precious");
    }

    @Test
    void whatIsThereAlreadyIsNotTouched() throws IOException {
        file("same", "bytes");
        file("other", "bytes");
        byte[] tar = gnuTar(".");
        unpack(tar, everything());
        var before = Files.readAttributes(out.resolve("same"), BasicFileAttributes.class);
        Files.writeString(out.resolve("other"), "BYTES");
        unpack(tar, everything());
        var after = Files.readAttributes(out.resolve("same"), BasicFileAttributes.class);
        assertThat(after.fileKey()).isEqualTo(before.fileKey());
        assertThat(tree(out)).isEqualTo(Map.of("same", "bytes", "other", "bytes"));
    }

    @Test
    void noMemberGoesThroughALinkBelowItsDestination() throws IOException {
        Path elsewhere = Files.createDirectories(temporary.resolve("elsewhere"));
        Path linked = temporary.resolve("linked");
        Files.createSymbolicLink(linked, Files.createDirectories(temporary.resolve("target")));
        file("sub/f", "x");
        byte[] tar = gnuTar("sub");
        unpack(tar, new Rule(".", linked, true)); // the user named that very link
        assertThat(temporary.resolve("target/sub/f")).hasContent("x");
        Files.createDirectories(out);
        Files.createSymbolicLink(out.resolve("sub"), elsewhere);
        assertThat(failure(unpack(tar, everything()), true)).contains(out.resolve("sub") + ": is a symbolic link");
        assertThat(elsewhere).isEmptyDirectory();
        Files.delete(out.resolve("sub"));
        Files.createDirectory(out.resolve("f"));
        assertThat(failure(unpack(tar, new Rule("sub/f", out, true)), true))
                .contains(out.resolve("f") + ": is a folder");
    }

    private static String failure(Unpacked unpacked, boolean refused) {
        assertThat(unpacked.failures()).hasSize(1);
        assertThat(unpacked.failures().getFirst().refused()).isEqualTo(refused);
        return unpacked.failures().getFirst().said();
    }

    @Test
    void anUnwritableOutputWithholdsNoOther() throws IOException {
        file("good/a", "1");
        file("bad/b", "2");
        file("out.txt", "3");
        Path blocked = file("blocked", "a file where a folder should be");
        byte[] tar = gnuTar("good", "bad", "out.txt");
        Rule[] rules = {
            new Rule("bad", blocked, true),
            new Rule("good", out.resolve("good"), true),
            new Rule("out.txt", out.resolve("out.txt"), false)
        };
        Unpacked first = unpack(tar, rules);
        assertThat(first.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.rule()).isZero();
            assertThat(failure.members()).isEqualTo(1);
            assertThat(failure.said()).contains(blocked.toString());
        });
        assertThat(first.rules()).containsExactly(new Taken(0, 0, 1), new Taken(1, 1, 1), new Taken(1, 1, 1));
        assertThat(tree(out)).isEqualTo(Map.of("good/a", "1", "out.txt", "3"));

        // Until it can be written its user works with the others: the next try gives back what is missing, and nothing
        // else.
        Files.writeString(out.resolve("good/a"), "mine now");
        Files.delete(out.resolve("out.txt"));
        Files.delete(blocked);
        Unpacked second = worker.unpack(bundle, "7-1", checksum(tar), List.of(rules));
        assertThat(second.failures()).isEmpty();
        assertThat(blocked.resolve("b")).hasContent("2");
        assertThat(tree(out)).isEqualTo(Map.of("good/a", "mine now"));
        worker.abandon(bundle, "7-1");
        assertThat(bundle.getParent()).isEmptyDirectory();
    }

    @Test
    void killedBetweenTwoOutputsNothingIsPublishedTwiceAndNothingLost() throws Exception {
        for (int i = 0; i < 2000; i++) {
            file("d%02d/%04d".formatted(i % 20, i), "content of " + i);
        }
        file("held/one", "back at last");
        Path blocked = file("blocked", "");
        byte[] tar = gnuTar("-h", "--format=posix", "held", ".");
        bring(tar);
        List<Rule> rules = List.of(new Rule("held", blocked, true), everything());
        Path first = out.resolve("d07");
        Thread killer = Thread.ofPlatform().start(() -> {
            for (int tries = 0; tries < 600_000 && !Files.isDirectory(first); tries++) {
                LockSupport.parkNanos(100_000);
            }
            started.getFirst().destroyForcibly();
        });
        assertThatThrownBy(() -> worker.unpack(bundle, "7-1", checksum(tar), rules))
                .isInstanceOf(IOException.class);
        killer.join();
        List<String> there = Files.readAllLines(bundle.resolveSibling(".rank-0.tar.spillway-7-1.part.placed"));
        assertThat(there).hasSizeGreaterThan(1);
        Files.writeString(out.resolve("d00/0000"), "changed by its user");
        assertThat(worker.unpack(bundle, "7-1", checksum(tar), rules).failures())
                .hasSize(1);
        Files.delete(blocked);
        Unpacked last = worker.unpack(bundle, "7-1", checksum(tar), rules);
        assertThat(last.failures()).isEmpty();
        TreeMap<String, String> expected = tree(folder);
        expected.remove("held/one");
        expected.remove("blocked/one");
        expected.put("d00/0000", "changed by its user");
        TreeMap<String, String> found = tree(out);
        found.remove("blocked");
        assertThat(found).isEqualTo(expected);
        assertThat(blocked.resolve("one")).hasContent("back at last");
    }

    /** As a worker leaves it that dies between two renames: marks are written after the last one. */
    @Test
    void whatAKilledTryHasHiddenIsGoneAfterTheNext() throws Exception {
        for (String name : List.of("a", "b", "c")) {
            file(name, "content of " + name);
        }
        byte[] tar = gnuTar("a", "b", "c");
        Files.createDirectories(out);
        Files.writeString(out.resolve("a"), "content of a");
        Files.writeString(out.resolve(".spillway-7-1-1.part"), "content of b");
        Files.writeString(out.resolve(".spillway-7-1-2.part"), "cont");
        assertThat(unpack(tar, everything()).failures()).isEmpty();
        assertThat(tree(out)).isEqualTo(tree(folder));
    }

    @Test
    void rulesAreChecked() {
        assertThatThrownBy(() -> new Rule("/a", out, true)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Rule("a", Path.of("x"), true)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Rule("[", out, true)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void killedHalfWayAndRepeatedIsWhole() throws Exception {
        for (int i = 0; i < 3000; i++) {
            file("d%02d/%04d".formatted(i % 20, i), "content of " + i);
        }
        byte[] tar = gnuTar("-h", "--format=posix", ".");
        bring(tar);
        Thread killer = Thread.ofPlatform().start(() -> {
            for (int tries = 0; tries < 600_000 && !Files.isDirectory(out.resolve("d07")); tries++) {
                LockSupport.parkNanos(100_000);
            }
            started.getFirst().destroyForcibly();
        });
        assertThatThrownBy(() -> worker.unpack(bundle, "7-1", checksum(tar), List.of(everything())))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(FileRefused.class);
        killer.join();
        tree(out).forEach((name, content) -> {
            if (!name.endsWith(".part")) {
                assertThat(content).isEqualTo("content of " + Integer.parseInt(name.substring(4)));
            }
        });
        assertThat(tree(out).size()).isBetween(1, 2999);
        long start = System.nanoTime();
        Unpacked unpacked = worker.unpack(bundle, "7-1", checksum(tar), List.of(everything()));
        System.out.printf("UnpackTest, 3000 small files: unpack %d ms%n", (System.nanoTime() - start) / 1_000_000);
        assertThat(unpacked.rules().getFirst().files()).isEqualTo(3000);
        assertThat(tree(out)).as("nothing hidden is left, either").isEqualTo(tree(folder));
        assertThat(started).hasSize(2);
    }

    @Test
    void aFullDiskShowsNothingHalfAndMayBeRepeated() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "no prlimit: install the package util-linux");
        file("a", "small");
        file("b", "x".repeat(400_000));
        byte[] tar = gnuTar("a", "b");
        bring(tar);
        // A limit on file size stands for the full disk, which an ordinary user cannot make.
        try (UserWorker limited = worker(List.of("/usr/bin/prlimit", "--fsize=300000", "--"))) {
            Unpacked unpacked = limited.unpack(bundle, "7-1", checksum(tar), List.of(everything()));
            assertThat(failure(unpacked, false)).contains(out.resolve("b").toString());
        }
        assertThat(tree(out)).as("neither a half file nor a hidden one").isEqualTo(Map.of("a", "small"));
        worker.unpack(bundle, "7-1", checksum(tar), List.of(everything()));
        assertThat(tree(out)).isEqualTo(tree(folder));
    }

    @Test
    void tellsItsThroughput() throws IOException {
        byte[] large = new byte[16 << 20];
        new Random(1).nextBytes(large);
        file("large", large);
        var files = packed(worker.find(folder.toString(), ROOMY));
        long start = System.nanoTime();
        worker.pieces(slices(files), 0, java.io.OutputStream.nullOutputStream());
        long packed = System.nanoTime();
        byte[] tar = pack(files);
        bring(tar);
        long settled = System.nanoTime();
        worker.unpack(bundle, "7-1", checksum(tar), List.of(everything()));
        long unpacked = System.nanoTime();
        System.out.printf(
                "UnpackTest, one file of 16 MiB: pack %.0f MB/s, unpack %.0f MB/s%n",
                large.length * 1e3 / (packed - start), large.length * 1e3 / (unpacked - settled));
        assertThat(out.resolve("large")).hasBinaryContent(large);
    }
}
