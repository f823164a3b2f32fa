package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.rollout.DriftTerms;
import org.spillway.head.rollout.Terms;
import org.spillway.image.store.Reference;
import org.spillway.image.store.Seal;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.Watch;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.settings.ConfigMistakes;

final class RolesReaderTest {
    @TempDir
    private Path directory;

    private HeadConfig read(String more) throws ConfigMistakes, IOException {
        Map<String, Record> defaults = new HashMap<>();
        BuiltInPolicies.byName().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        Path file = directory.resolve("spillway.yaml");
        Files.createDirectories(directory.resolve("tree"));
        Files.createDirectories(directory.resolve("other"));
        Files.writeString(file, """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { name: base, tree: ./tree }
                queues: { gpu: { sites: [east] }, cpu: { sites: [east] }, kept: { sites: [east], minNodes: { type: a } } }
                sites: { east: { driver: local, maxNodes: 4, director: { type: small } } }
                """ + more);
        return ConfigReader.read(
                file, new Installed(Map.of("local", new FakeDriver()), defaults, Map.of("other", new OtherQueue())));
    }

    private String mistakes(String more) {
        ConfigMistakes mistakes = catchThrowableOfType(ConfigMistakes.class, () -> read(more));
        return String.join("\n", mistakes.lines()).replace(directory + "/", "");
    }

    @Test
    void withoutThemAllNodesAreAlike() throws Exception {
        assertThat(read("").roles()).isEqualTo(new HeadConfig.Roles(Map.of(), Map.of(), Duration.ofMinutes(1)));
    }

    @Test
    void whatIsNotSaidIsAsForAllNodes() throws Exception {
        HeadConfig.Category category = read("categories: { ml: { queues: [gpu] } }\n")
                .roles()
                .of("gpu")
                .orElseThrow();
        assertThat(category)
                .isEqualTo(new HeadConfig.Category(
                        "ml",
                        Optional.empty(),
                        Optional.empty(),
                        List.of("gpu"),
                        List.of(),
                        List.of(),
                        Duration.ofMinutes(1),
                        Optional.empty(),
                        Optional.empty()));
        assertThat(category.allows("anything")).isTrue();
    }

    @Test
    void everySettingIsRead() throws Exception {
        HeadConfig.Roles roles = read("""
                        overlays: { solver: { tree: other }, debug: { tree: other } }
                        categories:
                          ml: { image: { tree: other }, queues: [gpu], types: [g5.*, big], overlays: [debug, solver], change: 20s }
                        repurpose: { rest: 5m }
                        """).roles();
        assertThat(roles.rest()).isEqualTo(Duration.ofMinutes(5));
        assertThat(roles.overlays()).containsOnlyKeys("solver", "debug");
        HeadConfig.Category ml = roles.of("gpu").orElseThrow();
        assertThat(ml.tree()).contains(directory.resolve("other"));
        assertThat(ml.overlays()).containsExactly("debug", "solver");
        assertThat(ml.change()).isEqualTo(Duration.ofSeconds(20));
        assertThat(List.of("g5.large", "big", "bigger", "g6").stream().filter(ml::allows))
                .containsExactly("g5.large", "big");
        assertThat(roles.of("cpu")).isEmpty();
    }

