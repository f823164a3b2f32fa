package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.stage.worker.UserFiles.Growth;
import org.spillway.stage.worker.UserFiles.Rule;

/** Output of a job that runs elsewhere, as its user sees it grow. */
final class GrowingFileTest extends UnpackScene {
    private Path log;

    @BeforeEach
    void place() throws IOException {
        Files.createDirectories(out);
        log = out.resolve("log");
    }

    private long grow(long from, String piece, boolean first) throws IOException {
        return worker.grow(log, "", from, piece.getBytes(StandardCharsets.UTF_8), first);
    }

    private Object file() throws IOException {
        return Files.getAttribute(log, "unix:ino");
    }

    private void refused(long from, String piece, boolean first) throws IOException {
        String before = Files.readString(log);
        assertThatThrownBy(() -> grow(from, piece, first))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining(log + ": is not what the job wrote up to byte " + from);
        assertThat(log).as("nothing is changed").hasContent(before);
    }

    @Test
    void aFileGrowsInPlaceAndAPieceAgainAddsOnlyWhatIsNew() throws IOException {
        assertThat(grow(0, "one ", true)).isEqualTo(4);
        assertThat(mode(log)).isEqualTo("rw-r--r--");
        Object file = file();
        assertThat(grow(4, "two ", false)).isEqualTo(8);
        assertThat(grow(4, "two three", false)).isEqualTo(13);
        assertThat(grow(0, "one ", false)).isEqualTo(4);
        assertThat(grow(0, "one two three", true))
                .as("another head, from the beginning")
                .isEqualTo(13);
        assertThat(grow(8, "three four", true))
                .as("another head, from what is kept")
                .isEqualTo(18);
        assertThat(log).hasContent("one two three four");
        assertThat(file()).as("who follows it goes on reading").isEqualTo(file);
    }

    @Test
    void aRunBeginsItsFileAnewAsAtHome() throws IOException {
        Files.writeString(log, "of an earlier job, and longer than this");
        Object file = file();
        assertThat(grow(0, "new", true)).isEqualTo(3);
        assertThat(log).hasContent("new");
        assertThat(file()).isEqualTo(file);
        Files.writeString(log, "the same beginning, and an end of last week");
        assertThat(grow(0, "the same", true)).isEqualTo(8);
        assertThat(log).hasContent("the same");
    }

    @Test
    void whatIsNotItsOwnIsLeftAlone() throws IOException {
        grow(0, "one two", true);
        refused(9, "gap", false);
        refused(4, "TWO three", false);
        refused(7, " three", true); // nothing of the piece is there to be compared
        Files.writeString(log, "");
        refused(7, " three", false);
        Files.delete(log);
        assertThatThrownBy(() -> grow(7, "later", false)).isInstanceOf(FileRefused.class);
        assertThat(log).doesNotExist();
        Path target = Files.writeString(folder.resolve("target"), "");
        Files.createSymbolicLink(log, target);
        assertThatThrownBy(() -> grow(0, "x", true)).isInstanceOf(FileRefused.class);
        assertThat(target).isEmptyFile();
        assertThatThrownBy(() -> worker.grow(out.resolve("no/folder"), "", 0, new byte[1], true))
                .isInstanceOf(FileRefused.class);
    }

    @Test
    void resultsFinishWhatHasBegun() throws IOException {
        grow(0, "one ", true);
        Object file = file();
        file("stdout", "one two three");
        byte[] tar = gnuTar("stdout");
        for (int i = 0; i < 2; i++) {
            assertThat(unpack(tar, new Rule("stdout", log, false, new Growth(true, "")))
                            .failures())
                    .isEmpty();
            assertThat(log).hasContent("one two three");
            assertThat(file()).isEqualTo(file);
        }
    }

    @Test
    void resultsTakeThePlaceOfWhatIsNotTheirBeginning() throws IOException {
        for (String there : new String[] {"one TWO", "one two three and more", "one two threE"}) {
            Files.writeString(log, there);
            Object file = file();
            file("stdout", "one two three");
            unpack(gnuTar("stdout"), new Rule("stdout", log, false, new Growth(true, "")));
            assertThat(log).hasContent("one two three");
            assertThat(file()).isNotEqualTo(file);
            worker.abandon(bundle, "7-1");
        }
        Files.writeString(log, "one two");
        Object file = file();
        unpack(gnuTar("stdout"), new Rule("stdout", log, false));
        assertThat(file()).as("an output that is no stream appears whole").isNotEqualTo(file);
    }
}
