package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.SpotThenOnDemandPolicy;

final class MarketLookTest {
    @TempDir
    Path folder;

    private HeadConfig config(String policy, String markets) throws Exception {
        Files.createDirectories(folder.resolve("image"));
        Path file = Files.writeString(folder.resolve("spillway.yaml"), """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { tree: image }
                scaler: { policy: %s }
                queues: { east: { sites: [east], default: true }, cheap: { sites: [east]%s } }
                sites: { east: { driver: local, maxNodes: 4, director: { type: small }, options: { state: c } } }
                """.formatted(policy, markets));
        var depth = new QueueDepthPolicy();
        var spot = new SpotThenOnDemandPolicy();
        return ConfigReader.read(
                file,
                Installed.withDrivers(Map.of(depth.name(), depth.defaults(), spot.name(), spot.defaults()), Map.of()));
    }

    @Test
    void saysWhatEachQueueOfASiteBuys() throws Exception {
        HeadConfig config = config("queue-depth", ", markets: [spot, on-demand]");
        assertThat(MarketLook.of(config, config.sites().values().iterator().next()))
                .contains(new Finding(
                        "markets",
                        Verdict.GOOD,
                        "queue east buys on-demand, reserved; queue cheap buys on-demand, spot",
                        ""));
        assertThat(MarketLook.ofPolicy(config)).isEmpty();
    }

    @Test
    void warnsOfAPolicyForSpotThatNobodyAllows() throws Exception {
        assertThat(MarketLook.ofPolicy(config("spot-then-on-demand", ""))).get().satisfies(found -> {
            assertThat(found.verdict()).isEqualTo(Verdict.WARNING);
            assertThat(found.repair()).contains("markets: [on-demand, reserved, spot]");
        });
        assertThat(MarketLook.ofPolicy(config("spot-then-on-demand", ", markets: [spot]")))
                .isEmpty();
    }
}