    @Test
    void mistakesAreNamedWithTheirLine() {
        assertThat(mistakes("""
                        overlays: { solver: { tree: absent, more: 1 } }
                        categories:
                          ml: { image: { tree: absent }, queues: [gpu, gpus], types: ['*'], overlays: [solvr], change: 2d }
                          Bio: { queues: [gpu] }
                          old: { queues: [kept] }
                          none: { change: 1m }
                        repurpose: { rest: soon }
                        """)).isEqualTo("""
                        spillway.yaml:7: overlays.solver.tree: found 'absent', which is not a directory; allowed: an existing directory
                        spillway.yaml:7: overlays.solver.more: unknown key; allowed: tree
                        spillway.yaml:9: categories.ml.image.tree: found 'absent', which is not a directory; allowed: an existing directory
                        spillway.yaml:9: categories.ml.queues: found 'gpus'; allowed: gpu, cpu, kept; did you mean 'gpu'?
                        spillway.yaml:9: categories.ml.types: found '*'; allowed: an instance type, or its beginning and *
                        spillway.yaml:9: categories.ml.overlays: found 'solvr'; allowed: solver; did you mean 'solver'?
                        spillway.yaml:9: categories.ml.change: found '2d'; allowed: a length of time from 0s to 1d
                        spillway.yaml:10: categories.Bio: found this name; allowed: lower-case letters, digits and dashes, at most 40
                        spillway.yaml:10: categories.Bio: found queue 'gpu', which is category ml's; allowed: one category for a queue
                        spillway.yaml:11: categories.old.queues: found 'kept', which has minNodes; allowed: queues without
                        spillway.yaml:12: categories.none.queues: missing; allowed: a list of queues
                        spillway.yaml:13: repurpose.rest: found 'soon'; allowed: a length of time from 0s to 1d""");
    }

    @Test
    void aRolloutIsReadBesideTheVersionThatItIsFor() throws Exception {
        version("stable", "bin/sh", "usr/bin/env");
        assertThat(read("categories: { ml: { image: { version: 'compute:stable' }, queues: [gpu] } }\n")
                        .roles()
                        .of("gpu")
                        .orElseThrow()
                        .rollout())
                .contains(Terms.USUAL)
                .contains(new Terms(1, 0, 10, 300, 3600, 0));
        assertThat(read("""
                        categories:
                          ml:
                            image: { version: 'compute:stable', rollout: { canary: 2, batch: 3, soak: 1m, within: 2h, maxFailures: 1 } }
                            queues: [gpu]
                        """).roles().of("gpu").orElseThrow().rollout()).contains(new Terms(2, 3, 0, 60, 7200, 1));
        assertThat(mistakes("""
                        categories:
                          ml:
                            image:
                              version: 'compute:stable'
                              rollout: { canary: -1, batch: 0, soak: 8d, within: 1s, maxFailures: x, more: 1 }
                            queues: [gpu]
                          bio: { image: { rollout: { canary: 1 } }, queues: [cpu] }
                        """)).isEqualTo("""
                        spillway.yaml:11: categories.ml.image.rollout.canary: found '-1'; allowed: a whole number from 0 to 1000
                        spillway.yaml:11: categories.ml.image.rollout.batch: found '0'; allowed: 1 to 10000 nodes, or 1% to 100% of them
                        spillway.yaml:11: categories.ml.image.rollout.soak: found '8d'; allowed: a length of time from 0s to 7d
                        spillway.yaml:11: categories.ml.image.rollout.within: found '1s'; allowed: a length of time from 1m to 30d
                        spillway.yaml:11: categories.ml.image.rollout.maxFailures: found 'x'; allowed: a whole number from 0 to 1000
                        spillway.yaml:11: categories.ml.image.rollout.more: unknown key; allowed: canary, batch, soak, within, maxFailures
                        spillway.yaml:13: categories.bio.image.rollout: found without 'version'; allowed: beside it""");
    }

    @Test
    void looksForDriftAreReadBesideTheVersionThatTheyAreFor() throws Exception {
        version("stable", "bin/sh", "usr/bin/env");
        assertThat(read("categories: { ml: { image: { version: 'compute:stable' }, queues: [gpu] } }\n")
                        .roles()
                        .of("gpu")
                        .orElseThrow()
                        .drift())
                .contains(new DriftTerms(DriftTerms.Policy.REPORT, 60));
        assertThat(read("""
                        categories:
                          ml: { image: { version: 'compute:stable', drift: repair, driftPeriod: 10m }, queues: [gpu] }
                        """).roles().of("gpu").orElseThrow().drift())
                .contains(new DriftTerms(DriftTerms.Policy.REPAIR, 600));
        assertThat(mistakes("""
                        categories:
                          ml: { image: { version: 'compute:stable', drift: ignore, driftPeriod: 1s }, queues: [gpu] }
                          bio: { image: { drift: drain }, queues: [cpu] }
                        """)).isEqualTo("""
                        spillway.yaml:8: categories.ml.image.drift: found 'ignore'; allowed: report, drain, repair
                        spillway.yaml:8: categories.ml.image.driftPeriod: found '1s'; allowed: a length of time from 5s to 1d
                        spillway.yaml:9: categories.bio.image.drift: found without 'version'; allowed: beside it""");
    }

