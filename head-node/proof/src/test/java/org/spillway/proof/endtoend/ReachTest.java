package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;

/** ADR 67: a script that names nothing reads its user's home, also over a head that is killed in the midst of it. */
@Tag("processes")
@Timeout(600)
final class ReachTest {
    private static final String SCRIPT = """
            #!/bin/sh
            cat ~/data/x >out
            grep -c " $HOME overlay " /proc/mounts >>out
            : >%1$s/first
            while [ ! -e %1$s/second ]; do sleep 0.1; done
            cat ~/data/y >>out
            echo changed >~/data/x
            """;

    @TempDir
    Path given;

    @Test
    void aScriptThatNamesNothingReadsItsHome() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "not root: nodes mount nothing");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "no /dev/fuse");
        assumeTrue(Files.exists(Path.of("/usr/bin/sshfs")), "no sshfs: apt-get install sshfs");
        Path folder = given.toRealPath();
        Path home = Files.createDirectories(folder.resolve("users/root"));
        Path signs = Files.createDirectories(folder.resolve("signs"));
        Path results = Files.createDirectories(folder.resolve("results"));
        Files.createDirectories(home.resolve("data"));
        Files.writeString(home.resolve("data/x"), "x of home\n");
        Files.writeString(home.resolve("data/y"), "y of home\n");
        Path passwd = Files.writeString(folder.resolve("passwd"), "root:x:0:0:root:" + home + ":/bin/sh\n");
        Path group = Files.writeString(folder.resolve("group"), "root:x:0:\n");
        String directory = "{ source: file, passwd: " + passwd + ", group: " + group + " }";
        try (HeadFixture head = new HeadFixture(folder, directory)) {
            Path config = head.folder().resolve("spillway.yaml");
            Files.writeString(
                    config, Files.readString(config).replace("maxNodes: 2", "maxNodes: 2\n    nodes: { home: reach }"));
            head.start();
            String id = head.submit(JobSubmission.of(asked -> {
                asked.name = "plain";
                asked.script = SCRIPT.formatted(signs);
                asked.scriptName = "job.sh";
                asked.walltimeSeconds = 300;
                asked.folder = results.toString();
                asked.outputs = List.of(
                        new JobSubmission.Output("out", results.resolve("out").toString(), false, false));
            }));
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(signs.resolve("first"))))
                    .as(() -> head.job(id) + head.tail())
                    .isTrue();
            head.kill();
            Files.createFile(signs.resolve("second"));
            head.start();
            JobDetail done = head.awaitEnd(id);
            assertThat(done.job().state()).as(done + head.tail()).isEqualTo(JobState.DONE);
            assertThat(results.resolve("out")).hasContent("x of home\n1\ny of home\n");
            assertThat(home.resolve("data/x")).hasContent("x of home\n");
            assertThat(results.resolve("spillway-" + id + "/HOME/data/x")).hasContent("changed\n");
            assertThat(done.warnings()).anyMatch(said -> said.startsWith("HOME_READ: 1 file of its user's home, 10 B"));
        }
    }
}
