package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.spillway.stage.transfer.ChecksumMismatch;
import org.spillway.stage.tree.TarBroken;
import org.spillway.stage.tree.TarReader;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Taken;
import org.spillway.stage.worker.UserFiles.Unpacked;

/** Bundles that a hostile or broken node has made. */
final class HostileBundleTest extends UnpackScene {
    private static final long SEED = Long.getLong("spillway.seed", new Random().nextLong());
    private static final long TIB = 1L << 40;

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

    /** A file of a TiB with three pieces of data, as GNU tar packs it. */
    private byte[] sparse() throws IOException {
        Path holes = file("holes", "begin");
        try (var channel = FileChannel.open(holes, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap("middle".getBytes(StandardCharsets.UTF_8)), 1L << 39);
            channel.write(ByteBuffer.wrap("end".getBytes(StandardCharsets.UTF_8)), TIB - 3);
        }
        return gnuTar("-S", "--format=posix", "holes");
    }

    @Test
    void holesTravelAsHoles() throws IOException {
        byte[] tar = sparse();
        assertThat(tar).hasSizeLessThan(100_000);
        Unpacked unpacked = unpack(tar, everything());
        assertThat(unpacked.rules()).containsExactly(new Taken(1, TIB, 1));
        Path there = out.resolve("holes");
        try (var channel = FileChannel.open(there)) {
            assertThat(channel.size()).isEqualTo(TIB);
            for (var piece :
                    Map.of(0L, "begin", 1L << 39, "middle", TIB - 3, "end").entrySet()) {
                ByteBuffer read = ByteBuffer.allocate(piece.getValue().length());
                channel.read(read, piece.getKey());
                assertThat(new String(read.array(), StandardCharsets.UTF_8)).isEqualTo(piece.getValue());
            }
        }
        String blocks = new String(run(out, "stat", "-c", "%b", "holes"), StandardCharsets.UTF_8);
        assertThat(Long.parseLong(blocks.strip())).isLessThan(1000);
        Path empty = file("empty", "");
        run(folder, "truncate", "-s", "1G", empty.toString());
        unpack(gnuTar("-S", "--format=posix", "empty"), everything());
        assertThat(out.resolve("empty")).hasSize(1L << 30);
    }

    @Test
    void aMapOfHolesThatIsMadeUpIsRefusedOrReadAndNeverMore() throws IOException {
        byte[] tar = sparse();
        Random random = new Random(SEED);
        for (int round = 0; round < 2000; round++) {
            byte[] other = tar.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                // The file's map, and the extended header that leads to it.
                int at = random.nextBoolean() ? 1536 + random.nextInt(60) : 512 + random.nextInt(150);
                other[at] = (byte) "0123456789\n =-".charAt(random.nextInt(14));
            }
            try {
                TarReader reader = new TarReader(new ByteArrayInputStream(other));
                byte[] buffer = new byte[512];
                for (TarReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                    long before = -1;
                    for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
                        assertThat(n).as("seed %d", SEED).isPositive();
                        assertThat(reader.position())
                                .as("seed %d", SEED)
                                .isBetween(before, Math.max(entry.bytes(), other.length));
                        before = reader.position();
                    }
                }
            } catch (TarBroken refused) {
                assertThat(refused).hasMessageContaining("tar stream");
            }
        }
    }

    @Test
    void aMemberThatTheDiskCannotTakeIsToldBeforeItIsWritten() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may mount a small disk");
        Path small = Files.createDirectories(temporary.resolve("small"));
        run(temporary, "mount", "-t", "tmpfs", "-o", "size=2m", "spillway-test", small.toString());
        try {
            file("large", "x".repeat(4 << 20));
            file("little", "y");
            Unpacked unpacked = unpack(
                    gnuTar("large", "little"),
                    new Rule("large", small.resolve("large"), false),
                    new Rule("little", small.resolve("little"), false));
            assertThat(unpacked.failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure.said())
                            .contains("No space left for it: it has 4 MiB, and 2 MiB are free")
                            .contains("small/large"))
                    .satisfies(failure -> assertThat(failure.refused()).isFalse());
            assertThat(tree(small)).isEqualTo(Map.of("little", "y"));
        } finally {
            run(temporary, "umount", small.toString());
        }
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
}
