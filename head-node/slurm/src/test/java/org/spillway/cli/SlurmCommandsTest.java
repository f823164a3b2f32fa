package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.head.config.Installed;
import org.spillway.slurm.SlurmTenant;
import org.spillway.slurm.command.SlurmCheckCommand;
import org.spillway.slurm.command.SlurmCommands;
import org.spillway.slurm.hooks.FakeSlurm;
import org.spillway.slurm.hooks.SlurmApi;
import org.spillway.slurm.hooks.SlurmRoutes;
import picocli.CommandLine;

/** {@code spillway slurm}, as an administrator types it. */
final class SlurmCommandsTest extends AskedHead {
    private static final String CONFIG = """
            cluster: demo
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { tree: image }
            socket: @SOCKET@
            workload:
              manager: slurm
              slurm:
                conf: etc/slurm.conf
                controller: 10.9.0.254:6817
                mungeKey: munge.key
                nodes: { east: { gpu-large: 8, small: 1 } }
            queues:
              batch: { sites: [east], maxWalltime: 2d }
            sites:
              east:
                driver: local
                maxNodes: 9
                director: { type: small }
                options: { state: cloud }
            """;

    record Policy(String label) {}

    private static Optional<SlurmApi> hooks = Optional.empty();

    private Path config = Path.of("");
    private Path etc = Path.of("");

    @BeforeAll
    static void withHooks() throws IOException {
        HEAD.parts.add(new SlurmRoutes(() -> hooks));
        serveAgain();
    }

    @AfterAll
    static void withoutHooks() {
        HEAD.parts.clear();
    }

    @Override
    List<CommandSource> more() {
        return List.of(new SlurmCommands(() -> installed));
    }

    @BeforeEach
    void configure() throws IOException {
        installed = Installed.withDrivers(Map.of("queue-depth", new Policy("x")), Map.of("slurm", new SlurmTenant()));
        Files.createDirectories(folder.resolve("image"));
        etc = Files.createDirectories(folder.resolve("etc"));
        Files.writeString(folder.resolve("munge.key"), "k".repeat(128));
        Files.setPosixFilePermissions(folder.resolve("munge.key"), PosixFilePermissions.fromString("r--------"));
        config = Files.writeString(folder.resolve("spillway.yaml"), CONFIG.replace("@SOCKET@", socket.toString()));
    }

    @Test
    void configPrintsAllFiles() {
        assertThat(slurm("config", "--spillway", "/opt/spillway/spillway")).isZero();
        assertThat(err.toString()).isEmpty();
        var files = clean(out.toString());
        assertThat(files).doesNotContainPattern("@[A-Z]+@").contains("local SOCKET = \"/site/spillway.sock\"");
        int lua = files.indexOf("######## burst_buffer.lua");
        int programs = files.indexOf("######## spillway-resume");
        golden("slurm-config.txt", files.substring(0, lua) + files.substring(programs));
    }

