package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.NodeLogs;

/** Words of nodes between them and the head: nothing twice for good, nothing without bound. */
final class NodeLogShelfTest {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    private static final String BOOT = "0123456789abcdef";

    private final NodeLogShelf shelf = new NodeLogShelf(3_000_000);

    private boolean add(String node, long from, int bytes, Instant now) {
        return shelf.add(node, List.of(new NodeLogs.Piece(node, BOOT, "agent", from, new byte[bytes])), now);
    }

    @Test
    void aPieceStaysUntilTheHeadAsksForWhatFollows() {
        assertThat(add("n1", 0, 10, NOON)).isTrue();
        NodeLogs first = shelf.after("", NOON);
        assertThat(first.pieces()).hasSize(1);
        assertThat(shelf.after("", NOON).pieces()).as("the answer was lost").hasSize(1);
        add("n1", 10, 5, NOON);
        assertThat(shelf.after(first.cursor(), NOON).pieces())
                .singleElement()
                .satisfies(piece -> assertThat(piece.from()).isEqualTo(10));
        assertThat(new NodeLogShelf().after(first.cursor(), NOON).pieces()).isEmpty();
        NodeLogs second = shelf.after("00000000-0000-0000-0000-000000000000.99", NOON);
        assertThat(second.pieces()).as("a cursor of another process").hasSize(1);
        NodeLogs none = shelf.after(second.cursor(), NOON);
        assertThat(none.pieces()).isEmpty();
        assertThat(none.cursor()).isEqualTo(second.cursor());
    }

    @Test
    void whoSaysTooMuchIsNotHeardForAWhile() {
        int piece = 64 * 1024;
        int taken = 0;
        while (add("noisy", (long) taken * piece, piece, NOON)) {
            taken++;
        }
        assertThat(taken).isBetween(14, 16);
        assertThat(add("quiet", 0, piece, NOON)).isTrue();
        assertThat(add("noisy", 0, piece, NOON)).isFalse();
        assertThat(add("noisy", 0, piece, NOON.plusSeconds(10))).isTrue();
        NodeLogs all = shelf.after("", NOON);
        assertThat(all.pieces().stream()
                        .filter(one -> one.node().equals("noisy"))
                        .mapToLong(one -> one.bytes().length)
                        .sum())
                .isLessThanOrEqualTo(NodeLogShelf.MOST_OF_A_NODE);
    }

    @Test
    void aThousandNodesAtOnceHaveTheRoomAndTheLoudestGivesWay() {
        for (int round = 0; round < 7; round++) {
            add("loud", round * 60_000L, 60_000, NOON);
        }
        for (int node = 0; node < 1000; node++) {
            assertThat(add("n" + node, 0, 2_700, NOON)).isTrue();
        }
        List<String> heard = new ArrayList<>();
        long bytes = 0;
        String cursor = "";
        NodeLogs answer;
        do {
            answer = shelf.after(cursor, NOON);
            cursor = answer.cursor();
            for (NodeLogs.Piece piece : answer.pieces()) {
                heard.add(piece.node());
                bytes += piece.bytes().length;
            }
        } while (answer.more());
        assertThat(heard.stream().filter(node -> !node.equals("loud")).distinct())
                .hasSize(1000);
        assertThat(heard.stream().filter(node -> node.equals("loud")).count())
                .as("what is left of its seven pieces")
                .isEqualTo(1);
        assertThat(bytes).isLessThanOrEqualTo(3_000_000);
    }

    @Test
    void aNodesTextIsWholePiecesOrNothing() {
        byte[] text = "agent 7 12\nkernel 0 99\nkernel 0 3\nabc".getBytes(StandardCharsets.UTF_8);
        List<NodeLogs.Piece> pieces = NodeLogText.parse("n1", BOOT, text);
        assertThat(pieces).hasSize(2);
        assertThat(new String(pieces.getFirst().bytes(), StandardCharsets.UTF_8))
                .isEqualTo("kernel 0 99\n");
        assertThat(pieces.getFirst().from()).isEqualTo(7);
        assertThat(new String(pieces.getLast().bytes(), StandardCharsets.UTF_8)).isEqualTo("abc");
        for (String bad : List.of(
                "agent 0 4\nabc", "shadow 0 3\nabc", "agent -1 3\nabc", "agent 0 3", "agent 0 1\naagent 0 1\nb", "x")) {
            assertThatThrownBy(() -> NodeLogText.parse("n1", BOOT, bad.getBytes(StandardCharsets.UTF_8)))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> NodeLogText.parse("n1", "../../x", text)).isInstanceOf(IllegalArgumentException.class);
    }
}
