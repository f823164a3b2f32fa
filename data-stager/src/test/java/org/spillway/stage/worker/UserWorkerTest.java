package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.transfer.ChecksumMismatch;

/** A worker of this process's own user: what it does with files, whoever runs the tests. */
class UserWorkerTest {
    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();
    private final AtomicInteger endings = new AtomicInteger();
    private UserWorker worker;

    @BeforeEach
    void makeWorker() throws IOException {
        worker = worker(List.of(), Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        worker.close();
    }

    private UserWorker worker(List<String> wrapper, Duration limit) throws IOException {
        Identity self = new Identity("self", Identity.ownUid(), 0, List.of());
        List<String> argv = new ArrayList<>(wrapper);
        argv.addAll(WorkerProgram.own().argv(self, false));
        return worker(argv, self, limit);
    }

    private UserWorker worker(List<String> argv, Identity identity, Duration limit) {
        UserWorker.Starter starter = new UserWorker.Starter() {
            @Override
            public Process start() throws IOException {
                started.add(WorkerProgram.start(argv));
                return started.getLast();
            }

            @Override
            public void ended() {
                endings.incrementAndGet();
            }

            @Override
            public String diagnose() {
                return "";
            }
        };
        return new UserWorker(identity, starter, limit, InstantSource.fixed(Instant.EPOCH));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static Checksum checksum(byte[] bytes) throws IOException {
        return Sha256.of(in(bytes), OutputStream.nullOutputStream());
    }

    private static InputStream in(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    private String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void writesAPartFromAnyOffsetUpToItsEnd() throws IOException {
        byte[] bytes = bytes(400_000);
        Path target = folder.resolve("new/results/out.bin");
        Path part = folder.resolve("new/results/.out.bin.spillway-7-1.part");
        assertThat(worker.partBytes(target, "7-1")).isZero();
        worker.writePart(target, "7-1", 0, in(Arrays.copyOf(bytes, 250_000)));
        assertThat(mode(part)).isEqualTo("rw-------");
        assertThat(worker.partBytes(target, "7-1")).isEqualTo(250_000);
        assertThatThrownBy(() -> worker.writePart(target, "7-1", 250_001, in(bytes)))
                .isInstanceOf(FileRefused.class);
        worker.writePart(target, "7-1", 200_000, in(Arrays.copyOfRange(bytes, 200_000, bytes.length)));
        assertThat(target).doesNotExist();

        worker.settle(target, "7-1", checksum(bytes));
        assertThat(part).hasBinaryContent(bytes);
        assertThat(target).doesNotExist();
    }

    @Test
    void readsAPartFromAnyOffset() throws IOException {
        byte[] bytes = bytes(400_000);
        Path target = folder.resolve("out");
        worker.writePart(target, "7-1", 0, in(bytes));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        worker.readPart(target, "7-1", 0, all);
        assertThat(all.toByteArray()).isEqualTo(bytes);
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        worker.readPart(target, "7-1", 399_998, rest);
        assertThat(rest.toByteArray()).isEqualTo(Arrays.copyOfRange(bytes, 399_998, 400_000));
        assertThatThrownBy(() -> worker.readPart(target, "7-1", 400_001, all)).isInstanceOf(FileRefused.class);
        assertThatThrownBy(() -> worker.readPart(target, "7-2", 0, all)).isInstanceOf(FileRefused.class);
    }

    @Test
    void settlesAPartWithoutShowingIt() throws IOException {
        Path target = Files.writeString(folder.resolve("out"), "old");
        worker.writePart(target, "a", 0, in(bytes(3)));
        worker.settle(target, "a", checksum(bytes(3)));
        worker.settle(target, "a", checksum(bytes(3)));
        assertThat(target).hasContent("old");
        assertThat(worker.partBytes(target, "a")).isEqualTo(3);

        assertThatThrownBy(() -> worker.settle(target, "a", checksum(bytes(4)))).isInstanceOf(ChecksumMismatch.class);
        assertThat(worker.partBytes(target, "a")).isZero();
        assertThatThrownBy(() -> worker.settle(target, "a", checksum(bytes(3)))).isInstanceOf(IOException.class);
        assertThat(target).hasContent("old");
    }

    @Test
    void writesThroughNoLink() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Path target = Files.createSymbolicLink(folder.resolve("out"), victim);
        worker.writePart(target, "a", 0, in(bytes(3)));
        assertThat(folder.resolve(".out.spillway-a.part")).isRegularFile().hasBinaryContent(bytes(3));
        assertThat(Files.isSymbolicLink(target)).isTrue();

        Files.createSymbolicLink(folder.resolve(".out.spillway-b.part"), victim);
        assertThatThrownBy(() -> worker.writePart(target, "b", 0, in(bytes(3))))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("symbolic link");
        worker.abandon(target, "b");
        worker.abandon(target, "b");
        worker.writePart(target, "b", 0, in(bytes(3)));
        assertThat(victim).hasContent("precious");
        assertThatThrownBy(() -> worker.writePart(target, "../x", 0, in(bytes(3))))
                .isInstanceOf(FileRefused.class);
    }

    @Test
    void aBrokenSourceLeavesAPrefix() throws IOException {
        Path target = folder.resolve("out");
        byte[] bytes = bytes(300_000);
        InputStream breaking = new java.io.SequenceInputStream(in(bytes), new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the line broke");
            }

            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                throw new IOException("the line broke");
            }
        });
        assertThatThrownBy(() -> worker.writePart(target, "a", 0, breaking)).hasMessage("the line broke");
        assertThat(worker.partBytes(target, "a")).isEqualTo(300_000);
        assertThat(started).hasSize(1);
    }

    @Test
    void aFullDiskIsAnErrorThatNamesTheFileAndAbandonClears() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "no prlimit: install the package util-linux");
        // A limit on file size stands for the full disk, which an ordinary user cannot make.
        try (UserWorker limited = worker(List.of("/usr/bin/prlimit", "--fsize=300000", "--"), Duration.ofSeconds(30))) {
            Path target = folder.resolve("out");
            assertThatThrownBy(() -> limited.writePart(target, "a", 0, in(bytes(9_000_000))))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(target.toString());
            assertThat(limited.partBytes(target, "a")).isBetween(1L, 300_000L);
            limited.abandon(target, "a");
            assertThat(limited.partBytes(target, "a")).isZero();
            assertThat(folder).isEmptyDirectory();
        }
        assertThat(started).hasSize(1);
    }

    @Test
    void aKilledProcessIsStartedAnew() throws Exception {
        Path target = folder.resolve("out");
        worker.writePart(target, "a", 0, in(bytes(100)));
        started.getFirst().destroyForcibly().waitFor();
        assertThat(worker.partBytes(target, "a")).isEqualTo(100);
        assertThat(started).hasSize(2);

        Path file = Files.write(folder.resolve("in"), bytes(5_000_000));
        UserFiles.Found found = worker.find(file.toString(), new UserFiles.Limits(1, Long.MAX_VALUE))
                .getFirst();
        List<UserFiles.Packed> list = List.of(
                new UserFiles.Packed(found.path(), "in", found.bytes(), found.modifiedNanos(), found.executable()));
        OutputStream killing = new OutputStream() {
            @Override
            public void write(int b) {
                started.getLast().destroyForcibly();
            }
        };
        assertThatThrownBy(() -> worker.pieces(OwnWorker.slices(list), 0, killing))
                .isInstanceOf(IOException.class);
        assertThat(worker.pieces(OwnWorker.slices(list), 0, OutputStream.nullOutputStream()))
                .hasSize(1);
        worker.close();
        assertThat(endings).hasValue(started.size());
    }

    @Test
    void aSilentProcessIsEndedAfterTheLimit() throws IOException, InterruptedException {
        Identity self = new Identity("self", Identity.ownUid(), 0, List.of());
        try (UserWorker silent = worker(List.of("/bin/sleep", "60"), self, Duration.ofMillis(200))) {
            assertThatThrownBy(() -> silent.partBytes(folder.resolve("x"), "a"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not answer");
        }
        started.getLast().waitFor();
    }

    @Test
    void aProcessThatSpeaksSomethingElseOrIsSomeoneElseIsNotTrusted() throws IOException {
        Identity self = new Identity("self", Identity.ownUid(), 0, List.of());
        try (UserWorker babbler = worker(List.of("/bin/sh", "-c", "echo hello, world"), self, Duration.ofSeconds(5))) {
            assertThatThrownBy(() -> babbler.partBytes(folder, "a")).hasMessageContaining("no worker process for self");
        }
        Identity other = new Identity("other", Identity.ownUid() + 1, 0, List.of());
        try (UserWorker wrong = worker(WorkerProgram.own().argv(other, false), other, Duration.ofSeconds(30))) {
            assertThatThrownBy(() -> wrong.partBytes(folder, "a")).hasMessageContaining("has uid " + Identity.ownUid());
        }
    }
}
