package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;

/** A site's mounts and names from its configuration to a job, and what is shown of them. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("processes")
final class StorageTest {
    /** Nothing of this machine's is there: the local cloud's nodes mount where nobody else sees it. */
    private static final Path PLACE = Path.of("/mnt/spillway-storage-test");

    private Path folder;
    private HeadFixture head;

    @BeforeEach
    void start() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting is for root: not looked at");
        folder = Files.createTempDirectory("spillway-storage");
        head = new HeadFixture(folder);
        Path kept = Files.createDirectories(folder.resolve("kept"));
        Files.writeString(kept.resolve("file"), "of the server\n");
        Path config = folder.resolve("spillway.yaml");
        String mounts =
                "[{ at: %s, from: %s, type: none, options: 'bind,ro', limit: 5s, category: ml }, { at: %s, from: fresh, type: tmpfs }]"
                        .formatted(PLACE, kept.toRealPath(), PLACE + "-all");
        Files.writeString(
                config,
                Files.readString(config).replace("maxNodes: 2", "maxNodes: 2\n    nodes: { mounts: " + mounts + " }")
                        + "categories: { ml: { queues: [east] } }\n");
        head.start();
    }

    @AfterEach
    void end() throws Exception {
        if (head != null) {
            head.close();
            Processes.ofRun(folder).forEach(Processes::kill);
            Installation.delete(folder);
            Files.deleteIfExists(PLACE);
            Files.deleteIfExists(Path.of(PLACE + "-all"));
        }
    }

    @Test
    void aGangFindsItsFilesAndItsNamesAndTheGateIsShown() throws Exception {
        Path seen = folder.resolve("seen");
        String script = """
                #!/bin/sh
                [ "$SPILLWAY_RANK" = 1 ] || {
                  cat %1$s/file
                  stat -f -c %%T %1$s-all
                  touch %1$s/new 2>/dev/null || echo read-only
                  for each in rank-0 rank-1 $(echo "$SPILLWAY_PEERS" | tr , ' '); do getent hosts "$each" | awk '{ print $2, $3 }'; done
                  echo "$SPILLWAY_NAMES" "$(uname -n)"
                } >seen
                """.formatted(PLACE);
        var end = head.awaitEnd(head.submit(JobSubmission.of(job -> {
            job.name = "gang";
            job.script = script;
            job.scriptName = "job.sh";
            job.nodes = 2;
            job.walltimeSeconds = 120;
            job.folder = folder.toString();
            job.outputs = List.of(new JobSubmission.Output("seen", seen.toString(), false, true));
        })));
        assertThat(end.job().state()).as(() -> end + head.tail()).isEqualTo(JobState.DONE);
        List<String> ids = end.ranks().stream().map(rank -> rank.node()).toList();
        String both = ids.get(0) + " rank-0\n" + ids.get(1) + " rank-1\n";
        assertThat(seen)
                .hasContent("of the server\ntmpfs\nread-only\n" + both + both + ids.get(0) + "," + ids.get(1) + " "
                        + ids.get(0) + "\n");
        assertThat(head.command("explain", ids.get(0)))
                .contains("mounts ok (" + PLACE)
                .contains("names ok (" + ids.get(0));
        assertThat(PLACE).isEmptyDirectory();
    }
}
