package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.store.Pieces;
import org.spillway.stage.tree.TarFormat;
import org.spillway.stage.worker.UserFiles.Found;
import org.spillway.stage.worker.UserFiles.Limits;
import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserFiles.Slice;

/** A real worker process of this process's own user, and a folder. */
abstract class OwnWorker {
    static final Limits ROOMY = new Limits(Bundles.FILES_MAX, Long.MAX_VALUE);

    @TempDir
    Path temporary;

    Path folder;
    final List<Process> started = new ArrayList<>();
    UserWorker worker;

    @BeforeEach
    void makeWorker() throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("f"));
        worker = worker(List.of());
    }

    @AfterEach
    void closeWorker() {
        worker.close();
    }

    UserWorker worker(List<String> wrapper) throws IOException {
        Identity self = new Identity("self", Identity.ownUid(), 0, List.of());
        List<String> argv = new ArrayList<>(wrapper);
        argv.addAll(WorkerProgram.own().argv(self, false));
        UserWorker.Starter starter = new UserWorker.Starter() {
            @Override
            public Process start() throws IOException {
                started.add(WorkerProgram.start(argv));
                return started.getLast();
            }

            @Override
            public void ended() {}

            @Override
            public String diagnose() {
                return "";
            }
        };
        return new UserWorker(self, starter, Duration.ofSeconds(60), InstantSource.fixed(Instant.EPOCH));
    }

    Path file(String name, String content) throws IOException {
        return file(name, content.getBytes(StandardCharsets.UTF_8));
    }

    Path file(String name, byte[] content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(1_700_000_000, 123_456_000)));
        return file;
    }

    /** The files found, each named by its path below the folder. */
    List<Packed> packed(List<Found> found) {
        return found.stream()
                .map(file -> new Packed(
                        file.path(),
                        folder.relativize(Path.of(file.path())).toString(),
                        file.bytes(),
                        file.modifiedNanos(),
                        file.executable()))
                .toList();
    }

    /** All pieces of the files in their order. */
    static List<Slice> slices(List<Packed> files) {
        List<Slice> slices = new ArrayList<>();
        for (Packed file : files) {
            for (int i = 0; i < Pieces.count(file.bytes()); i++) {
                slices.add(new Slice(file, (long) i * Pieces.BYTES, Pieces.length(file.bytes(), i)));
            }
        }
        return slices;
    }

    /** The worker's pieces of files, as the tar stream that a region makes of it. */
    byte[] pack(List<Packed> files) throws IOException {
        List<Slice> slices = slices(files);
        ByteArrayOutputStream sink = new ByteArrayOutputStream();
        for (int from = 0; from < slices.size(); from += PackEnd.PIECES_MAX) {
            worker.pieces(slices.subList(from, Math.min(slices.size(), from + PackEnd.PIECES_MAX)), 0, sink);
        }
        ByteBuffer content = ByteBuffer.wrap(sink.toByteArray());
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        for (Packed file : files) {
            tar.writeBytes(TarFormat.header(Bundles.member(file)));
            byte[] bytes = new byte[(int) file.bytes()];
            content.get(bytes);
            tar.writeBytes(bytes);
            tar.writeBytes(new byte[TarFormat.padding(file.bytes())]);
        }
        tar.writeBytes(new byte[TarFormat.END_BYTES]);
        return tar.toByteArray();
    }

    static Checksum checksum(byte[] bytes) throws IOException {
        return Sha256.of(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
    }

    static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    /** Runs a program to its end. @return what it wrote */
    static byte[] run(Path where, String... argv) throws IOException {
        Process process = new ProcessBuilder(argv)
                .directory(where.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        byte[] said = process.getInputStream().readAllBytes();
        try {
            assertThat(process.waitFor()).as(String.join(" ", argv)).isZero();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return said;
    }

    /** All files below a folder, by relative path, with their content. */
    static TreeMap<String, String> tree(Path folder) throws IOException {
        TreeMap<String, String> tree = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                tree.put(folder.relativize(file).toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return tree;
    }
}
