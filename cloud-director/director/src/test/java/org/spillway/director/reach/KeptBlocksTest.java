package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ADR 70: a block is given as it was kept, or not at all. */
final class KeptBlocksTest {
    private static final BlockKey ONE = new BlockKey("1000", "id", 0);
    private static final byte[] BYTES = "of home".getBytes(StandardCharsets.UTF_8);
    private static final long SIZE = 32 + 7;

    @TempDir
    Path given;

    private long room = 1 << 20;

    private KeptBlocks open() {
        return new KeptBlocks(given.resolve("reach"), () -> room);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(given.resolve("reach"))) {
            return all.toList();
        }
    }

    @Test
    void aBlockIsGivenAsItWasKeptAlsoByTheNextDirector() throws Exception {
        KeptBlocks kept = open();
        kept.keep(ONE, BYTES);
        kept.keep(ONE, BYTES);
        assertThat(kept.of(ONE)).hasValue(BYTES);
        assertThat(kept.has(ONE)).isTrue();
        assertThat(open().of(ONE)).hasValue(BYTES);
        assertThat(files()).singleElement().satisfies(file -> {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        });
    }

    @Test
    void ofAnotherUserStateOrPlaceIsNothing() {
        KeptBlocks kept = open();
        kept.keep(ONE, BYTES);
        assertThat(kept.of(new BlockKey("1001", "id", 0))).isEmpty();
        assertThat(kept.of(new BlockKey("1000", "id later", 0))).isEmpty();
        assertThat(kept.of(new BlockKey("1000", "id", 1))).isEmpty();
    }

    @Test
    void aBlockThatHasRottedOrIsCutOffIsNotGivenAndGoes() throws Exception {
        KeptBlocks kept = open();
        for (int wrong : new int[] {0, 31, 32, 38}) {
            kept.keep(ONE, BYTES);
            Path file = files().getFirst();
            byte[] all = Files.readAllBytes(file);
            all[wrong] ^= 1;
            Files.write(file, all);
            assertThat(kept.of(ONE)).as("byte " + wrong).isEmpty();
            assertThat(files()).isEmpty();
        }
        kept.keep(ONE, BYTES);
        Files.write(files().getFirst(), new byte[10]);
        assertThat(kept.of(ONE)).isEmpty();
        kept.keep(ONE, BYTES);
        assertThat(kept.of(ONE)).hasValue(BYTES);
    }

    /** A disk that was put together again may have a file under the name of another one. */
    @Test
    void aBlockUnderTheNameOfAnotherIsNotGiven() throws Exception {
        KeptBlocks kept = open();
        kept.keep(ONE, BYTES);
        Path first = files().getFirst();
        BlockKey other = new BlockKey("1001", "id", 0);
        kept.keep(other, "of others".getBytes(StandardCharsets.UTF_8));
        Path second =
                files().stream().filter(file -> !file.equals(first)).findFirst().orElseThrow();
        Files.copy(first, second, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThat(kept.of(other)).isEmpty();
        assertThat(kept.of(ONE)).hasValue(BYTES);
    }

    @Test
    void thoseUsedLongestAgoMakeRoom() throws Exception {
        room = 2 * SIZE;
        KeptBlocks kept = open();
        BlockKey two = new BlockKey("1000", "id", 1);
        BlockKey three = new BlockKey("1000", "id", 2);
        kept.keep(ONE, BYTES);
        kept.keep(two, BYTES);
        assertThat(kept.of(ONE)).isPresent();
        kept.keep(three, BYTES);
        assertThat(kept.of(two)).isEmpty();
        assertThat(kept.of(ONE)).isPresent();
        assertThat(kept.of(three)).isPresent();
        assertThat(files()).hasSize(2);
        room = SIZE;
        assertThat(open().has(three) && open().has(ONE)).isTrue();
        kept.shrink();
        assertThat(files()).hasSize(1);
        assertThat(kept.of(three)).isPresent();
        room = 0;
        kept.shrink();
        assertThat(files()).isEmpty();
        kept.keep(ONE, BYTES);
        assertThat(files()).isEmpty();
    }

    @Test
    void aDiskThatTakesNothingFailsNobody() throws Exception {
        KeptBlocks kept = open();
        kept.keep(ONE, BYTES);
        Files.delete(files().getFirst());
        assertThat(kept.of(ONE)).isEmpty();
        Files.delete(given.resolve("reach"));
        kept.keep(ONE, BYTES);
        assertThat(kept.of(ONE)).isEmpty();
        Files.createFile(given.resolve("reach"));
        KeptBlocks none = open();
        none.keep(ONE, BYTES);
        assertThat(none.of(ONE)).isEmpty();
        KeptBlocks unknown = new KeptBlocks(given.resolve("other"), () -> {
            throw new IOException("no such disk");
        });
        unknown.keep(ONE, BYTES);
        assertThat(unknown.of(ONE)).isEmpty();
        unknown.shrink();
    }

    @Test
    void nothingStaysOfADirectorThatWasKilledWhileItWrote() throws Exception {
        open().keep(ONE, BYTES);
        Path draft = given.resolve("reach/" + files().getFirst().getFileName() + ".x.new");
        Files.write(draft, BYTES);
        assertThat(open().of(ONE)).hasValue(BYTES);
        assertThat(draft).doesNotExist();
    }
}
