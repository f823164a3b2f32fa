package org.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Instance;
import org.spillway.policy.Market;

/** Which processes are an instance's, and end with it. */
final class InstanceProcessesTest {
    @TempDir
    Path directory;

    /** I4: a job's process that forked with an empty environment outlived its node by 44 minutes. */
    @Test
    void aProcessWithoutMarkInTheInstancesGroupsEndsWithIt() throws Exception {
        var builder = new ProcessBuilder("sleep", "987");
        builder.environment().clear();
        Process stray = builder.start();
        try {
            var processes = new InstanceProcesses(instance(), directory, "machine", "");
            assertThat(processes.look()).isEmpty();
            Path group = Files.createDirectories(directory.resolve("groups/j1.1"));
            Files.writeString(group.resolve("cgroup.procs"), stray.pid() + "\nno number\n");
            Files.createDirectories(directory.resolve("groups/empty"));
            Path list = Files.createDirectories(directory.resolve("spillway")).resolve("cages");
            Files.writeString(list, directory.resolve("gone") + "\n" + directory.resolve("groups") + "\n");
            assertThat(processes.look()).containsExactly(stray.toHandle());
            processes.killAll();
            assertThat(stray.waitFor()).isEqualTo(137);
            assertThat(directory.resolve("groups/empty")).doesNotExist();
        } finally {
            stray.destroyForcibly();
        }
    }

    private static InstanceRecord instance() {
        Instant now = Instant.parse("2026-11-01T00:00:00Z");
        return new InstanceRecord(
                "i-caged",
                "a",
                "paper",
                Market.ON_DEMAND,
                Instance.State.RUNNING,
                "127.77.1.1",
                2222,
                now,
                now,
                Map.of(),
                false,
                false,
                -1,
                now,
                InstanceRecord.NEVER,
                0,
                "launched",
                "",
                InstanceRecord.Ending.NONE);
    }
}
