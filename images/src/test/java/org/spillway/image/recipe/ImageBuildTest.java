package org.spillway.image.recipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.image.ImageRefused;
import org.spillway.image.store.Reference;
import org.spillway.image.store.Seal;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.Watch;

/** Recipes whose programs really run, in a tree with a shell and nothing else. As root. */
class ImageBuildTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final Seal SEAL = new Seal() {
        @Override
        public String sign(String text) {
            return "ours";
        }

        @Override
        public boolean holds(String text, String signature) {
            return signature.equals("ours");
        }
    };

    @TempDir
    Path scratch;

    private Path tree = Path.of("");

    @BeforeEach
    void makeTree() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "namespaces and chroot are root's");
        tree = scratch.resolve("tree");
        for (String folder : List.of("etc", "dev", "proc", "tmp", "run")) {
            Files.createDirectories(tree.resolve(folder));
        }
        shell("for p in /bin/sh /bin/cat; do for f in $p $(ldd $p | grep -o '/[^ )]*'); do"
                + " [ -e \"$0$f\" ] || cp --parents -L $f \"$0/\"; done; done");
        assumeTrue(
                new ProcessBuilder("unshare", "--mount", "--pid", "--net", "--fork", "true")
                                .start()
                                .waitFor()
                        == 0,
                "namespaces are refused here");
    }

    private void shell(String text) throws Exception {
        Process copy = new ProcessBuilder("sh", "-c", text, tree.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(copy.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(copy.waitFor()).as(said).isZero();
    }

    private ImageBuild.Built build(VersionStore store, List<String> scripts, List<String> smoke) throws Exception {
        Files.createDirectories(scratch.resolve("add"));
        Files.writeString(scratch.resolve("add/motd"), "welcome\n");
        var addition = new Recipe.Addition(scratch.resolve("add"), "/etc/more/deep", 0640, 3, 4);
        var recipe = new Recipe("small", new Recipe.Base.Folder(tree), List.of(addition), List.of(), scripts, smoke);
        return new ImageBuild(store, Watch.NONE, NOW).build(recipe, false, List.of(VersionStore.LATEST));
    }

    @Test
    void scriptsChangeACopyAndNothingElse() throws Exception {
        try (var store = VersionStore.open(scratch.resolve("store"), SEAL)) {
            var scripts = List.of("echo made >/etc/made; cat /proc/net/dev >/etc/net; echo gone >/tmp/x");
            var smoke = List.of("cat /etc/made /etc/more/deep/motd", "! echo x 2>/dev/null >/etc/made");
            var built = build(store, scripts, smoke);
            assertThat(built.made()).isTrue();
            store.checkout(built.version(), scratch.resolve("out"), Watch.NONE);
            assertThat(scratch.resolve("out/etc/made")).hasContent("made\n");
            assertThat(scratch.resolve("out/tmp")).isEmptyDirectory();
            assertThat(scratch.resolve("out/dev")).isEmptyDirectory();
            assertThat(Files.readString(scratch.resolve("out/etc/net")))
                    .as("a network of its own")
                    .doesNotContain("eth");
            var motd = store.manifest(built.version()).at("etc/more/deep/motd");
            assertThat(motd.mode()).isEqualTo(0640);
            assertThat(motd.gid()).isEqualTo(4);
            assertThat(tree.resolve("etc")).isEmptyDirectory();
            var again = build(store, scripts, smoke);
            assertThat(again.made()).isFalse();
            assertThat(again.version()).isEqualTo(built.version());
        }
    }

    @Test
    void aSmokeCommandThatFailsLeavesNothing() throws Exception {
        try (var store = VersionStore.open(scratch.resolve("store"), SEAL)) {
            var good = build(store, List.of("echo 1 >/etc/made"), List.of());
            assertThatThrownBy(() -> build(store, List.of("echo 2 >/etc/made"), List.of("echo why; exit 7")))
                    .isInstanceOf(ImageRefused.class)
                    .hasMessageContaining("ended with 7")
                    .hasMessageContaining("why");
            assertThatThrownBy(() -> build(store, List.of("exit 3"), List.of()))
                    .isInstanceOf(ImageRefused.class)
                    .hasMessageContaining("script 1 of the recipe ended with 3");
            assertThat(store.versions()).containsExactly(good.version());
            assertThat(store.find(Reference.parse("small"))).isEqualTo(good.version());
            assertThat(scratch.resolve("store/tmp")).isEmptyDirectory();
        }
    }
}
