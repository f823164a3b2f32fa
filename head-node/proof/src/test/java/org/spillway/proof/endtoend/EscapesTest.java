package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;

/** I1: a root head on the local cloud that requires isolation; two users' jobs with a GPU each on one node, and one tries to get out. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("processes")
final class EscapesTest {
    private static final int ALICE = 64242;
    private static final int BOB = 64243;
    private static final Path REPOSITORY =
            Path.of(System.getProperty("maven.multiModuleProjectDirectory", System.getProperty("user.dir") + "/../.."));

    private Path folder;
    private HeadFixture head;

    @BeforeEach
    void start() throws Exception {
        folder = Files.createTempDirectory("spillway-escapes");
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "only a root head has several users");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        head = new HeadFixture(folder, "{ source: file, passwd: passwd, group: group }");
        Files.writeString(
                folder.resolve("passwd"),
                "alice:x:64242:64242:Alice:/home/alice:/bin/sh\nbob:x:64243:64243:Bob:/home/bob:/bin/sh\n");
        Files.writeString(folder.resolve("group"), "alice:x:64242:\nbob:x:64243:\n");
        Files.writeString(
                folder.resolve("cloud.yaml"),
                "types:\n  - { name: small, cpus: 2, memoryGiB: 4, gpus: 2, gpuModel: h100, pricePerHour: 0.20, bootSeconds: 0.1 }\n");
        Path config = folder.resolve("spillway.yaml");
        Files.writeString(
                config,
                Files.readString(config).replace("maxNodes: 2", "maxNodes: 1\n    nodes: { isolation: required }"));
        head.start();
    }

    @AfterEach
    void end() throws Exception {
        if (head != null) {
            head.close();
        }
        Processes.ofRun(folder).forEach(Processes::kill);
        Installation.delete(folder);
    }

    @Test
    void everyAttemptIsRefusedAndEachJobSeesItsOwnGpu() throws Exception {
        Path alice = home("alice", ALICE);
        Path bob = home("bob", BOB);
        Files.writeString(bob.resolve("job.sh"), """
                for each in /tmp /var/tmp /dev/shm; do echo hidden >$each/victim && chmod 644 $each/victim; done
                echo hidden >secret
                export SECRET=hidden
                echo "[$CUDA_VISIBLE_DEVICES]" /dev/nvidia*
                while [ ! -e %s ]; do sleep 0.1; done
                """.formatted(folder.resolve("go")));
        String script = Files.readString(
                REPOSITORY.resolve("cloud-director/director/src/test/resources/org/spillway/director/escape.sh"));
        Files.writeString(alice.resolve("job.sh"), "echo \"[$CUDA_VISIBLE_DEVICES]\" /dev/nvidia* >gpus\n" + script);
        String victim = submit(bob, BOB, List.of());
        head.await(victim, job -> job.state() == JobState.RUNNING);
        String escape = submit(alice, ALICE, List.of("--out", "results/table", "--out", "gpus"));
        JobDetail told = head.awaitEnd(escape);
        assertThat(told.job().state()).as(() -> told + head.tail()).isEqualTo(JobState.DONE);
        assertThat(head.job(victim).job().state()).isEqualTo(JobState.RUNNING);
        Files.writeString(folder.resolve("go"), "");
        assertThat(head.awaitEnd(victim).job().state()).isEqualTo(JobState.DONE);
        List<String> rows = Files.readAllLines(alice.resolve("table"));
        assertThat(rows).allMatch(row -> row.endsWith("|refused"));
        List<String> documented = Files.readAllLines(REPOSITORY.resolve("docs/escapes.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| of |"))
                .toList();
        assertThat(rows.stream()
                        .map(row -> "| " + row.replace("|refused", "").replace("|", " | ") + " |")
                        .toList())
                .isEqualTo(documented);
        assertThat(alice.resolve("gpus")).hasContent("[0] /dev/nvidia1\n");
        assertThat(bob.resolve("job.out")).hasContent("[0] /dev/nvidia0\n");
    }

    private Path home(String user, int uid) throws Exception {
        Path own = Files.createDirectory(folder.resolve(user));
        Files.setAttribute(own, "unix:uid", uid);
        Files.setAttribute(own, "unix:gid", uid);
        return own;
    }

    private String submit(Path own, int uid, List<String> outputs) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups", "--no-new-privs"));
        command.addAll(Installation.shared().java("org.spillway.cli.Main", own.resolve("client.jsa")));
        command.addAll(List.of(
                "submit", "--socket", head.state().resolve("spillway.sock").toString()));
        command.addAll(List.of("--gpus", "1", "--mem", "256MiB", "--stdout", "job.out"));
        command.addAll(outputs);
        command.add("job.sh");
        Path out = folder.resolve("submitted." + uid);
        Path errors = folder.resolve("refused." + uid);
        var builder = new ProcessBuilder(command)
                .directory(own.toFile())
                .redirectOutput(out.toFile())
                .redirectError(errors.toFile());
        builder.environment().put("SPILLWAY_HOME", Installation.shared().home().toString());
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        return Files.readString(out).strip();
    }
}
