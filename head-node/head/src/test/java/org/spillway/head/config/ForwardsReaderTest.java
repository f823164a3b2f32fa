package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.director.wire.Forwards;
import org.spillway.head.forward.HomeForward;

/** Services of home as they are configured, and mistakes in that. */
final class ForwardsReaderTest extends ConfigScene {
    private static final String TO =
            "HOST:PORTS at home such as licence.example.org:27000,27010-27012, up to 16 ports of 1 to 65535";

    private static String with(String forwards) {
        return SMALL.replace("maxNodes: 4", "maxNodes: 4\n    nodes: { forwards: " + forwards + " }");
    }

    @Test
    void aSiteHasNoneUnlessItSaysSo() throws Exception {
        assertThat(read(SMALL).sites().get("east").forwards()).isEmpty();
    }

    @Test
    void eachIsAsItIsWritten() throws Exception {
        var read = read(with("""
                [{ name: licence, to: "Licence.example.org:27000,27010-27012", groups: [cad, "domain users"] },
                        { name: other, to: "[fd00::5]:5432", as: Base.example.org, groups: ['*'], perJob: 2, perNode: 3, perSite: 4, idle: 10m },
                        { name: third, to: "10.0.0.5:8000-8001", as: "licence.example.org:80,81", groups: [fem] }]"""));
        assertThat(read.sites().get("east").forwards())
                .containsExactly(
                        new HomeForward(
                                "licence",
                                "Licence.example.org",
                                List.of(27000, 27010, 27011, 27012),
                                "licence.example.org",
                                List.of(27000, 27010, 27011, 27012),
                                List.of("cad", "domain users"),
                                new HomeForward.Bounds(16, 64, 256, Duration.ofDays(1))),
                        new HomeForward(
                                "other",
                                "fd00::5",
                                List.of(5432),
                                "base.example.org",
                                List.of(5432),
                                List.of("*"),
                                new HomeForward.Bounds(2, 3, 4, Duration.ofMinutes(10))),
                        new HomeForward(
                                "third",
                                "10.0.0.5",
                                List.of(8000, 8001),
                                "licence.example.org",
                                List.of(80, 81),
                                List.of("fem"),
                                HomeForward.Bounds.USUAL));
    }

    /** Where a service is stays at home. */
    @Test
    void aDirectorAndItsNodesLearnTheNamesOfJobs() throws Exception {
        var read = read(with("[{ name: db, to: \"10.0.0.5:5432,5433\", as: base, groups: [cad] }]"));
        Forwards.Forward told = read.sites().get("east").forwards().getFirst().told();
        assertThat(told).isEqualTo(new Forwards.Forward("db", "base", List.of(5432, 5433), List.of("cad")));
        assertThat(new Forwards(List.of(told)).lines("forward ")).isEqualTo("forward db base 5432,5433\n");
        assertThat(told.isFor(List.of("users", "cad"))).isTrue();
        assertThat(told.isFor(List.of("users"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "{ name: a, to: 'srv:1' }=>.groups: missing; allowed: names of groups whose members may reach it, or ['*'] for whoever has a job",
                "{ name: a, to: 'srv:1', groups: ['*', x] }=>.groups: found '*' beside others; allowed: names of groups whose members may reach it, or ['*'] for whoever has a job",
                "{ name: a, to: 'srv:1', groups: ['-x'] }=>.groups: found '-x'; allowed: names of groups whose members may reach it, or ['*'] for whoever has a job",
                "{ name: A, to: 'srv:1', groups: [x] }=>.name: found 'A'; allowed: up to 40 lower-case letters, digits and dashes",
                "{ name: a, to: 'srv', groups: [x] }=>.to: found 'srv'; allowed: " + TO,
                "{ name: a, to: 'srv:0', groups: [x] }=>.to: found 'srv:0'; allowed: " + TO,
                "{ name: a, to: 'srv:65536', groups: [x] }=>.to: found 'srv:65536'; allowed: " + TO,
                "{ name: a, to: 'srv:5-4', groups: [x] }=>.to: found 'srv:5-4'; allowed: " + TO,
                "{ name: a, to: 'srv:1-17', groups: [x] }=>.to: found 'srv:1-17'; allowed: " + TO,
                "{ name: a, to: 'srv:1,1', groups: [x] }=>.to: found 'srv:1,1'; allowed: " + TO,
                "{ name: a, to: 'a b:1', groups: [x] }=>.to: found 'a b:1'; allowed: " + TO,
                "{ name: a, to: '10.0.0.5:1', groups: [x] }=>.as: missing beside to: 10.0.0.5; allowed: the HOST or HOST:PORTS by which jobs know it: a name, none of a job's own, and as many ports as in to",
                "{ name: a, to: 'srv:1', as: localhost, groups: [x] }=>.as: found 'localhost'; allowed: the HOST or HOST:PORTS by which jobs know it: a name, none of a job's own, and as many ports as in to",
                "{ name: a, to: 'srv:1', as: rank-0, groups: [x] }=>.as: found 'rank-0'; allowed: the HOST or HOST:PORTS by which jobs know it: a name, none of a job's own, and as many ports as in to",
                "{ name: a, to: 'srv:1', as: 'b:1,2', groups: [x] }=>.as: found 'b:1,2'; allowed: the HOST or HOST:PORTS by which jobs know it: a name, none of a job's own, and as many ports as in to",
                "{ name: a, to: 'srv:1', groups: [x], perJob: 0 }=>.perJob: found '0'; allowed: a whole number from 1 to 200",
                "{ name: a, to: 'srv:1', groups: [x], idle: 1s }=>.idle: found '1s'; allowed: a length of time from 1m to 30d",
                "{ name: a, to: 'srv:1', groups: [x], group: y }=>.group: unknown key; allowed: name, to, groups, perJob, perNode, perSite, idle, as; did you mean 'groups'?",
                "{ name: a, to: 'srv:1', groups: [x] }, { name: a, to: 'srv:2', groups: [x] }=>.name: found 'a' a second time; allowed: a name for each",
                "{ name: a, to: 'srv:1', groups: [x] }, { name: b, to: 'other:1', as: SRV, groups: [x] }=>.as: found a port of srv that a has; allowed: each port of a name once",
            })
    void isRejectedAtItsLine(String forwards, String mistake) throws Exception {
        assertThat(mistakes(with("[" + forwards + "]")))
                .containsExactly("spillway.yaml:10: sites.east.nodes.forwards" + mistake);
    }

    @Test
    void itIsForJobsWithRoomsAndNamesOfTheirOwn() throws Exception {
        String one = "[{ name: a, to: 'srv:1', groups: [x] }]";
        assertThat(mistakes(with(one + ", isolation: 'off'")))
                .containsExactly(
                        "spillway.yaml:10: sites.east.nodes.forwards: found beside isolation: off; allowed: where jobs"
                                + " have rooms of their own");
        assertThat(mistakes(with(one) + """
                workload:
                  manager: other
                  other: {}
                """))
                .contains(
                        "spillway.yaml:10: sites.east.nodes.forwards: found with workload.manager: other, whose jobs have"
                                + " no names of their own; allowed: with the embedded queue only");
    }
}
