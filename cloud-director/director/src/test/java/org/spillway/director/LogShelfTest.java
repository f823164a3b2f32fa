package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LogShelfTest {
    private static final SiteState.Task TASK = new SiteState.Task("j", 1, "n");
    private static final LogShelf.Stream OUT = new LogShelf.Stream(TASK, "stdout");

    private final LogShelf shelf = new LogShelf();

    private void add(long from, String text) {
        shelf.add(OUT, from, text.getBytes(StandardCharsets.UTF_8));
    }

    private String after(long offset) {
        return shelf.after(OUT, offset)
                .map(piece ->
                        piece.from() + "-" + piece.end() + ":" + new String(piece.bytes(), StandardCharsets.UTF_8))
                .orElse("nothing");
    }

    @Test
    void piecesJoinWhetherRepeatedOrOverlapping() {
        assertThat(after(0)).isEqualTo("nothing");
        add(0, "abc");
        add(0, "abc");
        add(1, "bcde");
        add(2, "c");
        assertThat(after(0)).isEqualTo("0-5:abcde");
        assertThat(after(4)).isEqualTo("4-5:e");
        assertThat(after(5)).isEqualTo("5-5:");
        assertThat(after(99)).isEqualTo("5-5:");
    }

    @Test
    void aGapForgetsWhatLiesBeforeIt() {
        add(0, "abc");
        add(10, "xyz");
        assertThat(after(0)).isEqualTo("10-13:xyz");
        add(13, "!");
        assertThat(after(12)).isEqualTo("12-14:z!");
    }

    @Test
    void aStreamKeepsItsLastBytes() {
        String many = "x".repeat(LogShelf.STREAM_BYTES - 1);
        add(0, many);
        add(many.length(), "yz");
        assertThat(shelf.after(OUT, 0)).hasValueSatisfying(piece -> {
            assertThat(piece.from()).isEqualTo(1);
            assertThat(piece.end()).isEqualTo(LogShelf.STREAM_BYTES + 1);
            assertThat(piece.bytes()).hasSize(LogShelf.STREAM_BYTES).endsWith('y', 'z');
        });
    }

    @Test
    void theStreamThatWasSilentForLongestGoesFirst() {
        var small = new LogShelf(10);
        var tasks = new SiteState.Task[] {TASK, new SiteState.Task("j", 1, "m"), new SiteState.Task("k", 1, "n")};
        for (var task : tasks) {
            small.add(new LogShelf.Stream(task, "stdout"), 0, new byte[4]);
            small.add(OUT, 0, new byte[4]);
        }
        assertThat(small.after(OUT, 0)).isPresent();
        assertThat(small.after(new LogShelf.Stream(tasks[1], "stdout"), 0)).isEmpty();
        assertThat(small.after(new LogShelf.Stream(tasks[2], "stdout"), 0)).isPresent();

        small.retain(Set.of(tasks[2]));
        assertThat(small.after(OUT, 0)).isEmpty();
        small.add(OUT, 0, new byte[6]);
        assertThat(small.after(new LogShelf.Stream(tasks[2], "stdout"), 0)).isPresent();
    }
}
