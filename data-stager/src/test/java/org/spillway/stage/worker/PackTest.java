package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.stage.store.Digest;
import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserFiles.Slice;

class PackTest extends OwnWorker {
    private List<Packed> everything() throws IOException {
        return packed(worker.find(folder.toString(), ROOMY));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void aMixedFolder() throws IOException {
        file("empty", "");
        file("full block", bytes(512));
        file("ünïcode/日本 \uD83D\uDE00", "ja");
        file("line\nbreak/tab\t", "x");
        file("deep/" + "folder-of-a-name/".repeat(9) + "file", "fits in prefix and name");
        file("deeper/" + ("n".repeat(200) + "/").repeat(3) + "m".repeat(250), "needs a pax header");
        file("large.bin", bytes(700_001));
        Path tool = file("tool", "#!/bin/sh\n");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void gnuTarReadsWhatIsPacked() throws IOException {
        aMixedFolder();
        byte[] bundle = pack(everything());
        assertThat(bundle).hasSize((int) Bundles.length(everything()));
        Path archive = Files.write(temporary.resolve("bundle.tar"), bundle);
        Path out = Files.createDirectory(temporary.resolve("out"));
        run(out, "tar", "-xf", archive.toString());
        assertThat(tree(out)).isEqualTo(tree(folder));
        assertThat(mode(out.resolve("tool"))).isEqualTo("rwxr-xr-x");
        assertThat(mode(out.resolve("empty"))).isEqualTo("rw-r--r--");
        assertThat(Files.getLastModifiedTime(out.resolve("large.bin")))
                .isEqualTo(FileTime.from(Instant.ofEpochSecond(1_700_000_000)));
        String listed =
                new String(run(out, "tar", "--numeric-owner", "-tvf", archive.toString()), StandardCharsets.UTF_8);
        assertThat(listed.lines()).hasSize(8).allMatch(line -> line.contains(" 0/0 "));
    }

    @Test
    void theSamePiecesGiveTheSameBytesFromEveryOffset() throws IOException {
        aMixedFolder();
        file("large", bytes(9_000_000));
        List<Slice> pieces = slices(everything());
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List<Digest> digests = worker.pieces(pieces, 0, all);
        byte[] content = all.toByteArray();
        int at = 0;
        for (int i = 0; i < pieces.size(); i++) {
            int end = at + pieces.get(i).length();
            assertThat(digests.get(i).hex())
                    .isEqualTo(checksum(Arrays.copyOfRange(content, at, end)).sha256());
            at = end;
        }
        assertThat(at).isEqualTo(content.length);
        for (int offset : new int[] {0, 1, 131_071, 131_072, 131_073, 8_400_000, content.length - 1, content.length}) {
            ByteArrayOutputStream sink = new ByteArrayOutputStream();
            assertThat(worker.pieces(pieces, offset, sink)).isEqualTo(digests);
            assertThat(sink.toByteArray())
                    .as("from %d", offset)
                    .isEqualTo(Arrays.copyOfRange(content, offset, content.length));
        }
        for (int offset : new int[] {-1, content.length + 1}) {
            assertThatThrownBy(() -> worker.pieces(pieces, offset, OutputStream.nullOutputStream()))
                    .isInstanceOf(FileRefused.class)
                    .hasMessageContaining("cannot be read from " + offset);
        }
        assertThat(started).hasSize(1);
    }

    @Test
    void thousandsOfSmallFilesAreOneStream() throws IOException {
        for (int i = 0; i < 5000; i++) {
            file("part-%02d/%04d.json".formatted(i % 50, i), "{\"n\": " + i + "}\n");
        }
        long start = System.nanoTime();
        List<Packed> files = everything();
        long found = System.nanoTime();
        assertThat(files).hasSize(5000);
        byte[] bundle = pack(files);
        long packed = System.nanoTime();
        System.out.printf(
                "PackTest, 5000 small files: find %d ms, pack %d ms%n",
                (found - start) / 1_000_000, (packed - found) / 1_000_000);
        assertThat(bundle).hasSize((int) Bundles.length(files));
        Path archive = Files.write(temporary.resolve("bundle.tar"), bundle);
        assertThat(new String(run(folder, "tar", "-tf", archive.toString()), StandardCharsets.UTF_8).lines())
                .containsExactlyElementsOf(files.stream().map(Packed::name).toList());
    }

    @Test
    void aFileThatChangedIsNamed() throws IOException {
        Path file = file("a", "12345");
        List<Packed> files = everything();
        Files.writeString(file, "54321");
        assertThatThrownBy(() -> pack(files))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining(file + ": changed since it was found");
        file("a", "123456");
        assertThatThrownBy(() -> pack(files)).isInstanceOf(FileRefused.class).hasMessageContaining("changed");
        Files.delete(file);
        assertThatThrownBy(() -> pack(files)).isInstanceOf(FileRefused.class).hasMessageContaining("no such file");
        run(folder, "mkfifo", "a");
        assertThatThrownBy(() -> pack(files)).isInstanceOf(FileRefused.class).hasMessageContaining("no regular file");
        Files.delete(file);
        file("a", "12345");
        assertThat(pack(files)).hasSize(512 + 512 + 1024);
        assertThat(started).as("a refusal does not cost the process").hasSize(1);
    }

    @Test
    void aFileThatGrowsWhileItIsReadIsNamed() throws IOException {
        Path file = file("a", bytes(20_000_000));
        List<Packed> files = everything();
        OutputStream appending = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[0], 0, 0);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                Files.writeString(file, "more", java.nio.file.StandardOpenOption.APPEND);
            }
        };
        assertThatThrownBy(() -> worker.pieces(slices(files), 0, appending))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining(file + ": changed");
    }

    @Test
    void lengthsBeyondWhatUstarCanSayAreSaid() throws IOException {
        long huge = 9L << 30;
        Path sparse = file("huge", "");
        try (var channel = java.nio.channels.FileChannel.open(sparse, java.nio.file.StandardOpenOption.WRITE)) {
            channel.position(huge - 1);
            channel.write(java.nio.ByteBuffer.wrap(new byte[1]));
        }
        Packed file = everything().getFirst();
        assertThat(file.bytes()).isEqualTo(huge);
        assertThat(Bundles.length(List.of(file))).isEqualTo(512 * 3 + huge + 1024);
    }

    @Test
    void listsThatMakeNoBundleAreRefused() {
        Packed a = new Packed("/x", "a", 0, 0, false);
        assertThatThrownBy(() -> Bundles.check(List.of(a, a)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two files would have the name 'a'");
        Packed below = new Packed("/x", "a/b", 0, 0, false);
        assertThatThrownBy(() -> Bundles.check(List.of(below, a)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a' would be both a file and a folder");
        for (String name : List.of("", "/a", "a/", "a//b", "../a", "a/..", "./a", "a\0", "n".repeat(4097))) {
            assertThatThrownBy(() -> new Packed("/x", name, 0, 0, false))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(started).isEmpty();
    }
}
