package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.policy.Money;
import org.spillway.settings.ClusterTemplate;
import org.spillway.settings.ConfigMistakes;

final class ClusterTemplateTest {
    private static final String CLASS = """
            parameters:
              - { name: students, type: integer, default: 4, min: 1, max: 30 }
              - { name: kind, oneOf: [small, gpu.small], default: small }
              - { name: hours, type: time, min: 1h, max: 8h }
              - { name: software, oneOf: [torch, base], default: torch }
              - { name: money, type: amount, default: 5.00, max: 50 }
            cluster:
              site: west
              nodes: ${students}
              gpus: 0
              type: ${kind}
              ttl: ${hours}
              budget: ${money}
              users: [alice, bob]
              results: /home/alice/${kind}-${students}
              image: ${software}
              workload: slurm
            """;

    @TempDir
    private Path folder;

    private ClusterTemplate read(String text, Map<String, String> set) throws ConfigMistakes, IOException {
        return ClusterTemplate.read(Files.writeString(folder.resolve("class.yaml"), text), set);
    }

    private String mistakes(String text, Map<String, String> set) {
        ConfigMistakes mistakes = catchThrowableOfType(ConfigMistakes.class, () -> read(text, set));
        assertThat(mistakes).as(text + set).isNotNull();
        return String.join("\n", mistakes.lines()).replace(folder + "/", "");
    }

    @Test
    void parametersTakeTheirPlaces() throws Exception {
        var template = read(CLASS, Map.of("hours", "2h", "students", "12"));
        assertThat(template.site()).isEqualTo("west");
        assertThat(template.nodes()).isEqualTo(OptionalInt.of(12));
        assertThat(template.gpus()).isEqualTo(OptionalInt.of(0));
        assertThat(template.type()).isEqualTo("small");
        assertThat(template.ttl()).contains(Duration.ofHours(2));
        assertThat(template.budget()).contains(Money.parse("5"));
        assertThat(template.users()).containsExactly("alice", "bob");
        assertThat(template.results()).isEqualTo("/home/alice/small-12");
        assertThat(template.image()).isEqualTo("torch");
        assertThat(template.workload()).isEqualTo("slurm");
    }

    @Test
    void anotherWorkloadManagerThanTheTwoIsNamed() {
        assertThat(mistakes("cluster: { workload: 'a b' }\n", Map.of()))
                .contains(
                        "class.yaml:1: cluster.workload: found 'a b'; allowed: a workload manager's name, such as embedded");
    }

    @Test
    void whatItDoesNotSayIsEmpty() throws Exception {
        var template = read("cluster: { site: west }\n", Map.of());
        assertThat(template.nodes()).isEmpty();
        assertThat(template.ttl()).isEmpty();
        assertThat(template.budget()).isEmpty();
        assertThat(template.users()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "students | 31 | class.yaml:2: parameters.name: found '31' from --set; allowed: a whole number such as"
                        + " 4, at least 1, at most 30",
                "students | 0 | class.yaml:2: parameters.name: found '0' from --set",
                "students | many | class.yaml:2: parameters.name: found 'many' from --set",
                "kind | huge | class.yaml:3: parameters.oneOf: found 'huge' for kind; allowed: small, gpu.small",
                "hours | 9h | class.yaml:4: parameters.name: found '9h' from --set; allowed: a length of time",
                "money | 50.01 | class.yaml:6: parameters.name: found '50.01' from --set; allowed: an amount",
                "student | 3 | class.yaml:1: parameters: found no 'student', which --set names; allowed: students, kind,"
                        + " hours, software, money; did you mean 'students'?"
            })
    void aValueThatDoesNotFitIsNamedWithWhatDoes(String name, String value, String expected) {
        assertThat(mistakes(CLASS, name.equals("hours") ? Map.of(name, value) : Map.of("hours", "1h", name, value)))
                .contains(expected);
    }

    @Test
    void oneWithoutADefaultMustBeSet() {
        assertThat(mistakes(CLASS, Map.of()))
                .isEqualTo("class.yaml:4: parameters.default: missing, and --set hours=VALUE says none either; allowed:"
                        + " a length of time such as 8h\nclass.yaml:10: cluster.ttl".split("\n", -1)[0]);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cluster: { nodes: 0 } | class.yaml:1: cluster.nodes: found '0'; allowed: a whole number from 1 to 1000",
                "cluster: { ttl: soon } | class.yaml:1: cluster.ttl: found 'soon'",
                "cluster: { budget: much } | class.yaml:1: cluster.budget: found 'much'",
                "cluster: { site: '${where}' } | class.yaml:1: cluster.site: found '${where}'; allowed: no parameter",
                "cluster: { sites: west } | class.yaml:1: cluster.sites: unknown key",
                "clusters: { site: west } | class.yaml:1: cluster: missing",
                "cluster: [ 1 ] | class.yaml:1: cluster: found a list",
                "cluster: { site: *a } | class.yaml:1: ",
                "cluster: { | class.yaml:",
                "{ parameters: [ { name: A, default: x } ], cluster: {} } | parameters.name: found 'A'",
                "{ parameters: [ { name: a, type: float, default: 1 } ], cluster: {} } | parameters.type: found 'float'",
                "{ parameters: [ { name: a, min: 1, default: x } ], cluster: {} } | parameters.min: found for a text",
                "{ parameters: [ { name: a, type: integer, min: x, default: 1 } ], cluster: {} } | parameters.min",
                "{ parameters: [ { name: a, type: integer, max: 3, default: 4 } ], cluster: {} } | parameters.default:"
                        + " found '4'; allowed: a whole number such as 4, at most 3",
                "{ parameters: [ { name: a, default: x, colour: y } ], cluster: {} } | parameters.colour: unknown key",
                "{ parameters: [ { name: a, default: x }, { name: a, default: y } ], cluster: {} } | a second time"
            })
    void mistakesAreNamedWithLineAndKey(String text, String expected) {
        assertThat(mistakes(text + "\n", Map.of())).contains(expected);
    }

    @Test
    void whatIsNotThereOrEmptyIsToldAsAMistakeToo() {
        assertThat(mistakes("", Map.of())).contains("class.yaml:1: the file is empty");
        ConfigMistakes missing = catchThrowableOfType(
                ConfigMistakes.class, () -> ClusterTemplate.read(folder.resolve("none.yaml"), Map.of()));
        assertThat(missing.lines()).singleElement().asString().contains("there is no such file");
    }
}
