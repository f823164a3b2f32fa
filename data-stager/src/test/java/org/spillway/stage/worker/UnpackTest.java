package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.stage.transfer.ChecksumMismatch;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Taken;
import org.spillway.stage.worker.UserFiles.Unpacked;

class UnpackTest extends OwnWorker {
    private Path bundle;
    private Path out;

    @BeforeEach
    void name() {
        bundle = temporary.resolve("jobs/7/rank-0.tar");
        out = temporary.resolve("home/out");
    }

    private Unpacked unpack(byte[] tar, Rule... rules) throws IOException {
        bring(tar);
        return worker.unpack(bundle, "7-1", checksum(tar), List.of(rules));
    }

    private void bring(byte[] tar) throws IOException {
        worker.writePart(bundle, "7-1", 0, new ByteArrayInputStream(tar));
        worker.settle(bundle, "7-1", checksum(tar));
    }

    private Rule everything() {
        return new Rule(".", out, true);
    }

    private byte[] gnuTar(String... arguments) throws IOException {
        return run(
                folder,
                Stream.concat(Stream.of("tar", "-cf", "-"), Stream.of(arguments))
                        .toArray(String[]::new));
    }

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

    @Test
    void hostileMembersNeverLeaveTheDestination() throws IOException {
        Path evil = file("evil", "evil");
        Path secret = Files.writeString(temporary.resolve("secret"), "secret");
        Files.createSymbolicLink(folder.resolve("way"), temporary);
        Files.createSymbolicLink(folder.resolve("steal"), secret);
        Files.createLink(folder.resolve("twin"), evil);
        run(folder, "mkfifo", "pipe");
        file("good", "good");
        byte[] tar = concat(
                gnuTar("-P", "--transform=s,^,../../,rS", "evil"),
                gnuTar("-P", "--transform=s,^,a/../../../,rS", "evil"),
                gnuTar("-P", evil.toString()),
                gnuTar("way", "steal", "pipe"),
                gnuTar("--transform=s,^,way/,", "evil"),
                gnuTar("--transform=s,^,steal/,", "evil"),
                gnuTar("--transform=s,evil,new\\nline,", "evil"),
                device("null"),
                gnuTar("evil", "twin"),
                gnuTar("good"),
                gnuTar("good"));
        TreeMap<String, String> before = tree(folder);
        Unpacked unpacked = unpack(tar, everything());
        assertThat(tree(out))
                .isEqualTo(Map.of("evil", "evil", "good", "good", "way/evil", "evil", "steal/evil", "evil"));
        assertThat(Files.isDirectory(out.resolve("way"), java.nio.file.LinkOption.NOFOLLOW_LINKS))
                .as("a real folder and not the link of the bundle")
                .isTrue();
        assertThat(tree(folder)).isEqualTo(before);
        assertThat(secret).hasContent("secret");
        assertThat(temporary.resolve("evil")).doesNotExist();
        assertThat(temporary.resolve("home/evil")).doesNotExist();
        assertThat(unpacked.rules()).containsExactly(new Taken(4, 16, 5));
        assertThat(unpacked.reasons())
                .contains("../../evil: its name climbs by '..'")
                .contains("a/../../../evil: its name climbs by '..'")
                .contains(evil + ": its name is absolute")
                .contains("way: is no regular file, or its name is not UTF-8")
                .contains("new?line: its name holds control characters")
                .contains("null: is no regular file, or its name is not UTF-8")
                .contains("good: another member was put at its destination before");
        assertThat(unpacked.skipped()).isEqualTo(unpacked.reasons().size());
    }

    /** Streams one after the other, each without its end. */
    private static byte[] concat(byte[]... tars) {
        byte[] all = new byte[0];
        for (byte[] tar : tars) {
            int end = tar.length;
            while (end >= 512 && Arrays.equals(tar, end - 512, end, new byte[512], 0, 512)) {
                end -= 512;
            }
            int at = all.length;
            all = Arrays.copyOf(all, at + end);
            System.arraycopy(tar, 0, all, at, end);
        }
        return Arrays.copyOf(all, all.length + 1024);
    }

    /** A character device as GNU tar would write it. */
    private static byte[] device(String name) {
        byte[] header = org.spillway.stage.tree.TarFormat.header(
                new org.spillway.stage.tree.TarFormat.Member(name, 0, 0, false));
        return typed(header, '3');
    }

