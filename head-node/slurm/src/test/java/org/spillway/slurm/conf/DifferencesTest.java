package org.spillway.slurm.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.slurm.conf.Setting.Rule;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.SlurmSettings;
import org.spillway.slurm.settings.Unnamed;

/** A Slurm that has all, and what is said when one thing is missing. */
final class DifferencesTest {
    private static final NodeGroup GROUP =
            new NodeGroup("west", "gpu", 2, 8, 30_000, 1, "h100", List.of("west", "gpu"));
    private static final Wanted WANTED = new Wanted(
            List.of(
                    new Setting("EnforcePartLimits", "ALL", Rule.SAME, "a"),
                    new Setting("PrologFlags", "Alloc", Rule.AMONG, "b"),
                    new Setting("SlurmdTimeout", "240", Rule.AT_LEAST, "c"),
                    new Setting("SrunPortRange", "60001-60999", Rule.ANY, "d"),
                    new Setting("PrivateData", "cloud", Rule.AMONG, "e")),
            List.of(GROUP),
            List.of(new Partition("west", List.of(GROUP), 60, 360, false)),
            JobFiles.of(Unnamed.HOME));
    private static final SlurmSettings HEAD = new SlurmSettings(
            Path.of("/etc/slurm/slurm.conf"),
            "slurm",
            "10.0.0.1:6817",
            Path.of("/run/munge/munge.socket.2"),
            Path.of("/k"),
            Map.of(),
            JobFiles.of(Unnamed.HOME),
            Map.of());

    private final Map<String, String> config = new LinkedHashMap<>(Map.of(
            "EnforcePartLimits", "ALL",
            "PrologFlags", "Contain,Alloc",
            "SlurmdTimeout", "300 sec",
            "SuspendTime", "31536000 sec",
            "SrunPortRange", "50000-51000",
            "SlurmUser", "slurm(64030)",
            "SlurmctldPort", "6817",
            "SlurmctldHost[0]", "head(10.0.0.1)",
            "SuspendExcNodes", "home[1-2]"));
    private final Map<String, Map<String, String>> nodes = new HashMap<>();
    private final Map<String, Map<String, String>> partitions =
            new HashMap<>(Map.of("west", Map.of("Nodes", "west-gpu-[1-2]", "State", "UP")));
    private final Map<String, Map<String, String>> reservations = new HashMap<>();

    DifferencesTest() {
        config.put("SLURM_VERSION", "22.05.8");
        config.put("PrivateData", "cloud,jobs");
        for (var name : GROUP.names()) {
            nodes.put(
                    name,
                    new HashMap<>(Map.of(
                            "NodeName",
                            name,
                            "State",
                            "IDLE+CLOUD+POWERED_DOWN",
                            "CPUTot",
                            "8",
                            "RealMemory",
                            "30000",
                            "Gres",
                            "gpu:h100:1(S:0)",
                            "AvailableFeatures",
                            "gpu,west,more",
                            "NodeAddr",
                            name)));
        }
        nodes.put("home1", Map.of("NodeName", "home1", "State", "IDLE", "NodeAddr", "127.0.0.1"));
    }

    private String partitionLine = "PartitionName=west Nodes=west-gpu-[1-2] State=DOWN";

    private List<Difference> differences() {
        var lines = ConfLines.of(
                "slurm.conf",
                "# PrologFlags=x\nprologflags = Contain # y\nNodeName=west-gpu-[1-2] CPUs=1\n" + partitionLine);
        return Differences.of(
                WANTED,
                HEAD,
                new Running(config, partitions, nodes, reservations),
                new ConfLines(lines),
                name -> name.equals("head") ? "127.0.1.1" : name);
    }

    @Test
    void aSlurmThatHasAllIsLeftAlone() {
        assertThat(differences()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "EnforcePartLimits|NO|EnforcePartLimits: found NO; a|EnforcePartLimits=ALL",
                "PrologFlags|Contain|slurm.conf:2: PrologFlags: found Contain; b|PrologFlags=Contain,Alloc",
                "PrivateData|none|PrivateData: found none; e|PrivateData=cloud",
                "PrologFlags|''|slurm.conf:2: PrologFlags: missing; b|PrologFlags=Alloc",
                "SlurmdTimeout|60 sec|SlurmdTimeout: found 60 sec; c|SlurmdTimeout=240",
                "SuspendTime|INFINITE|slurm.conf:4: PartitionName west: found SuspendTime=INFINITE;|SuspendTime=31536000",
                "SrunPortRange|0-0|SrunPortRange: found 0-0; d|SrunPortRange=60001-60999",
                "SlurmUser|root(0)|SlurmUser: found root;|workload.slurm.user: root",
                "SlurmctldPort|6818|SlurmctldPort: found 6818;|the same port in both",
                "AuthInfo|socket=/x|AuthInfo: found socket=/x;|workload.slurm.mungeSocket: /x",
                "SlurmctldHost[0]|head|SlurmctldHost: found head, which is 127.0.1.1 here;|SlurmctldHost=NAME(ADDRESS)",
                "SuspendExcNodes|''|SuspendExcNodes: missing;|SuspendExcNodes=home1",
            })
    void oneThingIsToldByItself(String key, String value, String text, String repair) {
        config.put(key, value);
        assertThat(differences()).singleElement().satisfies(difference -> {
            assertThat(difference.text()).startsWith(text);
            assertThat(difference.repair()).contains(repair);
        });
    }

