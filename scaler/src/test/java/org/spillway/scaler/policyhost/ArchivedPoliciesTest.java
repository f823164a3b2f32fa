package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.scaler.Decider;
import org.spillway.scaler.plan.FirstFitPlanner;

/** Versions that were kept, asked again; with real children. */
final class ArchivedPoliciesTest {
    @TempDir
    private Path folder;

    private ArchivedPolicies kept;

    @BeforeEach
    void open() {
        kept = new ArchivedPolicies(folder, Containment.probe(), 64, said -> {});
    }

    @AfterEach
    void close() throws IOException {
        kept.close();
    }

    private Decider keep(String source, PluginSettings settings) throws IOException {
        byte[] content = source.getBytes(StandardCharsets.UTF_8);
        String digest = PolicyFiles.digest(content);
        new PolicyArchive(folder)
                .keep(new PolicyArchive.Version("Dropped.java", digest, content), Set.of(), Instant.EPOCH);
        return kept.decider(new Decider.Source("dropped", digest, "test", settings), settings);
    }

    private static String reason(Decider decider, ClusterSnapshot now) {
        return decider.decide(now, new FirstFitPlanner(now)).wishes().getFirst().reason();
    }

    @Test
    void eachVersionAnswersForItselfWithTheSettingsOfThen() throws IOException {
        ClusterSnapshot now = NurseryTest.about("q");
        String source = Sources.policy(
                "dropped",
                "",
                "now.demands().forEach(demand -> wishes.add(new Wish.Hold(demand.shape(), \"most \" + settings.most())));");
        Decider five = keep(source, PluginSettings.NONE);
        Decider seven = keep(source, new PluginSettings(Map.of("most", "7"), HouseRules.NONE));
        Decider other = keep(Sources.holding("dropped", "another version"), PluginSettings.NONE);
        for (int round = 0; round < 2; round++) {
            // More than there are children at a time.
            assertThat(reason(five, now)).isEqualTo("most 5");
            assertThat(reason(seven, now)).isEqualTo("most 7");
            assertThat(reason(other, now)).isEqualTo("another version");
        }
    }

    @Test
    void whatCannotBeAskedSaysWhy() throws IOException {
        ClusterSnapshot bad = NurseryTest.about("bad");
        Decider gone = kept.decider(
                new Decider.Source("dropped", "0".repeat(64), "test", PluginSettings.NONE), PluginSettings.NONE);
        assertThatThrownBy(() -> reason(gone, bad))
                .isInstanceOf(ArchivedPolicies.Gone.class)
                .hasMessage("is not there any more");
        Decider throwing = keep(
                Sources.badAbout("dropped", "bad", "if (now != null) throw new IllegalStateException(\"no\");"),
                PluginSettings.NONE);
        assertThatThrownBy(() -> reason(throwing, bad))
                .hasMessageContaining("threw")
                .hasMessageContaining("no");
        Decider broken = keep(Sources.holding("dropped", "x").replace("wishes.add", "wishes.ad"), PluginSettings.NONE);
        assertThatThrownBy(() -> reason(broken, bad)).hasMessageContaining("does not start any more");
    }
}
