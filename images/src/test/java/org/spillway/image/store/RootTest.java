package org.spillway.image.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.Posix;

/** A version becomes one file system with all that is in it. As root, with erofs-utils; skipped elsewhere. */
class RootTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    @TempDir
    Path scratch;

    private final Posix posix = new Posix();
    private VersionStore store;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(Trees.isRoot(), "owners, devices and mounts are root's");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfs.erofs")), "no erofs-utils here");
        store = VersionStore.open(scratch.resolve("store"), new TestSeal("ours"));
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
        posix.close();
    }

    private VersionRecord built(VersionStore in, Path tree) throws IOException {
        try (var captured = in.capture(tree, false, NOW, Watch.NONE)) {
            return in.keep(captured, "base", "by hand", NOW, Watch.NONE);
        }
    }

    private Path everyKind() throws IOException {
        Path tree = scratch.resolve("tree");
        Trees.everyKind(posix, tree);
        Trees.file(posix, tree, "bin/sh", "a shell\n", 0755, 0, 0);
        Trees.file(posix, tree, "bin/env", "env\n", 0755, 0, 0);
        return tree;
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    @Test
    void theMountedFileSystemIsTheVersionByFile() throws Exception {
        VersionRecord version = built(store, everyKind());
        RootRecord root = store.root(version, Watch.NONE);
        assertThat(store.isWhole(root)).isTrue();
        Path at = Files.createDirectories(scratch.resolve("at"));
        assertThat(run("mount", "-t", "erofs", "-o", "ro", root.file().toString(), at.toString()))
                .isZero();
        try {
            VersionStore.Drift drift = store.drift(version, at, Watch.NONE);
            assertThat(drift.differences()).isEmpty();
            assertThat(drift.mounted()).isEmpty();
        } finally {
            run("umount", at.toString());
        }
        if (!root.verity().equals(RootRecord.NO_VERITY)) {
            assertThat(root.whole().bytes()).isGreaterThan(root.data());
            String[] verify = {
                "veritysetup",
                "verify",
                root.file().toString(),
                root.file().toString(),
                root.verity(),
                "--hash-offset=" + root.data()
            };
            assertThat(run(verify)).isZero();
            spoil(root, root.data() / 2);
            assertThat(run(verify)).isNotZero();
        }
    }

    @Test
    void theSameVersionIsTheSameFileByteForByte() throws Exception {
        Path tree = everyKind();
        RootRecord first = store.root(built(store, tree), Watch.NONE);
        assertThat(store.root(built(store, tree), Watch.NONE))
                .as("not made twice")
                .isEqualTo(first);
        try (VersionStore other = VersionStore.open(scratch.resolve("other"), new TestSeal("theirs"))) {
            RootRecord again = other.root(built(other, tree), Watch.NONE);
            assertThat(again.whole()).isEqualTo(first.whole());
            assertThat(again.verity()).isEqualTo(first.verity());
            assertThat(again.signature()).isNotEqualTo(first.signature());
        }
    }

    @Test
    void aRottenOneGoesAndIsMadeAgainAndAForgedOneIsNotTaken() throws Exception {
        VersionRecord version = built(store, everyKind());
        RootRecord root = store.root(version, Watch.NONE);
        spoil(root, 5000);
        assertThat(store.isWhole(root)).isFalse();
        assertThat(root.file()).doesNotExist();
        assertThat(store.madeRoot(version)).isEmpty();
        assertThat(store.root(version, Watch.NONE).whole()).isEqualTo(root.whole());

        Path facts = scratch.resolve("store/roots/base@" + version.digest());
        String forged = Files.readString(facts).replace(root.whole().sha256(), "0".repeat(64));
        Files.writeString(facts, forged);
        assertThat(store.madeRoot(version)).as("what the head has not signed").isEmpty();
    }

    @Test
    void aRootGoesWithItsVersionAndStaysWithIt() throws Exception {
        VersionRecord version = built(store, everyKind());
        RootRecord root = store.root(version, Watch.NONE);
        store.close();
        Path folder = scratch.resolve("store");
        assertThat(VersionStore.collect(folder, false, List.of(), false).bytes())
                .isZero();
        var wanted = List.of(Reference.parse("base@" + version.digest().substring(0, 8)));
        assertThat(VersionStore.collect(folder, true, wanted, false).versions()).isEmpty();
        try (VersionStore again = VersionStore.open(folder, new TestSeal("ours"))) {
            again.hold(wanted);
        }
        assertThat(VersionStore.collect(folder, true, List.of(), false).versions())
                .as("a rollout wants it")
                .isEmpty();
        try (VersionStore again = VersionStore.open(folder, new TestSeal("ours"))) {
            again.hold(List.of());
        }
        assertThat(root.file()).exists();
        assertThat(VersionStore.collect(folder, true, List.of(), false).bytes())
                .isGreaterThan(root.whole().bytes());
        assertThat(scratch.resolve("store/roots")).isEmptyDirectory();
        store = VersionStore.open(folder, new TestSeal("ours"));
    }

    @Test
    void aTreeInWhichNoJobCouldLiveIsRefusedByWhatItLacks() throws Exception {
        Path tree = everyKind();
        Files.delete(tree.resolve("bin/env"));
        VersionRecord version = built(store, tree);
        store.tag(version, "stable");
        assertThatThrownBy(() -> store.root(version, Watch.NONE))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("is no root for jobs: it has no /usr/bin/env");
        Path folder = scratch.resolve("store");
        assertThat(VersionLook.problem(folder, Reference.parse("base:stable")))
                .hasValueSatisfying(problem -> assertThat(problem).endsWith(": it has no /usr/bin/env"));
        assertThat(VersionLook.problem(folder, Reference.parse("base:other")))
                .hasValue("the image base has no tag 'other'");
        assertThat(VersionLook.problem(folder, Reference.parse("basis")))
                .hasValue("there is no image 'basis' in " + folder);
        posix.symbolicLink("/bin/sh", Posix.raw(tree) + "/bin/env");
        store.tag(built(store, tree), "stable");
        assertThat(VersionLook.problem(folder, Reference.parse("base:stable"))).isEmpty();
    }

    private static void spoil(RootRecord root, long at) throws IOException {
        try (var file = FileChannel.open(root.file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var one = ByteBuffer.allocate(1);
            file.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 1)).rewind();
            file.write(one, at);
        }
    }
}
