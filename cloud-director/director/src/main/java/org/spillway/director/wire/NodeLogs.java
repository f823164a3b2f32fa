package org.spillway.director.wire;

import java.util.List;
import java.util.Objects;

/**
 * Words of a site's nodes since the head asked last: the answer to {@code GET /v1/nodelogs?after=CURSOR}. Pieces up
 * to the cursor that is asked with are forgotten by the director.
 *
 * @param cursor to ask with next, once the pieces are kept
 * @param more whether more is there already
 */
public record NodeLogs(String cursor, boolean more, List<Piece> pieces) {
    public NodeLogs {
        pieces = List.copyOf(pieces);
    }

    /**
     * Part of what one node said.
     *
     * @param boot of the node, random with each
     * @param source such as {@code agent}
     * @param from how many bytes this source had said before, over all of the node's boots; a gap is what nobody kept
     */
    public record Piece(String node, String boot, String source, long from, byte[] bytes) {
        public Piece {
            Objects.requireNonNull(bytes, "bytes");
        }
    }
}
