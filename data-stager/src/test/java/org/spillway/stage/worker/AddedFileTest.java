package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.stage.worker.UserFiles.Growth;
import org.spillway.stage.worker.UserFiles.Rule;

/** Output of runs that goes behind what a file has. */
final class AddedFileTest extends UnpackScene {
    private static final String RUN = "7-1";

    private Path log;

    @BeforeEach
    void place() throws IOException {
        Files.createDirectories(out);
        log = Files.writeString(out.resolve("log"), "before\n");
    }

    private long add(String run, long from, String piece) throws IOException {
        return worker.grow(log, run, from, piece.getBytes(StandardCharsets.UTF_8), false);
    }

    private void results(String run, String whole) throws IOException {
        file("stdout", whole);
        assertThat(unpack(gnuTar("stdout"), new Rule("stdout", log, false, new Growth(true, run)))
                        .failures())
                .isEmpty();
    }

    private void others(String words) throws IOException {
        Files.writeString(log, words, StandardOpenOption.APPEND);
    }

    private void nothingHidden() throws IOException {
        try (Stream<Path> left = Files.list(out)) {
            assertThat(left).containsExactly(log);
        }
    }

    @Test
    void piecesGoBehindWhatWasThereEachOnce() throws IOException {
        Object file = Files.getAttribute(log, "unix:ino");
        assertThat(add(RUN, 0, "one ")).isEqualTo(4);
        assertThat(add(RUN, 0, "one ")).isEqualTo(4);
        assertThat(add(RUN, 4, "two ")).isEqualTo(8);
        assertThat(add(RUN, 0, "one two three")).as("another head").isEqualTo(13);
        results(RUN, "one two three four\n");
        assertThat(log).hasContent("before\none two three four\n");
        results(RUN, "one two three four\n");
        assertThat(log).as("a repetition").hasContent("before\none two three four\n");
        worker.abandon(UserFiles.added(log), RUN);
        worker.abandon(bundle, RUN);
        nothingHidden();
        results("7-2", "one two three four\n");
        assertThat(log)
                .as("another run that says the same")
                .hasContent("before\none two three four\none two three four\n");
        assertThat(Files.getAttribute(log, "unix:ino")).isEqualTo(file);
    }

    @Test
    void othersMayAddMeanwhile() throws IOException {
        add(RUN, 0, "one\n");
        others("theirs\n");
        add("8-1", 0, "eight\n");
        add(RUN, 4, "two\n");
        results("8-1", "eight\nand more\n");
        results(RUN, "one\ntwo\nthree\n");
        assertThat(log).hasContent("before\none\ntheirs\neight\ntwo\nand more\nthree\n");
    }

    @Test
    void aFileThatIsNotThereIsMadeAndALinkOfItsUsersFollowed() throws IOException {
        Path real = Files.createDirectory(out.resolve("real")).resolve("log");
        Files.move(log, real);
        Files.createSymbolicLink(log, real);
        add(RUN, 0, "through\n");
        assertThat(real).hasContent("before\nthrough\n");
        Files.delete(log);
        add("8-1", 0, "new\n");
        assertThat(log).hasContent("new\n");
        assertThat(mode(log)).isEqualTo("rw-r--r--");
        Files.delete(log);
        Files.createDirectory(log);
        assertThatThrownBy(() -> add("9-1", 0, "x"))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("no regular file");
    }

    @Test
    void whatNeverCameWaitsForTheEnd() throws IOException {
        add(RUN, 0, "one ");
        assertThatThrownBy(() -> add(RUN, 9, "late"))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("byte 4");
        results(RUN, "one two late");
        assertThat(log).hasContent("before\none two late");
    }

    @Test
    void aNameThatIsAsLongAsNamesCanBe() throws IOException {
        Files.delete(log);
        log = out.resolve("n".repeat(255));
        add(RUN, 0, "one\n");
        worker.abandon(UserFiles.added(log), RUN);
        nothingHidden();
    }

    /** The list is what a writer has left that was killed at any moment; others have added at any moment. */
    @Test
    void whoeverIsKilledAnywhereAddsNothingTwiceAndLosesNothing() throws IOException {
        for (int seed = 0; seed < 120; seed++) {
            Random random = new Random(seed);
            String stream = letters(random, 1 + random.nextInt(400));
            String run = seed + "-1";
            StringBuilder expected = new StringBuilder(Files.readString(log));
            int settled = random.nextInt(stream.length());
            if (settled > 0) {
                add(run, 0, stream.substring(0, settled));
            }
            expected.append(stream, 0, settled);
            int end = settled + 1 + random.nextInt(stream.length() - settled);
            String piece = stream.substring(settled, end);
            Path list = WorkerFiles.part(UserFiles.added(log), run);
            String noted = end + " " + expected.length() + "\n";
            int cut = random.nextInt(4) == 0 ? random.nextInt(noted.length()) : noted.length();
            Files.writeString(list, noted.substring(0, cut), StandardOpenOption.APPEND, StandardOpenOption.CREATE);
            if (cut == noted.length()) {
                String theirs = piece.length() >= 16 && random.nextBoolean() ? "<" + seed + " other words>" : "";
                int written = random.nextInt(3) * piece.length() / 2;
                if (written == piece.length()) {
                    others(theirs + piece);
                    expected.append(theirs).append(piece);
                } else if (theirs.isEmpty()) {
                    others(piece.substring(0, written));
                    expected.append(piece);
                } else {
                    others(theirs);
                    expected.append(theirs).append(piece);
                }
                expected.append(stream.substring(end));
            } else {
                expected.append(stream.substring(settled));
            }
            results(run, stream);
            results(run, stream);
            assertThat(Files.readString(log)).as("seed %d", seed).isEqualTo(expected.toString());
            Files.writeString(log, "before " + seed + "\n");
            worker.abandon(bundle, RUN);
        }
    }

    private static String letters(Random random, int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            letters.append((char) ('a' + random.nextInt(26)));
        }
        return letters.toString();
    }
}