    private void version(String tag, String... files) throws IOException {
        Path tree = Files.createTempDirectory(directory, "version");
        for (String file : files) {
            Files.createDirectories(tree.resolve(file).getParent());
            Files.writeString(tree.resolve(file), "#!\n");
            assertThat(tree.resolve(file).toFile().setExecutable(true)).isTrue();
        }
        try (VersionStore store = VersionStore.open(directory.resolve("state/image-store"), new AnySeal());
                var captured = store.capture(tree, false, Instant.EPOCH, Watch.NONE)) {
            store.tag(store.keep(captured, "compute", "by hand", Instant.EPOCH, Watch.NONE), tag);
        }
    }

    private record AnySeal() implements Seal {
        @Override
        public String sign(String text) {
            return "c2VhbA==";
        }

        @Override
        public boolean holds(String text, String signature) {
            return signature.equals(sign(text));
        }
    }

    @Test
    void aVersionIsOneOfTheStore() throws Exception {
        version("stable", "bin/sh", "usr/bin/env");
        HeadConfig.Category ml = read("categories: { ml: { image: { version: 'compute:stable' }, queues: [gpu] } }\n")
                .roles()
                .of("gpu")
                .orElseThrow();
        assertThat(ml.version()).contains(Reference.parse("compute:stable"));
        assertThat(ml.tree()).isEmpty();
    }

    @Test
    void aVersionThatIsNotThereOrNoRootIsNamedWithItsLine() throws Exception {
        assertThat(mistakes("categories: { ml: { image: { version: compute }, queues: [gpu] } }\n"))
                .isEqualTo(
                        "spillway.yaml:7: categories.ml.image.version: found 'compute', but there is no image 'compute' in"
                                + " state/image-store" + ALLOWED);
        version("bare", "bin/tool");
        version("stable", "bin/sh", "usr/bin/env");
        assertThat(mistakes("""
                        categories:
                          ml: { image: { version: 'compute:stabel' }, queues: [gpu] }
                          bio: { image: { version: 'compute:stable', tree: other }, queues: [cpu] }
                          old: { image: { version: 'Compute' }, queues: [] }
                        """).replaceAll("(?m)^.*old.queues.*$", ""))
                .contains(
                        "spillway.yaml:8: categories.ml.image.version: found 'compute:stabel', but the image compute has no tag"
                                + " 'stabel'" + ALLOWED,
                        "spillway.yaml:9: categories.bio.image.version: found beside 'tree'; allowed: one of the two",
                        "spillway.yaml:10: categories.old.image.version: found 'Compute'" + ALLOWED);
        assertThat(mistakes("categories: { ml: { image: { version: 'compute:bare' }, queues: [gpu] } }\n"))
                .contains("found 'compute:bare', but of compute@")
                .endsWith(": it has no /bin/sh" + ALLOWED);
    }

    private static final String ALLOWED = "; allowed: a version that 'spillway image list' shows, as NAME, NAME:TAG, or"
            + " NAME@ and 8 digits of its digest or more";

    @Test
    void withAnotherManagerThereAreNone() throws Exception {
        assertThat(mistakes("""
                        categories: { ml: { queues: [gpu] } }
                        workload:
                          manager: other
                          other: {}
                        """))
                .contains(
                        "spillway.yaml:7: categories: found with workload.manager: other; allowed: with the embedded queue only");
    }
}
