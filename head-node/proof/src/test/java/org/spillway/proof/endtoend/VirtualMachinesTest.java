package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.JobView;

/**
 * The main job where every instance is a real virtual machine: a stock Linux with cloud-init and OpenSSH, to which the
 * head brings its Java. Runs where {@code SPILLWAY_VM_LAB} names a directory that {@code labs/vm/build-image.sh} has
 * filled, as root; takes minutes in emulation.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Tag("processes")
final class VirtualMachinesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int ALICE = 64242;
    private static final String CONFIG = """
            cluster: vms
            budget: { limit: 50.00, period: day }
            directory: { source: file, passwd: passwd, group: group }
            image: { name: base, tree: ./image }
            queues: { east: { sites: [east], maxWalltime: 10m, default: true } }
            scaler: { settings: { idleTime: 10m } }
            sites:
              east:
                driver: vm-lab
                maxNodes: 1
                registration: 10m
                director: { type: small, idle: 10m }
                options: { lab: '%s', machines: '%s' }
            """;

    private Path folder;
    private Path lab;
    private HeadFixture head;

    @BeforeEach
    void start() throws Exception {
        String image = System.getenv("SPILLWAY_VM_LAB");
        assumeTrue(image != null, "SPILLWAY_VM_LAB does not name a directory of labs/vm/build-image.sh");
        folder = Files.createTempDirectory("spillway-vms");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        lab = Path.of(System.getProperty(
                        "maven.multiModuleProjectDirectory", System.getProperty("user.dir") + "/../.."))
                .resolve("labs/vm")
                .toRealPath();
        run(folder.resolve("lab.log"), List.of(lab.resolve("vm.sh").toString(), "net-up"));
        head = new HeadFixture(folder);
        Files.writeString(folder.resolve("passwd"), "alice:x:64242:64242:Alice:/home/alice:/bin/sh\n");
        Files.writeString(folder.resolve("group"), "alice:x:64242:\nphysics:x:64300:alice\n");
        Files.writeString(folder.resolve("spillway.yaml"), CONFIG.formatted(lab, folder.resolve("machines")));
        head.begin(VmHead.class.getName(), folder.resolve("spillway.yaml").toString());
        assertThat(head.answers()).as(head.tail()).isTrue();
    }

    @AfterEach
    void end() throws Exception {
        if (head != null) {
            head.close();
            run(folder.resolve("lab.log"), List.of(lab.resolve("vm.sh").toString(), "sweep", folder.toString()));
            run(folder.resolve("lab.log"), List.of(lab.resolve("vm.sh").toString(), "net-down"));
            Installation.delete(folder);
        }
    }

    @Test
    void theMainJobRunsOnMachinesThatKnewNothingOfUs() throws Exception {
        Path own = Files.createDirectory(folder.resolve("alice"));
        Path script = Files.writeString(own.resolve("job.sh"), """
                #!/bin/sh
                tool >out.txt
                tr a-z A-Z <in.txt >>out.txt
                id >>out.txt
                curl -s --noproxy '*' --max-time 2 http://169.254.169.254/ && echo 'metadata is open' >>out.txt
                test -r /var/lib/cloud/instance/user-data.txt && echo 'user data is open' >>out.txt
                exit 0
                """);
        Files.writeString(own.resolve("in.txt"), "hello from home\n");
        for (Path each : List.of(own, script, own.resolve("in.txt"))) {
            Files.setAttribute(each, "unix:uid", ALICE);
            Files.setAttribute(each, "unix:gid", ALICE);
        }
        String job = submit(own);
        boolean ended =
                Processes.eventually(PATIENCE, () -> head.job(job).job().state().isTerminal());
        JobView view = head.job(job).job();
        assertThat(ended && view.state().name().equals("DONE"))
                .as(() -> view + "\n" + head.tail() + consoles())
                .isTrue();
        assertThat(own.resolve("out.txt"))
                .hasContent("image tool\nHELLO FROM HOME\n"
                        + "uid=64242(alice) gid=64242(alice) groups=64242(alice),64300(physics)\n");
        assertThat(Files.readString(head.log()))
                .contains("has no Java 25: it gets java-25")
                .containsPattern("the host key of east-director-\\d+ is rotated");
        assertThat(head.command("stop", "--release", "--wait", "--timeout", "300s"))
                .contains("instances left: 0");
        try (var left = Files.list(folder.resolve("machines"))) {
            assertThat(left).isEmpty();
        }
    }

    private String submit(Path own) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--reuid=" + ALICE, "--regid=" + ALICE, "--clear-groups", "--no-new-privs"));
        command.addAll(Installation.shared().java("org.spillway.cli.Main", own.resolve("alice.jsa")));
        String socket = head.state().resolve("spillway.sock").toString();
        command.addAll(List.of("submit", "--socket", socket, "--in", "in.txt", "--out", "out.txt", "job.sh"));
        Path out = folder.resolve("submitted");
        var builder = new ProcessBuilder(command)
                .directory(own.toFile())
                .redirectError(folder.resolve("submit.err").toFile())
                .redirectOutput(out.toFile());
        builder.environment().put("SPILLWAY_HOME", Installation.shared().home().toString());
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("submit.err")))
                .isZero();
        return Files.readString(out).strip();
    }

    private String consoles() {
        var text = new StringBuilder();
        try (var machines = Files.list(folder.resolve("machines"))) {
            for (Path machine : machines.toList()) {
                String console =
                        Files.readString(machine.resolve("console.log"), java.nio.charset.StandardCharsets.ISO_8859_1);
                text.append("\n== ").append(machine.getFileName()).append('\n');
                text.append(console.substring(Math.max(0, console.length() - 3000)));
            }
        } catch (IOException unreadable) {
            text.append(unreadable);
        }
        return text.toString();
    }

    static void run(Path log, List<String> command) throws IOException {
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("VM_IMAGE", System.getenv("SPILLWAY_VM_LAB"));
        Process process = builder.start();
        try {
            if (!process.waitFor(180, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(command + " failed:\n" + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
