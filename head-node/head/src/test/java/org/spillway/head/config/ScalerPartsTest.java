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
import org.spillway.policy.Market;
import org.spillway.policy.ScheduleWindow;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.policy.builtin.ChainPolicy;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.settings.ConfigMistakes;

/** Chains, rules and schedules in the configuration file. */
class ScalerPartsTest {
    @TempDir
    private Path directory;

    private Path file(String scaler) throws IOException {
        Files.createDirectories(directory.resolve("image"));
        return Files.writeString(directory.resolve("spillway.yaml"), """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { tree: ./image }
                queues: { east: { sites: [east] } }
                sites: { east: { driver: local, maxNodes: 4, director: { type: small } } }
                scaler: %s
                """.formatted(scaler));
    }

    private static Installed installed() {
        Map<String, Record> defaults = new HashMap<>();
        BuiltInPolicies.byName().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        return new Installed(Map.of("local", new FakeDriver()), defaults, Map.of());
    }

    private HeadConfig.Scaler read(String scaler) throws Exception {
        return ConfigReader.read(file(scaler), installed()).scaler();
    }

    private String mistake(String scaler) throws IOException {
        Path file = file(scaler);
        ConfigMistakes mistakes =
                catchThrowableOfType(ConfigMistakes.class, () -> ConfigReader.read(file, installed()));
        return String.join("\n", mistakes.lines()).replace(directory + "/", "");
    }

    @Test
    void withoutThemTheOnePolicyDecides() throws Exception {
        HeadConfig.Scaler scaler = read("{ tick: 1s }");
        assertThat(scaler.policy()).isEqualTo("queue-depth");
        assertThat(scaler.settings()).isEqualTo(QueueDepthSettings.DEFAULTS);
        assertThat(scaler.schedule()).isEmpty();
    }

    @Test
    void aDryRunIsSaid() throws Exception {
        assertThat(read("{ tick: 1s }").dryRun()).isFalse();
        assertThat(read("{ dryRun: true }").dryRun()).isTrue();
        assertThat(mistake("{ dryRun: perhaps }")).contains("scaler.dryRun: found 'perhaps'");
    }

    @Test
    void aChainHasItsMembersWithTheirSettings() throws Exception {
        HeadConfig.Scaler scaler =
                read("{ chain: [deadline, queue-depth], settings: { queue-depth: { idleTime: 20m } } }");
        assertThat(scaler.policy()).isEqualTo("chain");
        ChainPolicy.Settings settings = (ChainPolicy.Settings) scaler.settings();
        assertThat(settings.members()).map(ChainPolicy.Member::policy).containsExactly("deadline", "queue-depth");
        assertThat(settings.longestIdle()).contains(Duration.ofMinutes(20));
        assertThat(settings.rules()).isEqualTo(HouseRules.NONE);
    }

    @Test
    void rulesStandAroundTheOnePolicyToo() throws Exception {
        HeadConfig.Scaler scaler = read("{ policy: age, settings: { ageThreshold: 5m },"
                + " rules: { neverTerminateNodes: [n1, n2], keepRunning: { east: 2 }, wholeTime: 1h } }");
        ChainPolicy.Settings settings = (ChainPolicy.Settings) scaler.settings();
        assertThat(settings.members()).hasSize(1);
        assertThat(settings.members().getFirst().settings()).containsEntry("ageThreshold", "300s");
        assertThat(settings.rules().neverTerminateNodes()).isEqualTo("n1,n2");
        assertThat(settings.rules().keepRunning()).isEqualTo("east=2");
        assertThat(settings.rules().wholeTime()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void aScheduleHasItsWindows() throws Exception {
        HeadConfig.Scaler scaler =
                read("{ chain: [schedule, queue-depth], schedule: [ { name: monday, cron: '0 45 7 ? * MON',"
                        + " duration: 2h, site: east, type: small, market: spot, nodes: 3 } ] }");
        assertThat(scaler.schedule())
                .isEqualTo(List.of(new HeadConfig.Window(
                        "monday",
                        "0 45 7 ? * MON",
                        Duration.ofHours(2),
                        new ScheduleWindow.Warm("east", "small", Market.SPOT, 3))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ chain: [deadlin, age] }|scaler.chain: found 'deadlin'; allowed: queue-depth, age, deadline",
                "{ chain: [chain] }|scaler.chain: found 'chain'",
                "{ chain: [budget-capped] }|a chain needs a member that buys",
                "{ policy: age, chain: [age] }|scaler.policy: found 'age' beside a chain",
                "{ chain: [age], settings: { agee: { idleTime: 1s } } }|scaler.settings.agee: unknown key",
                "{ chain: [age], settings: { age: { idleTme: 1s } } }|scaler.settings.age.idleTme: unknown key",
                "{ rules: { keepRunning: { east: x } } }|scaler.rules.keepRunning: found 'east=x'",
                "{ rules: { wholeTime: 1m } }|scaler.rules.wholeTime: found '1m'; stoppingAllowance is",
                "{ policy: schedule, schedule: [ { name: a, cron: never, duration: 1h, site: east, nodes: 1 } ] }|scaler.schedule.cron: found 'never'; allowed: a Quartz cron",
                "{ policy: schedule, schedule: [ { name: a, cron: '0 0 8 * * ?', duration: 1s, site: east, nodes: 1 } ] }|scaler.schedule.duration: found '1s'",
                "{ policy: schedule, schedule: [ { name: a, cron: '0 0 8 * * ?', duration: 1h, site: west, nodes: 1 } ] }|scaler.schedule.site: found 'west'; allowed: east",
                "{ policy: schedule, schedule: [ { name: a, cron: '0 0 8 * * ?', duration: 1h, site: east, nodes: 0 } ] }|scaler.schedule.nodes: found '0'",
                "{ policy: age, schedule: [ { name: a, cron: '0 0 8 * * ?', duration: 1h, site: east, nodes: 1 } ] }|scaler.schedule: found with policy 'age'; allowed: with a chain, such as [schedule, age]",
                "{ schedule: monday }|scaler.schedule: found 'monday'; allowed: a list"
            })
    void whatIsWrongIsNamed(String scaler, String mistake) throws Exception {
        assertThat(mistake(scaler)).contains(mistake);
    }
}