    private static byte[] typed(byte[] header, char type) {
        header[156] = (byte) type;
        return summed(header);
    }

    private static byte[] summed(byte[] header) {
        Arrays.fill(header, 148, 156, (byte) ' ');
        int sum = 0;
        for (int i = 0; i < 512; i++) {
            sum += header[i] & 0xff;
        }
        byte[] digits = "%06o\0 ".formatted(sum).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, header, 148, 8);
        return header;
    }

    @Test
    void brokenBundlesAreRefusedBeforeAnythingIsWritten() throws IOException {
        file("a", "x".repeat(2000));
        file("b", "y".repeat(2000));
        byte[] tar = gnuTar("--format=ustar", "a", "b");
        int end = 2 * (512 + 2048);
        byte[] whole = Arrays.copyOf(tar, tar.length);
        byte[] badSum = whole.clone();
        badSum[end / 2 + 10] = 'z';
        byte[] hugePax = concat(Arrays.copyOf(whole, 512 + 2048), summed(sized(typed(header("pax"), 'x'), 1L << 40)));
        byte[] hugeFile = concat(Arrays.copyOf(whole, 512 + 2048), summed(sized(header("huge"), (1L << 33) - 1)));
        byte[] noise = new byte[4096];
        new Random(1).nextBytes(noise);
        Map<String, byte[]> bundles = Map.of(
                "cut in a member",
                Arrays.copyOf(whole, end - 1000),
                "cut in a header",
                Arrays.copyOf(whole, end / 2 + 100),
                "cut between members",
                Arrays.copyOf(whole, end / 2),
                "without its end",
                Arrays.copyOf(whole, end),
                "a wrong sum",
                badSum,
                "a huge extended header",
                hugePax,
                "a member longer than all",
                hugeFile,
                "noise",
                noise,
                "nothing",
                new byte[0]);
        for (Map.Entry<String, byte[]> broken : bundles.entrySet()) {
            assertThatThrownBy(() -> unpack(broken.getValue(), everything()))
                    .as(broken.getKey())
                    .isInstanceOf(FileRefused.class)
                    .hasMessageContaining("tar stream");
            assertThat(out).as(broken.getKey()).doesNotExist();
        }
        unpack(whole, everything());
        assertThat(tree(out)).hasSize(2);
        assertThat(started).hasSize(1);
    }

    private static byte[] header(String name) {
        return org.spillway.stage.tree.TarFormat.header(
                new org.spillway.stage.tree.TarFormat.Member(name, 0, 0, false));
    }

    private static byte[] sized(byte[] header, long size) {
        byte[] binary = java.nio.ByteBuffer.allocate(8).putLong(size).array();
        Arrays.fill(header, 124, 136, (byte) 0);
        header[124] = (byte) 0x80;
        System.arraycopy(binary, 0, header, 128, 8);
        return header;
    }

    @Test
    void aBundleThatIsSomethingElseOrGoneIsNotUnpacked() throws IOException {
        file("a", "a");
        byte[] tar = gnuTar("a");
        bring(tar);
        assertThatThrownBy(() -> worker.unpack(bundle, "7-1", checksum(new byte[1]), List.of(everything())))
                .isInstanceOf(ChecksumMismatch.class);
        assertThat(worker.partBytes(bundle, "7-1")).isZero();
        assertThatThrownBy(() -> worker.unpack(bundle, "7-1", checksum(tar), List.of(everything())))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("nothing was written");
        bring(tar);
        worker.abandon(bundle, "7-1");
        assertThat(worker.partBytes(bundle, "7-1")).isZero();
        assertThat(out).doesNotExist();
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
        byte[] large = new byte[64 << 20];
        new Random(1).nextBytes(large);
        file("large", large);
        var files = packed(worker.find(folder.toString(), ROOMY));
        long start = System.nanoTime();
        var checksum = worker.pack(files, 0, java.io.OutputStream.nullOutputStream());
        long packed = System.nanoTime();
        byte[] tar = pack(files);
        bring(tar);
        long settled = System.nanoTime();
        worker.unpack(bundle, "7-1", checksum, List.of(everything()));
        long unpacked = System.nanoTime();
        System.out.printf(
                "UnpackTest, one file of 64 MiB: pack %.0f MB/s, unpack %.0f MB/s%n",
                large.length * 1e3 / (packed - start), large.length * 1e3 / (unpacked - settled));
        assertThat(out.resolve("large")).hasBinaryContent(large);
    }
}
