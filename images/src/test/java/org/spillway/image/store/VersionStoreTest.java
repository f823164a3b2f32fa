package org.spillway.image.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.image.ImageRefused;
import org.spillway.image.recipe.ImageBuild;
import org.spillway.image.recipe.Recipe;

/** A store through bad luck: kills, rot, forgery, two builds at once, a collection at a bad moment. As any user. */
class VersionStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final Seal SEAL = new TestSeal("ours");
    private static final int FILES = 12;

    @TempDir
    Path scratch;

    private static void fill(Path tree, String text) throws IOException {
        Files.createDirectories(tree.resolve("etc"));
        for (int i = 0; i < FILES; i++) {
            Files.writeString(tree.resolve("etc/f" + i), text + i);
        }
    }

    private static Recipe recipe(Path tree) {
        return new Recipe("base", new Recipe.Base.Folder(tree), List.of(), List.of(), List.of(), List.of());
    }

    private static VersionRecord build(Path folder, Path tree, Watch watch) throws Exception {
        try (var store = VersionStore.open(folder, SEAL)) {
            return new ImageBuild(store, watch, NOW)
                    .build(recipe(tree), false, List.of(VersionStore.LATEST))
                    .version();
        }
    }

    /** A build that kills its own process, really, at the step that it is told. */
    static final class Killed {
        private Killed() {}

        public static void main(String[] arguments) throws Exception {
            var left = new AtomicLong(Long.parseLong(arguments[2]));
            build(Path.of(arguments[0]), Path.of(arguments[1]), (phase, done, all) -> {
                if (left.decrementAndGet() < 0) {
                    try {
                        new ProcessBuilder(
                                        "kill",
                                        "-9",
                                        String.valueOf(ProcessHandle.current().pid()))
                                .start()
                                .waitFor();
                    } catch (IOException | InterruptedException failed) {
                        throw new IllegalStateException(failed);
                    }
                }
            });
        }
    }

    static IntStream kills() {
        var random = new Random(21);
        return IntStream.generate(() -> random.nextInt(2 * FILES + 8))
                .limit(Boolean.getBoolean("spillway.seeds.every") ? 40 : 4);
    }

    @ParameterizedTest
    @MethodSource("kills")
    void aKilledBuildLeavesNoHalfVersion(int step) throws Exception {
        Path tree = scratch.resolve("tree");
        Path folder = scratch.resolve("store");
        fill(tree, "first ");
        VersionRecord first = build(folder, tree, Watch.NONE);
        fill(tree, "second ");
        var child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        folder.toString(),
                        tree.toString(),
                        String.valueOf(step))
                .redirectErrorStream(true)
                .start();
        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as("killed at step " + step + ": " + said).isIn(137, 0);

        try (var store = VersionStore.open(folder, SEAL)) {
            for (VersionRecord version : store.versions()) {
                assertThat(store.rotten(version, Watch.NONE)).as("step " + step).isEmpty();
            }
            assertThat(store.versions()).contains(first);
            assertThat(folder.resolve("tmp")).isEmptyDirectory();
            assertThat(store.find(Reference.parse("base")).digest()).isNotEmpty();
        }
        VersionRecord second = build(folder, tree, Watch.NONE);
        try (var store = VersionStore.open(folder, SEAL)) {
            assertThat(store.find(Reference.parse("base"))).isEqualTo(second);
            assertThat(store.drift(second, tree, Watch.NONE).differences()).isEmpty();
        }
    }

    @Test
    void rotIsFoundPutAsideAndMended() throws Exception {
        Path tree = scratch.resolve("tree");
        Path folder = scratch.resolve("store");
        fill(tree, "text ");
        VersionRecord version = build(folder, tree, Watch.NONE);
        try (var store = VersionStore.open(folder, SEAL)) {
            String content = store.manifest(version).at("etc/f3").content();
            Path blob = folder.resolve("blobs").resolve(content.substring(0, 2)).resolve(content.substring(2));
            Files.delete(blob);
            Files.writeString(blob, "text X");
            assertThatThrownBy(() -> store.checkout(version, scratch.resolve("out"), Watch.NONE))
                    .isInstanceOf(ImageRefused.class)
                    .hasMessageContaining("the content of etc/f3 has rotted");
            assertThat(scratch.resolve("out")).doesNotExist();
            assertThat(folder.resolve("rotten").resolve(content)).hasContent("text X");
            assertThat(store.rotten(version, Watch.NONE)).hasSize(1);
        }
        build(folder, tree, Watch.NONE);
        try (var store = VersionStore.open(folder, SEAL)) {
            assertThat(store.rotten(version, Watch.NONE)).isEmpty();
        }
    }

    @Test
    void whatAnotherKeySignedIsNotUsed() throws Exception {
        Path tree = scratch.resolve("tree");
        Path folder = scratch.resolve("store");
        fill(tree, "text ");
        VersionRecord version = build(folder, tree, Watch.NONE);
        try (var store = VersionStore.open(folder, new TestSeal("another"))) {
            assertThatThrownBy(() -> store.manifest(version))
                    .isInstanceOf(ImageRefused.class)
                    .hasMessageContaining("is not this head's");
        }
        Path manifest = folder.resolve("manifests").resolve(version.digest());
        Files.writeString(manifest, Files.readString(manifest).replace("etc/f3", "etc/g3"));
        try (var store = VersionStore.open(folder, SEAL)) {
            assertThatThrownBy(() -> store.manifest(version)).isInstanceOf(ImageRefused.class);
        }
    }

    @Test
    void nothingInUseIsCollected() throws Exception {
        Path tree = scratch.resolve("tree");
        Path folder = scratch.resolve("store");
        fill(tree, "first ");
        build(folder, tree, Watch.NONE);
        fill(tree, "second ");
        VersionRecord second = build(folder, tree, Watch.NONE);
        try (var one = VersionStore.open(folder, SEAL);
                var beside = VersionStore.open(folder, SEAL)) {
            assertThat(one.versions()).isEqualTo(beside.versions()).hasSize(2);
            assertThatThrownBy(() -> VersionStore.collect(folder, true, List.of(), false))
                    .isInstanceOf(ImageRefused.class)
                    .hasMessageContaining("nothing was removed");
        }
        assertThat(VersionStore.collect(folder, true, List.of(), true).contents())
                .isEqualTo(FILES);
        assertThat(VersionStore.collect(folder, false, List.of(), false).contents())
                .isZero();
        var gone = VersionStore.collect(folder, true, List.of(), false);
        assertThat(gone.versions()).hasSize(1);
        assertThat(gone.contents()).isEqualTo(FILES);
        try (var store = VersionStore.open(folder, SEAL)) {
            assertThat(store.versions()).containsExactly(second);
            assertThat(store.rotten(second, Watch.NONE)).isEmpty();
        }
    }

    @Test
    void twoBuildsAtOnceShareWhatIsEqual() throws Exception {
        Path tree = scratch.resolve("tree");
        Path folder = scratch.resolve("store");
        fill(tree, "text ");
        try (var one = VersionStore.open(folder, SEAL);
                var other = VersionStore.open(folder, SEAL);
                var first = one.capture(tree, false, NOW, Watch.NONE);
                var second = other.capture(tree, false, NOW, Watch.NONE)) {
            VersionRecord a = one.keep(first, "a", "x", NOW, Watch.NONE);
            VersionRecord b = other.keep(second, "b", "x", NOW, Watch.NONE);
            assertThat(a.digest()).isEqualTo(b.digest());
            assertThat(one.rotten(a, Watch.NONE)).isEmpty();
        }
    }
}
