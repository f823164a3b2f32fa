package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.NodeLogs;

/** A node's words about itself are with its director before anything happens to it. */
@Tag("processes")
final class NodeSaidTest extends OnNodes {
    /** As the head keeps it: each source's bytes, by their places. */
    private final Map<String, StringBuilder> kept = new LinkedHashMap<>();

    private String cursor = "";
    private String boot = "";

    private String heard(String source) {
        try {
            byte[] answer = site.send(site.headClient(), "GET", "/v1/nodelogs?after=" + cursor, new byte[0])
                    .body();
            NodeLogs logs = WireJson.readNodeLogs(answer);
            cursor = logs.cursor();
            for (NodeLogs.Piece piece : logs.pieces()) {
                boot = piece.boot();
                StringBuilder text = kept.computeIfAbsent(piece.source(), any -> new StringBuilder());
                int known = (int) Math.max(0, text.length() - piece.from());
                assertThat(piece.from()).as("no gap").isLessThanOrEqualTo(text.length());
                if (known < piece.bytes().length) {
                    text.append(new String(piece.bytes(), StandardCharsets.ISO_8859_1).substring(known));
                }
            }
            return kept.getOrDefault(source, new StringBuilder()).toString();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void until(String source, String words) {
        TestNodes.await(source + " says " + words, () -> heard(source).contains(words));
    }

    @Test
    void aNodesLogsAreThereWhileItLivesAndAfterItAndItsDirectorDied() throws Exception {
        TestInstance instance = nodes.instance("says");
        Path kernel = instance.disk.resolve("kmsg");
        Files.writeString(kernel, "[    0.000000] Linux of the test\n[    1.000000] NVRM: Xid 79\n");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        until("kernel", "NVRM: Xid 79\n");
        until("health", "directory ok 1 users\n");
        String first = boot;
        Files.writeString(instance.disk.resolve("spillway/log"), "half a line", StandardOpenOption.APPEND);
        Files.writeString(kernel, "[    2.000000] second\n", StandardOpenOption.APPEND);
        until("kernel", "second\n");
        assertThat(heard("kernel"))
                .isEqualTo("[    0.000000] Linux of the test\n[    1.000000] NVRM: Xid 79\n[    2.000000] second\n");
        assertThat(heard("agent")).doesNotContain("half a line");
        Files.writeString(instance.disk.resolve("spillway/log"), " and the rest\n", StandardOpenOption.APPEND);
        until("agent", "half a line and the rest\n");

        // Words that the head had not fetched are lost with a director, and told to the next one.
        Files.writeString(kernel, "[    3.000000] third\n", StandardOpenOption.APPEND);
        TestNodes.await(
                "told",
                () -> read(instance.disk.resolve("spillway/said/kernel")).contains("third"));
        TestNodes.await(
                "sent",
                () -> read(instance.disk.resolve("spillway/said/kernel.told"))
                        .startsWith(read(instance.disk.resolve("spillway/said/kernel"))
                                        .length() + " "));
        site.restartDirector();
        site.sync();
        Files.writeString(kernel, "[    4.000000] fourth\n", StandardOpenOption.APPEND);
        until("kernel", "third\n[    4.000000] fourth\n");

        // The head does not name it any more: its last word is why it goes.
        site.nodes.clear();
        site.joins.clear();
        site.answersJoins = false;
        site.sync();
        until("agent", "powering off: the head does not name this node\n");
        assertThat(boot).isEqualTo(first);
        assertThat(kept.toString()).doesNotContain(TestSite.TOKEN).doesNotContain("PRIVATE KEY");
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
