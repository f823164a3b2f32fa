package org.spillway.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageBuilderTest {
    private static final String LONG = "a-long-name-".repeat(15);
    /** Of the tree that {@link #fill} makes. It may only change together with the format's version. */
    private static final String GOLDEN_SHA256 = "b0bd774fef7e88f5872ad445b13740c4cc88386896714c28d719b71563255648";

    @TempDir
    Path scratch;

    private Path tree;
    private Path store;

    @BeforeEach
    void make() throws IOException {
        tree = Files.createDirectory(scratch.resolve("tree"));
        store = scratch.resolve("store");
    }

    private static Map<String, String> contents() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("README", "read me\n");
        files.put("bin/tool", "#!/bin/sh\nexit 0\n");
        files.put("bin-old/tool", "old\n");
        files.put("lib/empty", "");
        files.put("lib/" + LONG + "/" + LONG, "long\n");
        files.put("share/grün", "ä\n");
        return files;
    }

    private static void fill(Path tree, boolean backwards) throws IOException {
        List<String> names = new ArrayList<>(contents().keySet());
        if (backwards) {
            Collections.reverse(names);
        }
        for (String name : names) {
            Path file = tree.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, contents().get(name));
        }
        Files.setPosixFilePermissions(tree.resolve("bin/tool"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createSymbolicLink(tree.resolve("lib/tool"), Path.of("../bin/tool"));
        Files.createSymbolicLink(tree.resolve("lib/long"), Path.of(LONG, LONG));
        Files.createSymbolicLink(tree.resolve("dangling"), Path.of("not/there"));
    }

    @Test
    void aFixedTreeHasTheGoldenDigest() throws IOException {
        fill(tree, false);
        ImageBuilder.Built built = ImageBuilder.build(tree, "base", store);
        assertThat(built.archive().sha256()).isEqualTo(GOLDEN_SHA256);
        assertThat(built.archive().bytes()).isEqualTo(Files.size(built.file()));
        assertThat(built.file().getFileName()).hasToString(GOLDEN_SHA256 + ".tar");
    }

    @Test
    void orderTimesAndModesDoNotMatter() throws IOException {
        fill(tree, false);
        Path other = Files.createDirectory(scratch.resolve("other"));
        fill(other, true);
        try (Stream<Path> files = Files.walk(other)) {
            for (Path file : files.filter(f -> Files.isRegularFile(f, LinkOption.NOFOLLOW_LINKS))
                    .toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(12345)));
            }
        }
        Files.setPosixFilePermissions(other.resolve("README"), PosixFilePermissions.fromString("rw-rw----"));
        Files.setPosixFilePermissions(other.resolve("lib"), PosixFilePermissions.fromString("rwx------"));
        Files.delete(other.resolve("bin-old/tool"));
        Files.writeString(other.resolve("bin-old/x"), "old\n");
        Files.createLink(other.resolve("bin-old/tool"), other.resolve("bin-old/x"));
        Files.delete(other.resolve("bin-old/x"));
        ImageBuilder.Built first = ImageBuilder.build(tree, "base", store);
        assertThat(ImageBuilder.build(other, "base", scratch.resolve("store2")).archive())
                .isEqualTo(first.archive());
        assertThat(ImageBuilder.build(tree, "base", store)).isEqualTo(first);
        assertThat(store).isDirectoryContaining("glob:**.tar");
        try (Stream<Path> files = Files.list(store)) {
            assertThat(files).hasSize(1);
        }
        Files.writeString(other.resolve("README"), "read mE\n");
        assertThat(ImageBuilder.build(other, "base", store).archive()).isNotEqualTo(first.archive());
    }

    @Test
    void theArchiveHoldsTheTreeAndNothingOfTheMachine() throws IOException {
        fill(tree, false);
        Files.createLink(tree.resolve("README.hard"), tree.resolve("README"));
        Path archive = ImageBuilder.build(tree, "base", store).file();
        Map<String, String> found = new LinkedHashMap<>();
        try (InputStream in = Files.newInputStream(archive);
                TarArchiveInputStream tar = new TarArchiveInputStream(in, "UTF-8")) {
            for (TarArchiveEntry e = tar.getNextEntry(); e != null; e = tar.getNextEntry()) {
                assertThat(e.getLongUserId() + e.getLongGroupId()).isZero();
                assertThat(e.getUserName() + e.getGroupName()).isEmpty();
                assertThat(e.getLastModifiedTime().toMillis()).isZero();
                String shown = e.isSymbolicLink()
                        ? "-> " + e.getLinkName()
                        : "%o ".formatted(e.getMode() & 0777) + new String(tar.readAllBytes(), StandardCharsets.UTF_8);
                found.put(e.getName(), shown);
            }
        }
        assertThat(found)
                .containsEntry("README", "644 read me\n")
                .containsEntry("README.hard", "644 read me\n")
                .containsEntry("bin/", "755 ")
                .containsEntry("bin/tool", "755 #!/bin/sh\nexit 0\n")
                .containsEntry("lib/tool", "-> ../bin/tool")
                .containsEntry("lib/long", "-> " + LONG + "/" + LONG)
                .containsEntry("lib/" + LONG + "/" + LONG, "644 long\n")
                .containsEntry("share/grün", "644 ä\n")
                .hasSize(15);
        assertThat(new String(Files.readAllBytes(archive), StandardCharsets.ISO_8859_1))
                .doesNotContain(System.getProperty("user.name") + "\0");
    }

    @Test
    void tarItselfUnpacksIt() throws Exception {
        fill(tree, false);
        Path archive = ImageBuilder.build(tree, "base", store).file();
        Path unpacked = Files.createDirectory(scratch.resolve("unpacked"));
        Process tar = new ProcessBuilder("tar", "-xf", archive.toString(), "-C", unpacked.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tar.waitFor()).as(said).isZero();
        assertThat(ImageBuilder.build(unpacked, "base", scratch.resolve("again"))
                        .archive()
                        .sha256())
                .isEqualTo(GOLDEN_SHA256);
    }

    @ParameterizedTest
    @CsvSource({
        "sub/link, /etc/passwd, absolute",
        "sub/link, ../../outside, outside",
        "link, .., outside",
        "sub/link, up/../../x, goes up after going down"
    })
    void aLinkThatLeavesTheTreeIsRefusedByName(String name, String target, String reason) throws IOException {
        Files.createDirectory(tree.resolve("sub"));
        Files.createSymbolicLink(tree.resolve(name), Path.of(target));
        assertThatThrownBy(() -> ImageBuilder.build(tree, "base", store))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining(tree.toRealPath().resolve(name).toString())
                .hasMessageContaining(reason);
        assertThat(store).isEmptyDirectory();
    }

    @Test
    void specialFilesAreRefusedByName() throws Exception {
        Path pipe = tree.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> ImageBuilder.build(tree, "base", store))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("pipe is a device, pipe or socket");
    }

    @Test
    void theStoreMayNotLieInTheTree() {
        assertThatThrownBy(() -> ImageBuilder.build(tree, "base", tree.resolve("store")))
                .isInstanceOf(ImageRefused.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Base", "a/b", "a\nb", "..", "a b"})
    void namesAreSafeToSignAndToPrint(String name) {
        assertThatThrownBy(() -> ImageBuilder.build(tree, name, store)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theFingerprintNoticesAChangeWithoutReading() throws IOException {
        fill(tree, false);
        String before = ImageBuilder.fingerprint(tree);
        assertThat(ImageBuilder.fingerprint(tree)).isEqualTo(before);
        Path file = tree.resolve("README");
        FileTime time = Files.getLastModifiedTime(file);
        Files.setLastModifiedTime(file, FileTime.from(time.toInstant().plusNanos(1000)));
        assertThat(ImageBuilder.fingerprint(tree)).isNotEqualTo(before);
        Files.setLastModifiedTime(file, time);
        assertThat(ImageBuilder.fingerprint(tree)).isEqualTo(before);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(ImageBuilder.fingerprint(tree)).isNotEqualTo(before);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Files.createDirectory(tree.resolve("new"));
        assertThat(ImageBuilder.fingerprint(tree)).isNotEqualTo(before);
    }
}
