package org.spillway.slurm.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.FakeDriver;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.settings.ConfigMistakes;
import org.spillway.slurm.SlurmTenant;

/** Every setting of {@code workload.slurm}: its default, its mapping, its rejection. */
final class SlurmSettingsTest {
    private static final String SLURM = """
            workload:
              manager: slurm
              slurm:
                controller: 10.9.0.254:6817
                mungeKey: munge.key
                nodes: { east: { small: 8, large: 2 } }
            cluster: demo
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { tree: image }
            queues: { east: { sites: [east] } }
            sites: { east: { driver: local, maxNodes: 4, director: { type: small } } }
            """;

    record Policy(String label) {}

    @TempDir
    Path folder;

    @BeforeEach
    void files() throws IOException {
        Files.createDirectories(folder.resolve("image"));
        for (var key : List.of("munge.key", "open.key")) {
            Files.writeString(folder.resolve(key), "x");
            var mode = key.startsWith("open") ? "rw-r--r--" : "r--------";
            Files.setPosixFilePermissions(folder.resolve(key), PosixFilePermissions.fromString(mode));
        }
    }

    private HeadConfig read(String text) throws IOException, ConfigMistakes {
        var installed = new Installed(
                Map.of("local", new FakeDriver()),
                Map.of("queue-depth", new Policy("x")),
                Map.of("slurm", new SlurmTenant()));
        return ConfigReader.read(Files.writeString(folder.resolve("spillway.yaml"), text), installed);
    }

    @Test
    void whatIsNotSaidIsWhatDebianHas() throws IOException, ConfigMistakes {
        var slurm = read(SLURM).workload().of(SlurmSettings.class).orElseThrow();
        assertThat(slurm.conf()).isEqualTo(Path.of("/etc/slurm/slurm.conf"));
        assertThat(slurm.user()).isEqualTo("slurm");
        assertThat(slurm.mungeSocket()).isEqualTo(Path.of("/run/munge/munge.socket.2"));
        assertThat(slurm.mungeKey()).isEqualTo(folder.resolve("munge.key"));
        assertThat(slurm.controller()).isEqualTo("10.9.0.254:6817");
        assertThat(slurm.nodes()).isEqualTo(Map.of("east", Map.of("small", 8, "large", 2)));
        assertThat(slurm.reasons()).isEmpty();
        assertThat(slurm.files()).isEqualTo(new JobFiles(Unnamed.HOME, List.of()));
    }

    @Test
    void whatIsSaidIsTaken() throws IOException, ConfigMistakes {
        var more =
                "    shared: [/home, /projects/ai]\n    unnamed: leave\n    reasons: { Priority: never, Licenses: scale, PartitionDown: scale-without-nodes }\n    conf: etc/slurm.conf\n    user: hpc\n    mungeSocket: /run/m.sock\n    controller";
        var slurm = read(SLURM.replace("    controller", more))
                .workload()
                .of(SlurmSettings.class)
                .orElseThrow();
        assertThat(slurm.conf()).isEqualTo(folder.resolve("etc/slurm.conf"));
        assertThat(slurm.user()).isEqualTo("hpc");
        assertThat(slurm.reasons())
                .isEqualTo(Map.of(
                        "Priority", PendingReason.NEVER,
                        "Licenses", PendingReason.SCALES,
                        "PartitionDown", PendingReason.SCALES_WITHOUT_NODES));
        assertThat(slurm.mungeSocket()).isEqualTo(Path.of("/run/m.sock"));
        assertThat(slurm.files()).isEqualTo(new JobFiles(Unnamed.LEAVE, List.of("/home", "/projects/ai")));
    }

    /** Slurm gives a job any node of its site, whatever market that was bought in. */
    @Test
    void queuesOfASiteHaveTheSameMarkets() throws IOException, ConfigMistakes {
        var cheap = "cheap: { sites: [east], markets: [spot, on-demand] }";
        var mistakes = catchThrowableOfType(
                ConfigMistakes.class,
                () -> read(SLURM.replace("{ east: { sites: [east] } }", "{ east: { sites: [east] }, " + cheap + " }")));
        assertThat(mistakes.lines())
                .singleElement()
                .asString()
                .endsWith("queues.cheap: found markets [on-demand, spot] beside queue east with [on-demand, reserved],"
                        + " which shares a site with it; allowed with workload.manager: slurm: the same for all queues of"
                        + " a site");
        assertThat(read(SLURM.replace("{ east: { sites: [east] } }", "{ " + cheap + " }"))
                        .queues())
                .containsOnlyKeys("cheap");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "manager: slurm|manager: embedded|workload.slurm: found with workload.manager embedded",
                "10.9.0.254:6817|10.9.0.254|workload.slurm.controller: found '10.9.0.254'",
                "10.9.0.254:6817|127.0.0.1:6817|workload.slurm.controller: found '127.0.0.1:6817', by which nodes would call themselves",
                "10.9.0.254:6817|localhost:6817|by which nodes would call themselves",
                "munge.key|none.key|workload.slurm.mungeKey: ",
                "munge.key|open.key|workload.slurm.mungeKey: ",
                "{ east: { small: 8|{ west: { small: 8|workload.slurm.nodes.west: there is no such site; allowed: east",
                "small: 8|small: 0|workload.slurm.nodes.east.small: found '0'; allowed: a whole number from 1 to 2000",
                "small: 8|small: 2001|workload.slurm.nodes.east.small: found '2001'",
                "mungeKey|userr: x\\n    mungeKey|workload.slurm.userr: unknown key",
                "mungeKey|reasons: { Priority: often }\\n    mungeKey|workload.slurm.reasons.Priority: found 'often'; allowed: scale, scale-without-nodes, never",
                "mungeKey|reasons: { Priorty: never }\\n    mungeKey|workload.slurm.reasons.Priorty: not a pending reason that may be moved",
                "mungeKey|reasons: { BurstBufferStageIn: never }\\n    mungeKey|workload.slurm.reasons.BurstBufferStageIn: not a pending reason that may be moved",
                "mungeKey|reasons: never\\n    mungeKey|workload.slurm.reasons: found 'never'; allowed: a section of keys",
                "mungeKey|shared: /home\\n    mungeKey|workload.slurm.shared: found '/home'; allowed: a list of folders",
                "mungeKey|shared: [home]\\n    mungeKey|workload.slurm.shared: found 'home'; allowed: a list of folders",
                "mungeKey|shared: [/home/]\\n    mungeKey|workload.slurm.shared: found '/home/'",
                "mungeKey|shared: [/a/../etc]\\n    mungeKey|workload.slurm.shared: found '/a/../etc'",
                "mungeKey|shared: [/usr/local]\\n    mungeKey|workload.slurm.shared: found '/usr/local'",
                "mungeKey|shared: [/a, /b, /c, /d, /e, /f, /g, /h, /i]\\n    mungeKey|workload.slurm.shared: found 9 folders; allowed: at most 8",
                "mungeKey|user: a b\\n    mungeKey|workload.slurm.user: found 'a b'",
            })
    void isRejected(String good, String bad, String message) throws IOException {
        var text = SLURM.replace(good, bad.replace("\\n", "\n"));
        var mistakes = catchThrowableOfType(ConfigMistakes.class, () -> read(text));
        assertThat(String.join("\n", mistakes.lines())).contains(message);
    }
}
