package org.spillway.stage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.container.TinyImage.Layer;

/** Layers become one tar file, which GNU tar takes apart. */
final class LayersTest {
    @TempDir
    Path folder;

    private Path unpacked(Layer... layers) throws IOException, InterruptedException {
        LayerTree tree = new LayerTree();
        List<byte[]> tars = Stream.of(layers).map(Layer::tar).toList();
        for (int i = 0; i < tars.size(); i++) {
            LayerReader reader = new LayerReader(new ByteArrayInputStream(tars.get(i)));
            for (LayerReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                tree.add(i, entry);
            }
        }
        tree.settle();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new RootArchive(out, () -> {})
                .write(
                        tree,
                        tars.stream()
                                .<RootArchive.Layer>map(tar -> () -> new ByteArrayInputStream(tar))
                                .toList());
        Path archive = Files.write(folder.resolve("root.tar"), out.toByteArray());
        Path root = Files.createDirectory(folder.resolve("root"));
        Process tar = new ProcessBuilder("tar", "-xpf", archive.toString(), "-C", root.toString(), "--no-same-owner")
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
        return root;
    }

    @Test
    void whatIsAboveHidesWhatIsBelow() throws Exception {
        String deep = "d/" + "long-name-".repeat(15) + "/" + "x".repeat(120);
        Path root = unpacked(
                new Layer()
                        .file("a", "below")
                        .file("gone", "x")
                        .file("folder/one", "1")
                        .file("folder/two", "2")
                        .file("all/one", "1")
                        .file("all/deep/two", "2")
                        .file("was-file", "x")
                        .file("was-folder/x", "x")
                        .same("also-a", "a"),
                new Layer()
                        .file("a", "above")
                        .file(".wh.gone", "")
                        .file("folder/.wh.one", "")
                        .file("all/new", "3")
                        .file("all/.wh..wh..opq", "")
                        .folder("was-file")
                        .file("was-file/y", "y".repeat(10))
                        .add("was-folder", '0', 04755, "z".getBytes(StandardCharsets.UTF_8), "")
                        .add("null", '3', 0666, new byte[0], "")
                        .add("././@LongLink", 'L', 0, (deep + "\0").getBytes(StandardCharsets.UTF_8), "")
                        .file("short", "by a long name")
                        .file("locked/x", new byte[0], 0)
                        .add("locked/", '5', 0, new byte[0], ""));
        assertThat(root.resolve("a")).hasContent("above");
        assertThat(root.resolve("also-a")).hasContent("below");
        assertThat(root.resolve("gone")).doesNotExist();
        assertThat(root.resolve("folder/one")).doesNotExist();
        assertThat(root.resolve("folder/two")).hasContent("2");
        assertThat(root.resolve("all")).isDirectoryNotContaining(each -> !each.endsWith("new"));
        assertThat(root.resolve("was-folder")).hasContent("z");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("was-folder"))))
                .isEqualTo("rwxr-xr-x");
        assertThat((int) Files.getAttribute(root.resolve("was-folder"), "unix:mode") & 07000)
                .isZero();
        assertThat(root.resolve("null")).doesNotExist();
        assertThat(root.resolve(deep)).hasContent("by a long name");
        assertThat(Files.getPosixFilePermissions(root.resolve("locked/x"))).hasSize(1);
        assertThat(root.resolve("etc/hosts")).isRegularFile();
        assertThat(root.resolve("proc")).isDirectory();
    }

    @Test
    void noNameLeadsOutOfTheTree() throws Exception {
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Path root = unpacked(
                new Layer()
                        .folder("usr/lib")
                        .link("lib", "usr/lib")
                        .link("bad", outside.toString())
                        .link("up", "../../../../../.." + outside)
                        .link("etc", outside.toString())
                        .link("round", "round"),
                new Layer()
                        .file("lib/so", "in usr")
                        .file("bad/file", "in the tree")
                        .file("../../climbs", "at the top")
                        .file("/absolute", "at the top")
                        .same("up/same", "lib/so"));
        assertThat(outside).isEmptyDirectory();
        assertThat(root.resolve("usr/lib/so")).hasContent("in usr");
        assertThat(root.resolve("." + outside + "/file")).hasContent("in the tree");
        assertThat(root.resolve("." + outside + "/same")).hasContent("in usr");
        assertThat(root.resolve("climbs")).hasContent("at the top");
        assertThat(root.resolve("absolute")).hasContent("at the top");
        assertThat(Files.isSymbolicLink(root.resolve("bad"))).isTrue();
        assertThat(Files.exists(root.resolve("." + outside + "/hosts"), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
        assertThat(folder.resolve("climbs")).doesNotExist();
        assertThatThrownBy(() -> new LayerTree().add(0, new LayerReader.Entry("x", '1', 0, 0, 0, "nothing")))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("nothing");
        LayerTree tree = new LayerTree();
        tree.add(0, new LayerReader.Entry("round", '2', 0, 0, 0, "round"));
        assertThatThrownBy(() -> tree.add(1, new LayerReader.Entry("round/x", '0', 0, 0, 0, "")))
                .isInstanceOf(ImageRefused.class);
    }

    @Test
    void aBrokenTarIsRefused() {
        byte[] tar = new Layer().file("a", "some bytes").tar();
        byte[] flipped = tar.clone();
        flipped[3] ^= 1;
        for (byte[] broken : List.of(
                flipped,
                Arrays.copyOf(tar, 700),
                Arrays.copyOf(tar, 100),
                "x".repeat(600).getBytes(StandardCharsets.UTF_8))) {
            LayerReader reader = new LayerReader(new ByteArrayInputStream(broken));
            assertThatThrownBy(() -> {
                        while (reader.next() != null) {}
                    })
                    .isInstanceOf(ImageRefused.class);
        }
    }
}
