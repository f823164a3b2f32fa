package org.spillway.slurm.setup;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements that Slurm reads out of a text. */
final class ConfTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "Prolog=/a/b|prolog|/a/b",
                "  PROLOG =  /a/b  # c|prolog|/a/b",
                "Prolog=/a\\#b#c|prolog|/a#b",
                "Licenses=\"a b\" x=1|licenses|a b",
                "SlurmctldParameters+=x|slurmctldparameters|x",
                "include  more.conf # c|include|more.conf",
                "Include /etc/%c.conf|include|/etc/%c.conf",
                "x=1@|x|1",
            })
    void oneStatement(String written, String key, String value) {
        String text = written.replace('@', '\r');
        var said = ConfText.of(text + "\n").statements();
        assertThat(said).singleElement().satisfies(one -> {
            assertThat(one.key()).isEqualTo(key);
            assertThat(one.value()).isEqualTo(value);
        });
        assertThat(ConfText.of(text).statements()).as("without an end").hasSize(1);
    }

    @Test
    void linesGoOnBehindABackslashAndCommentsDoNot() {
        var said = ConfText.of("# a \\\nNodeName=a \\\r\n  CPUs=2 \\  \n State=CLOUD\n#Prolog=/x\\\nEpilog=/y\\")
                .statements();
        assertThat(said).hasSize(2);
        assertThat(said.getFirst().first()).isEqualTo(1);
        assertThat(said.getFirst().end()).isEqualTo(4);
        assertThat(said.getFirst().whole()).matches("NodeName=a\\s+CPUs=2\\s+State=CLOUD");
        assertThat(said.getLast().value()).isEqualTo("/y");
    }

    @Test
    void whatIsIncludedStandsInItsPlaceAndTheLastCounts() {
        Map<Path, String> files = Map.of(
                Path.of("/etc/slurm/slurm.conf"),
                "ClusterName=lab\nProlog=/one\ninclude %c.conf\nEpilog=/one\nInclude gone\nInclude spillway.conf\n",
                Path.of("/etc/slurm/lab.conf"),
                "PROLOG=/two\nEpilog=/two\n",
                Path.of("/etc/slurm/spillway.conf"),
                "# written by 'spillway slurm config'\nProlog=/three\n");
        var tree = ConfTree.of(Path.of("/etc/slurm/slurm.conf"), file -> Optional.ofNullable(files.get(file)));
        assertThat(tree.last("Prolog").orElseThrow().value()).isEqualTo("/two");
        assertThat(tree.last("Prolog").orElseThrow().file()).isEqualTo(Path.of("/etc/slurm/lab.conf"));
        assertThat(tree.last("epilog").orElseThrow().value()).isEqualTo("/one");
        assertThat(tree.missing()).isEqualTo(List.of(Path.of("/etc/slurm/gone")));
        assertThat(tree.ours())
                .singleElement()
                .satisfies(one -> assertThat(one.value()).isEqualTo("spillway.conf"));
        String ofItself = "Include slurm.conf\nInclude more.conf\nInclude more.conf\n";
        assertThat(ConfTree.of(Path.of("/etc/slurm/slurm.conf"), file -> Optional.of(ofItself))
                        .said())
                .as("files that include themselves and each other are read inside of others, not inside of themselves")
                .hasSize(9);
    }
}
