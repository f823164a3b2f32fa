package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.Cap.Span;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.limits.Shares;
import org.spillway.policy.Limits.Scope;
import org.spillway.policy.Limits.Unit;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.settings.ConfigMistakes;

final class LimitsReaderTest {
    @TempDir
    private Path directory;

    private HeadConfig read(String more) throws ConfigMistakes, IOException {
        Map<String, Record> defaults = new HashMap<>();
        BuiltInPolicies.byName().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        Path file = directory.resolve("spillway.yaml");
        Files.createDirectories(directory.resolve("tree"));
        Files.writeString(file, """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { name: base, tree: ./tree }
                queues: { gpu: { sites: [east] } }
                sites: { east: { driver: local, maxNodes: 4, director: { type: small } } }
                """ + more);
        return ConfigReader.read(file, new Installed(Map.of("local", new FakeDriver()), defaults, Map.of()));
    }

    private String mistakes(String more) {
        ConfigMistakes mistakes = catchThrowableOfType(ConfigMistakes.class, () -> read(more));
        return String.join("\n", mistakes.lines()).replace(directory + "/", "");
    }

    private static Cap cap(Scope scope, String name, Unit unit, long most) {
        return new Cap(scope, name, List.of(), unit, most, Span.NOW);
    }

    @Test
    void withoutThemNothingIsLimitedOrShared() throws Exception {
        HeadConfig config = read("");
        assertThat(config.limits()).isEmpty();
        assertThat(config.shares()).isEmpty();
    }

    @Test
    void eachAmountIsALimit() throws Exception {
        HeadConfig config = read("""
                limits:
                  - { user: "*", gpus: 4, moneyPerDay: 20.00 }
                  - { account: ml, moneyPerMonth: 0.5, cpus: 9 }
                  - { queue: gpu, nodes: 0 }
                  - { site: east, launchesPerMinute: 30, nodes: 3 }
                  - { site: east, types: ["g5.*", p4], cpus: 96 }
                  - { all: true, nodes: 200 }
                  - { licence: solver, licences: 8 }
                """);
        assertThat(config.limits())
                .containsExactly(
                        cap(Scope.USER, "*", Unit.GPUS, 4),
                        new Cap(Scope.USER, "*", List.of(), Unit.MONEY_MICROS, 20_000_000, Span.DAY),
                        cap(Scope.ACCOUNT, "ml", Unit.CPUS, 9),
                        new Cap(Scope.ACCOUNT, "ml", List.of(), Unit.MONEY_MICROS, 500_000, Span.MONTH),
                        cap(Scope.QUEUE, "gpu", Unit.NODES, 0),
                        cap(Scope.SITE, "east", Unit.NODES, 3),
                        cap(Scope.LAUNCHES_PER_MINUTE, "east", Unit.NODES, 30),
                        new Cap(Scope.QUOTA_FAMILY, "east", List.of("g5.*", "p4"), Unit.CPUS, 96, Span.NOW),
                        cap(Scope.ALL, "", Unit.NODES, 200),
                        cap(Scope.LICENCE, "solver", Unit.LICENCES, 8));
    }

    @Test
    void whatMayBeQueuedIsLimitedWithoutASay() throws Exception {
        assertThat(read("").submissions()).isEqualTo(new QueueLimits(100_000, 10_000, 10_000, 16L << 20));
        assertThat(read("submissions: { jobs: 500 }\n").submissions())
                .isEqualTo(new QueueLimits(500, 500, 10_000, 16L << 20));
        assertThat(read("submissions: { jobs: 500, jobsPerUser: 9, arrayTasks: 7, textPerUser: 32MiB }\n")
                        .submissions())
                .isEqualTo(new QueueLimits(500, 9, 7, 32L << 20));
        assertThat(mistakes("submissions: { jobs: 5, jobsPerUser: 6, arrayTasks: 20000, textPerUser: 1, user: 1 }\n"))
                .contains("submissions.jobsPerUser: found '6'; allowed: a whole number from 1 to 5")
                .contains("submissions.arrayTasks: found '20000'")
                .contains("submissions.textPerUser: found '1'; allowed: 1MiB to 1TiB")
                .contains("submissions.user: unknown key");
    }

    @Test
    void sharesHaveDefaults() throws Exception {
        assertThat(read("shares: {}\n").shares())
                .contains(new Shares(Shares.Kind.ACCOUNT, Map.of(), 1, Duration.ofDays(7)));
        assertThat(read("shares: { by: queue, weights: { gpu: 3 }, others: 2, halfLife: 2d }\n")
                        .shares())
                .contains(new Shares(Shares.Kind.QUEUE, Map.of("gpu", 3.0), 2, Duration.ofDays(2)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- { nodes: 1 }|spillway.yaml:8: limits: found none; allowed: one of all, site, queue, user, account",
                "- { user: ada }|spillway.yaml:8: limits: found no amount; allowed: nodes, cpus, gpus, moneyPerDay",
                "- { user: a b, nodes: 1 }|limits.user: found 'a b'; allowed: a name of letters",
                "- { queue: gpus, nodes: 1 }|limits.queue: found 'gpus'; allowed: gpu, *; did you mean 'gpu'?",
                "- { site: '*', nodes: 1 }|limits.site: found '*'; allowed: east",
                "- { user: ada, launchesPerMinute: 1 }|limits.launchesPerMinute: unknown key",
                "- { user: ada, types: [a], nodes: 1 }|limits.types: unknown key",
                "- { licence: solver, nodes: 1 }|limits.nodes: unknown key; allowed: licence, licences",
                "- { user: ada, nodes: -1 }|limits.nodes: found '-1'; allowed: a whole number from 0",
                "- { all: yes, nodes: 1 }|limits.all: found 'yes'; allowed: true",
                "- { user: ada, nodes: 1 }\\n  - { user: ada, nodes: 2 }|spillway.yaml:9: limits.nodes: found a second",
            })
    void mistakesAreNamed(String limit, String told) {
        assertThat(mistakes("limits:\n  " + limit.replace("\\n", "\n") + "\n")).contains(told);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ by: user }|shares.by: found 'user'; allowed: account, queue",
                "{ by: queue, weights: { cpu: 1 } }|shares.weights.cpu: found this name; allowed: gpu",
                "{ weights: { ml: 0.5 } }|shares.weights.ml: found '0.5'; allowed: a whole number from 1",
                "{ halfLife: 1s }|shares.halfLife: found '1s'; allowed: a length of time from 1h to 365d",
                "{ half: 1d }|shares.half: unknown key; allowed: by, halfLife, others, weights",
            })
    void mistakesInSharesAreNamed(String shares, String told) {
        assertThat(mistakes("shares: " + shares + "\n")).contains(told);
    }
}
