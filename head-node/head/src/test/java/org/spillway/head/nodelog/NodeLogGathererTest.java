package org.spillway.head.nodelog;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.NodeLogs;
import org.spillway.director.wire.Report;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.LogPart;
import org.spillway.head.link.RegionPieces;
import org.spillway.stage.transfer.Transfer;

/** Logs of nodes on their way home: with answers that are lost, a director that lies, and a full disk. */
final class NodeLogGathererTest {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    private static final String BOOT = "00112233445566aa";

    @TempDir
    Path folder;

    private final Far far = new Far();
    private boolean isFull;
    private boolean isThere = true;

    /** A director with pieces by number. */
    private static final class Far implements DirectorLink {
        private final List<NodeLogs.Piece> pieces = new ArrayList<>();
        private final List<String> asked = new ArrayList<>();
        private boolean losesAnswer;
        private boolean isEndless;
        private boolean isOld;

        void says(String node, long from, String text) {
            pieces.add(new NodeLogs.Piece(node, BOOT, "agent", from, text.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public Optional<NodeLogs> nodeLogs(DirectorTarget director, String cursor) throws LinkDownException {
            asked.add(cursor);
            if (losesAnswer) {
                losesAnswer = false;
                throw new LinkDownException("the answer was lost");
            }
            int from = cursor.isEmpty() ? 0 : Integer.parseInt(cursor);
            int end = Math.min(pieces.size(), from + 1);
            return isOld
                    ? Optional.empty()
                    : Optional.of(new NodeLogs(
                            Integer.toString(end), isEndless || end < pieces.size(), pieces.subList(from, end)));
        }

        @Override
        public Report sync(DirectorTarget director, Directive directive) {
            throw new AssertionError();
        }

        @Override
        public Transfer staging(DirectorTarget director) {
            throw new AssertionError();
        }

        @Override
        public RegionPieces pieces(DirectorTarget director) {
            throw new AssertionError();
        }

        @Override
        public Optional<LogPart> log(
                DirectorTarget director, String job, int attempt, String node, String stream, long after) {
            throw new AssertionError();
        }

        @Override
        public void forget(String site) {}
    }

    private NodeLogGatherer gatherer() {
        return new NodeLogGatherer(
                site -> isThere
                        ? Optional.of(new DirectorTarget(site, "d1", "i-1", "127.0.0.1", 22, "127.0.0.1"))
                        : Optional.empty(),
                far,
                new NodeLogStore(folder),
                (node, site) -> node.startsWith(site),
                () -> isFull,
                () -> NOON);
    }

    private String kept(String node) throws Exception {
        NodeLogStore store = new NodeLogStore(folder);
        List<NodeBoot> boots = store.boots(node);
        return boots.isEmpty()
                ? ""
                : store.read(boots.getLast(), List.of("agent")).getFirst().text();
    }

    @Test
    void everythingComesHomeOnceThoughAnswersAreLostAndHeadsDie() throws Exception {
        far.says("east-1", 0, "one\n");
        far.says("east-2", 0, "two\n");
        NodeLogGatherer gatherer = gatherer();
        far.losesAnswer = true;
        gatherer.turn("east");
        assertThat(kept("east-1")).isEmpty();
        gatherer.turn("east");
        far.says("east-1", 4, "three\n");
        // Another life of the head: it asks from the beginning.
        gatherer().turn("east");
        gatherer.turn("east");
        assertThat(kept("east-1")).isEqualTo("one\nthree\n");
        assertThat(kept("east-2")).isEqualTo("two\n");
        far.asked.clear();
        gatherer.turn("east");
        assertThat(far.asked).containsExactly("3");
    }

    @Test
    void aDirectorSpeaksForItsOwnNodesAndNotForEver() throws Exception {
        far.says("west-1", 0, "not mine\n");
        far.says("east-1", 0, "mine\n");
        far.isEndless = true;
        gatherer().turn("east");
        assertThat(kept("west-1")).isEmpty();
        assertThat(kept("east-1")).isEqualTo("mine\n");
        assertThat(far.asked).hasSize(30);
    }

    @Test
    void aFullDiskAnAbsentDirectorAndOneOfAnEarlierReleaseAreLeftAlone() throws Exception {
        far.says("east-1", 0, "one\n");
        NodeLogGatherer gatherer = gatherer();
        isFull = true;
        gatherer.turn("east");
        isFull = false;
        isThere = false;
        gatherer.turn("east");
        assertThat(far.asked).isEmpty();
        isThere = true;
        far.isOld = true;
        gatherer.turn("east");
        assertThat(far.asked).hasSize(1);
        assertThat(folder).isEmptyDirectory();
        far.isOld = false;
        gatherer.turn("east");
        assertThat(kept("east-1")).isEqualTo("one\n");
    }
}