    @ParameterizedTest
    @CsvSource({"21.08.8-2,1", "22.05.8,1", "'',1", "23.02.0,0", "24.11.5,0", "26.05.5,0"})
    void nodesThatAreOffAreShownByThemselvesSince2302(String release, int differences) {
        config.put("SLURM_VERSION", release);
        config.put("PrivateData", "none");
        assertThat(differences()).hasSize(differences);
    }

    @ParameterizedTest
    @CsvSource({
        "CPUTot,4,found CPUs=4",
        "RealMemory,32000,found RealMemory=32000",
        "Gres,'',found no Gres",
        "State,DOWN,found State without CLOUD",
        "AvailableFeatures,west,found Feature=west",
        "NodeAddr,127.1.2.3,found NodeAddr=127.1.2.3",
    })
    void aNodeThatIsAnotherIsNamed(String field, String value, String text) {
        nodes.get("west-gpu-2").put(field, value);
        assertThat(differences())
                .first()
                .satisfies(difference ->
                        assertThat(difference.text()).startsWith("slurm.conf:3: NodeName west-gpu-2: " + text));
    }

    @Test
    void powerSavingOfThePartitionIsEnoughAndNodesAtHomeAreNotSpokenOf() {
        config.remove("SuspendExcNodes");
        config.put("SuspendTime", "INFINITE");
        partitions.put("west", Map.of("Nodes", "west-gpu-[1-2]", "State", "UP", "SuspendTime", "31536000"));
        assertThat(differences()).isEmpty();
    }

    @Test
    void aPartitionThatNoHeadHasOpenedSaysSoAndOneThatSomebodyHasClosedDoes() {
        partitions.put("west", Map.of("Nodes", "west-gpu-[1-2]", "State", "DOWN", "MinNodes", "0"));
        assertThat(differences())
                .singleElement()
                .satisfies(difference -> assertThat(difference.repair()).startsWith("start the head"));
        partitions.put("west", Map.of("Nodes", "west-gpu-[1-2]", "State", "DOWN", "MinNodes", "1"));
        assertThat(differences())
                .singleElement()
                .satisfies(difference -> assertThat(difference.repair()).endsWith("partitionname=west state=up"));
    }

    @Test
    void aPartitionThatIsOpenByTheFileIsNamed() {
        partitionLine = "partitionname = west Nodes=west-gpu-[1-2] State = UP";
        assertThat(differences())
                .singleElement()
                .satisfies(difference -> assertThat(difference.text())
                        .startsWith("slurm.conf:4: PartitionName west: found no State=DOWN"));
        partitionLine = "partitionname=west Nodes=west-gpu-[1-2] state = Down MaxTime=5";
        assertThat(differences()).isEmpty();
        // A file that cannot be read says nothing.
        partitionLine = "";
        assertThat(differences()).isEmpty();
    }

    @Test
    void whatIsNotThereIsNamed() {
        nodes.remove("west-gpu-1");
        partitions.clear();
        assertThat(differences())
                .extracting(Difference::key)
                .containsExactly("NodeName west-gpu-1", "PartitionName west");
    }

    @Test
    void aReservationOverNodesThatAreOffIsNamedUnlessItMayBe() {
        reservations.put("spillway", Map.of("Nodes", "west-gpu-[1-2]"));
        reservations.put("mine", Map.of("Nodes", "home1", "Flags", "SPEC_NODES"));
        reservations.put("ours", Map.of("Nodes", "west-gpu-2", "Flags", "MAINT,SPEC_NODES"));
        assertThat(differences()).isEmpty();
        reservations.put("course", Map.of("Nodes", "west-gpu-2", "Flags", "SPEC_NODES"));
        assertThat(differences()).extracting(Difference::key).containsExactly("reservation course");
    }
}