    @Test
    void configWritesThemAndNothingThatIsNotItsOwn() throws IOException {
        assertThat(slurm("config", "--spillway", "/opt/spillway/spillway", "--out", etc.toString()))
                .isZero();
        assertThat(Files.readString(etc.resolve("spillway-resume"))).contains("slurm resume --socket " + socket);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(etc.resolve("spillway-resume"))))
                .isEqualTo("rwxr-xr-x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(etc.resolve("burst_buffer.lua"))))
                .isEqualTo("rw-r--r--");
        try (var files = Files.list(etc)) {
            assertThat(files).hasSize(7);
        }
        assertThat(slurm("config", "--out", etc.toString())).as("again").isZero();
        Files.writeString(etc.resolve("gres.conf"), "NodeName=onprem1 Name=gpu File=/dev/nvidia0\n");
        Files.delete(etc.resolve("spillway.conf"));
        assertThat(slurm("config", "--out", etc.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("gres.conf is not of ours, and nothing was written");
        assertThat(etc.resolve("spillway.conf")).doesNotExist();
    }

    @Test
    void theFiguresMayComeFromAFile() throws IOException {
        assertThat(ask("offerings", "--json")).isZero();
        var file = Files.writeString(
                folder.resolve("offerings.json"), out.toString().replace("gpu-large", "gpu-huge"));
        assertThat(slurm("config", "--offerings", file.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "workload.slurm.nodes.east.gpu-large: site east does not offer it; it offers gpu-huge, small");
        assertThat(slurm("config", "--offerings", "nothing")).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "batch: {|east: {|0|",
                "batch: { sites: [east]|small: { sites: [east]|0|",
                "manager: slurm|manager: embedded|2|cannot be used",
            })
    void whatTheConfigurationSays(String from, String to, int code, String message) throws IOException {
        Files.writeString(config, Files.readString(config).replace(from, to));
        assertThat(slurm("config")).isEqualTo(code);
        assertThat(err.toString()).contains(message == null ? "" : message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--spillway=/opt/a b", "--spillway=/opt/$(id)", "--gpu-devices=dev", "--gpu-devices=/dev/x;y"})
    void nothingGetsIntoACommandThatWouldMeanSomethingThere(String option) {
        assertThat(slurm("config", option)).isEqualTo(2);
        assertThat(err.toString()).contains("cannot stand in Slurm's files");
    }

    @Test
    void checkNamesEachDifferenceAndItsRepair() throws IOException {
        assertThat(slurm("config", "--spillway", "/opt/spillway/spillway", "--out", etc.toString()))
                .isZero();
        Files.writeString(etc.resolve("slurm.conf"), """
                ClusterName=lab
                SlurmctldHost=vm(127.0.0.1)
                # EnforcePartLimits=ALL
                SuspendTime=-1
                PrologFlags = Contain
                Include spillway.conf
                """);
        Files.delete(etc.resolve("burst_buffer.lua"));
        var scontrol = Files.writeString(folder.resolve("scontrol"), """
                #!/bin/sh
                cat "$(dirname "$0")/$(echo "$*" | tr -dc a-z).txt"
                """);
        Files.setPosixFilePermissions(scontrol, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (var name : new String[] {"showconfig", "oashowpartition", "oashownode", "oshowreservation"}) {
            try (var in = SlurmCommandsTest.class.getResourceAsStream("slurm/" + name + ".txt")) {
                Files.write(folder.resolve(name + ".txt"), in.readAllBytes());
            }
        }
        out.getBuffer().setLength(0);
        assertThat(check(scontrol)).isEqualTo(1);
        golden("slurm-check.txt", clean(out.toString()));
        out.getBuffer().setLength(0);
        assertThat(check(scontrol, "--json")).isEqualTo(1);
        assertThat(out.toString())
                .contains("\"key\" : \"SlurmdTimeout\"")
                .contains("\"repair\" : \"SlurmdTimeout=660\"");
        Files.writeString(
                scontrol,
                "#!/bin/sh\necho 'slurm_load_ctl_conf error: Unable to contact slurm controller' >&2\nexit 1\n");
        assertThat(check(scontrol)).isEqualTo(3);
        assertThat(err.toString()).contains("scontrol show config: slurm_load_ctl_conf error");
    }

    private int check(Path scontrol, String... more) {
        var command = new CommandLine(new SlurmCheckCommand(() -> installed, usual -> scontrol));
        command.setExecutionExceptionHandler((failed, line, result) -> {
            err.write(failed.getMessage());
            return ((CliFailure) failed).exitCode();
        });
        var arguments = new String[3 + more.length];
        arguments[0] = "--config=" + config;
        arguments[1] = "--socket=" + socket;
        arguments[2] = "--spillway=/opt/spillway/spillway";
        System.arraycopy(more, 0, arguments, 3, more.length);
        return command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
    }

    @Test
    void resumeAndSuspendTellTheHead() {
        var slurm = new FakeSlurm();
        hooks = Optional.of(slurm);
        slurm.everybody = true;
        assertThat(run("slurm", "resume", "--socket", socket.toString(), "west-gpu-[1-2],onprem1"))
                .isZero();
        assertThat(slurm.asked).containsExactly("resume [west-gpu-1, west-gpu-2, onprem1]");
        assertThat(out.toString()).contains("west-gpu-2  n1").contains("not a node of Spillway");
        assertThat(run("slurm", "suspend", "--socket", socket.toString(), "west-gpu-1", "--json"))
                .isZero();
        assertThat(run("slurm", "resume", "--socket", folder.resolve("none").toString(), "a"))
                .as("a head that is away")
                .isEqualTo(3);
        hooks = Optional.empty();
        assertThat(run("slurm", "resume", "--socket", socket.toString(), "a")).isEqualTo(1);
        assertThat(err.toString()).contains("this head has no Slurm");
    }

    @ParameterizedTest
    @ValueSource(strings = {"setup", "undo", "config", "check", "resume", "suspend"})
    void helpTeachesWithAnExample(String command) {
        assertThat(run("slurm", command, "--help")).isZero();
        golden("help-slurm-" + command + ".txt", out.toString());
        assertThat(out.toString()).containsPattern("Examples?:");
    }

    private int slurm(String... arguments) {
        var all = new String[arguments.length + 5];
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[0] = "slurm";
        all[1] = arguments[0];
        System.arraycopy(arguments, 1, all, 2, arguments.length - 1);
        all[arguments.length + 1] = "--config";
        all[arguments.length + 2] = config.toString();
        all[arguments.length + 3] = "--socket";
        all[arguments.length + 4] = socket.toString();
        return run(all);
    }

    private String clean(String text) {
        return text.replace(folder.toString(), "/site").replace(socket.toString(), "/site/spillway.sock");
    }
}
