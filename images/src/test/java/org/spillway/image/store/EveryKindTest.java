package org.spillway.image.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.Posix;
import org.spillway.image.tree.Difference;
import org.spillway.image.tree.Difference.Change;
import org.spillway.image.tree.Entry.Kind;
import org.spillway.image.tree.Manifest;
import org.spillway.image.tree.RawName;

/** Every kind of file goes into a version and comes out of it as it was, and each single change of one is found. As root. */
class EveryKindTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    @TempDir
    Path scratch;

    private final Posix posix = new Posix();
    private VersionStore store;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(Trees.isRoot(), "owners, devices and capabilities are root's to make");
        store = VersionStore.open(scratch.resolve("store"), new TestSeal("ours"));
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
        posix.close();
    }

    private VersionRecord built(Path tree, String name) throws IOException {
        try (var captured = store.capture(tree, false, NOW, Watch.NONE)) {
            VersionRecord made = store.keep(captured, name, "by hand", NOW, Watch.NONE);
            store.tag(made, VersionStore.LATEST);
            return made;
        }
    }

    @Test
    void aCheckoutIsEqualByFile() throws IOException {
        Path tree = scratch.resolve("tree");
        Trees.everyKind(posix, tree);
        VersionRecord version = built(tree, "base");
        Manifest manifest = store.manifest(version);
        assertThat(manifest.entries().stream().map(one -> one.kind()))
                .as("a tree of every kind")
                .containsAll(EnumSet.allOf(Kind.class));
        assertThat(manifest.at("etc/" + Trees.ODD)).isNotNull();
        assertThat(manifest.at("etc/dangling").content()).isEqualTo("../nowhere//twice/");
        assertThat(manifest.at("bin/ping").attributes()).containsKey("security.capability");

        Path out = scratch.resolve("out");
        store.checkout(version, out, Watch.NONE);
        assertThat(store.drift(version, out, Watch.NONE).differences()).isEmpty();
        assertThat(store.drift(version, tree, Watch.NONE).differences()).isEmpty();
        assertThat(built(out, "base").digest()).isEqualTo(version.digest());
        assertThat((Long) Files.getAttribute(out.resolve("var/sparse"), "basic:size"))
                .isEqualTo(Trees.HOLE_BYTES);
        assertThat(blocks(out.resolve("var/sparse"))).as("blocks of 512 bytes").isLessThan(1000);
        try (var inside = Files.list(scratch.resolve("store/tmp"))) {
            assertThat(inside).isEmpty();
        }
    }

    private static long blocks(Path file) throws IOException {
        Process du = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return Long.parseLong(
                new String(du.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII).strip());
    }

    private interface Plant {
        void in(Posix posix, String tree) throws IOException;
    }

    private record Case(String name, String path, Set<Change> expected, Plant plant) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> changes() {
        return List.of(
                new Case(
                        "a bit of mode",
                        "bin/write",
                        EnumSet.of(Change.MODE),
                        (p, t) -> p.mode(t + "/bin/write", 0755)),
                new Case(
                        "an owner",
                        "etc/empty",
                        EnumSet.of(Change.OWNER),
                        (p, t) -> p.owner(t + "/etc/empty", 1, 65534)),
                new Case(
                        "a group",
                        "etc/empty",
                        EnumSet.of(Change.OWNER),
                        (p, t) -> p.owner(t + "/etc/empty", 65534, 1)),
                new Case(
                        "a link's owner",
                        "etc/dangling",
                        EnumSet.of(Change.OWNER),
                        (p, t) -> p.owner(t + "/etc/dangling", 0, 34)),
                new Case(
                        "a content of equal size",
                        "etc/shadow",
                        EnumSet.of(Change.CONTENT),
                        (p, t) -> Files.writeString(Path.of(t, "etc/shadow"), "Secret\n")),
                new Case("a byte in a hole", "var/sparse", EnumSet.of(Change.CONTENT), (p, t) -> {
                    try (var file = java.nio.channels.FileChannel.open(
                            Path.of(t, "var/sparse"), java.nio.file.StandardOpenOption.WRITE)) {
                        file.write(java.nio.ByteBuffer.wrap(new byte[] {1}), 1_234_567);
                    }
                }),
                new Case("a target", "etc/absolute", EnumSet.of(Change.TARGET), (p, t) -> {
                    Files.delete(Path.of(t, "etc/absolute"));
                    p.symbolicLink("/etc//shadow", t + "/etc/absolute");
                }),
                new Case("a device's number", "dev/far", EnumSet.of(Change.DEVICE), (p, t) -> {
                    Files.delete(Path.of(t, "dev/far"));
                    p.special(t + "/dev/far", Posix.BLOCK, 259, 70_001);
                }),
                new Case("a type", "dev/pipe", EnumSet.of(Change.TYPE), (p, t) -> {
                    Files.delete(Path.of(t, "dev/pipe"));
                    p.special(t + "/dev/pipe", Posix.SOCKET, 0, 0);
                }),
                new Case(
                        "a capability gone",
                        "bin/ping",
                        EnumSet.of(Change.ATTRIBUTES),
                        (p, t) -> p.removeAttribute(t + "/bin/ping", "security.capability")),
                new Case(
                        "an access list",
                        "etc/listed",
                        EnumSet.of(Change.ATTRIBUTES),
                        (p, t) -> p.setAttribute(t + "/etc/listed", "system.posix_acl_access", Trees.accessList(1235))),
                new Case(
                        "a default access list",
                        "shared",
                        EnumSet.of(Change.ATTRIBUTES),
                        (p, t) -> p.removeAttribute(t + "/shared", "system.posix_acl_default")),
                new Case(
                        "an attribute of a user",
                        "etc/listed",
                        EnumSet.of(Change.ATTRIBUTES),
                        (p, t) -> p.setAttribute(t + "/etc/listed", "user.note", "other")),
                new Case("a hard link that is a copy", "deep/su", EnumSet.of(Change.LINKS), (p, t) -> {
                    Files.delete(Path.of(t, "deep/su"));
                    Trees.file(p, Path.of(t), "deep/su", "setuid\n", 04755, 0, 0);
                }),
                new Case(
                        "a file gone",
                        "bin/write",
                        EnumSet.of(Change.REMOVED),
                        (p, t) -> Files.delete(Path.of(t, "bin/write"))),
                new Case(
                        "a file more",
                        "etc/more",
                        EnumSet.of(Change.ADDED),
                        (p, t) -> Files.createFile(Path.of(t, "etc/more"))),
                new Case("a mode of the root", "", EnumSet.of(Change.MODE), (p, t) -> p.mode(t, 0755)));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void eachSingleChangeIsFound(Case change) throws IOException {
        Path tree = scratch.resolve("tree");
        Trees.everyKind(posix, tree);
        VersionRecord version = built(tree, "base");
        change.plant().in(posix, Posix.raw(tree));
        List<Difference> found = store.drift(version, tree, Watch.NONE).differences();
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().path()).isEqualTo(change.path());
        assertThat(found.getFirst().changes()).isEqualTo(change.expected());
    }

    static IntStream seeds() {
        return IntStream.range(0, Boolean.getBoolean("spillway.seeds.every") ? 200 : 12);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anyTreeComesOutAsItWas(int seed) throws IOException {
        Path tree = scratch.resolve("tree");
        Trees.drawn(posix, tree, new Random(seed));
        VersionRecord version = built(tree, "drawn");
        Path out = scratch.resolve("out");
        store.checkout(version, out, Watch.NONE);
        assertThat(store.drift(version, out, Watch.NONE).differences())
                .as("seed " + seed)
                .isEmpty();
        Manifest manifest = store.manifest(version);
        assertThat(Manifest.parse(manifest.text()).checksum()).isEqualTo(version.manifest());
        manifest.entries()
                .forEach(one -> assertThat(RawName.escaped(one.path())).matches("[!-~]*"));
    }

    @Test
    void whatIsMountedInATreeIsNotTakenForItsOwn() throws Exception {
        Path tree = scratch.resolve("tree");
        Trees.everyKind(posix, tree);
        Path out = scratch.resolve("out");
        store.checkout(built(tree, "base"), out, Watch.NONE);
        assumeTrue(run("mount", "-t", "tmpfs", "none", out.resolve("var").toString()) == 0, "mounts are refused here");
        try {
            assertThatThrownBy(() -> store.capture(out, false, NOW, Watch.NONE))
                    .isInstanceOf(ImageRefused.class)
                    .hasMessageContaining("something is mounted at " + out + "/var");
            var drift = store.drift(store.find(Reference.parse("base")), out, Watch.NONE);
            assertThat(drift.mounted()).containsExactly("var");
            assertThat(drift.differences()).isEmpty();
        } finally {
            run("umount", out.resolve("var").toString());
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    }
}
