package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.head.trust.SiteAuthority;

final class ImageCommandsTest extends AskedHead {
    private Path tree = Path.of("");

    @BeforeEach
    void makeTree() throws IOException {
        Files.writeString(folder.resolve("spillway.yaml"), "state: " + folder.resolve("state") + "\n");
        SiteAuthority.open(Files.createDirectories(folder.resolve("state")), InstantSource.system());
        tree = Files.createDirectories(folder.resolve("tree"));
        Files.createDirectories(tree.resolve("usr/bin"));
        Files.createDirectories(tree.resolve("var/lib/dpkg/info"));
        Files.createSymbolicLink(tree.resolve("bin"), Path.of("usr/bin"));
        Files.writeString(tree.resolve("usr/bin/tool"), "one\n");
        Files.writeString(tree.resolve("var/lib/dpkg/info/tools:amd64.list"), "/.\n/bin\n/bin/tool\n");
        Files.writeString(folder.resolve("base.yaml"), "base: tree\n");
    }

    private int image(String... words) {
        var arguments = new ArrayList<>(List.of(words));
        arguments.addFirst("image");
        arguments.add("--config");
        arguments.add(folder.resolve("spillway.yaml").toString());
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return run(arguments.toArray(new String[0]));
    }

    /** Digests, times, owners and keys are this machine's and this run's. */
    private String steady() throws IOException {
        String uid = String.valueOf(Files.getAttribute(tree, "unix:uid", LinkOption.NOFOLLOW_LINKS));
        String gid = String.valueOf(Files.getAttribute(tree, "unix:gid", LinkOption.NOFOLLOW_LINKS));
        return out.toString()
                .replace(folder.toString(), "FOLDER")
                .replace(" " + uid + ":" + gid, " UID:GID")
                .replaceAll("(\"signature\" : |signature +)\"?[A-Za-z0-9+/=]{60,}\"?", "$1SIGNATURE")
                .replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME")
                .replaceAll("\\b[0-9a-f]{64}\\b", "DIGEST")
                .replaceAll("\\b(?=\\S*\\d)[0-9a-f]{12}\\b", "DIGEST12");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "build", "list", "show", "diff", "verify", "checkout", "tag", "gc"})
    void everyCommandExplainsItself(String name) {
        assertThat(name.isEmpty() ? run("image", "--help") : run("image", name, "--help"))
                .isZero();
        golden("help-image" + (name.isEmpty() ? "" : "-" + name) + ".txt", out.toString());
        assertThat(out.toString()).containsPattern("Examples?:");
    }

    @Test
    void aVersionIsBuiltShownComparedAndCollected() throws IOException {
        String recipe = folder.resolve("base.yaml").toString();
        assertThat(image("build", recipe, "--tag", "stable")).as(err.toString()).isZero();
        assertThat(out.toString()).contains("built; tags latest, stable name it");
        assertThat(image("build", recipe)).isZero();
        assertThat(out.toString()).contains("unchanged: a version was made of the same");

        assertThat(image("show", "base")).isZero();
        golden("image-show.txt", steady());
        assertThat(image("show", "base", "--json")).isZero();
        golden("image-show.json", steady());
        assertThat(image("list")).isZero();
        assertThat(out.toString()).contains("latest, stable");

        assertThat(image("verify", "base", "--tree", tree.toString())).isZero();
        Files.writeString(tree.resolve("usr/bin/tool"), "three\n");
        Files.createSymbolicLink(tree.resolve("new"), Path.of("/anywhere"));
        assertThat(image("verify", "base", "--tree", tree.toString())).isEqualTo(1);
        golden("image-verify.txt", steady());
        assertThat(image("verify", "base", "--tree", tree.toString(), "--json")).isEqualTo(1);
        golden("image-verify.json", steady());

        assertThat(image("build", recipe)).isZero();
        assertThat(image("diff", "base:stable", "base")).isZero();
        golden("image-diff.txt", steady());
        assertThat(image("diff", "base:stable", "base", "--json")).isZero();
        golden("image-diff.json", steady());

        assertThat(image(
                        "checkout", "base:stable", "--to", folder.resolve("out").toString()))
                .as(err.toString())
                .isZero();
        assertThat(folder.resolve("out/usr/bin/tool")).hasContent("one\n");
        assertThat(image(
                        "verify", "base:stable", "--tree", folder.resolve("out").toString()))
                .as(out.toString())
                .isZero();

        assertThat(image("tag", "base", "stable")).isZero();
        assertThat(image("gc")).isZero();
        assertThat(out.toString()).startsWith("removed 0 versions and 0 contents");
        assertThat(image("gc", "--untagged")).isZero();
        assertThat(out.toString()).contains("removed 1 versions and 1 contents");
        assertThat(image("verify", "base")).as(out.toString()).isZero();
    }

    @Test
    void mistakesOfARecipeAreToldByLineAndKey() throws IOException {
        Files.writeString(folder.resolve("wrong.yaml"), """
            name: Wrong Name
            mmdebstrap:
              suite: bookworm
              mirror: ftp://somewhere
              variant: minbse
            files:
              - from: motd
                to: etc/motd
                mode: 9
            packages: [fine, --not-a-package]
            script: x
            """);
        assertThat(image("build", folder.resolve("wrong.yaml").toString())).isEqualTo(CliFailure.BAD_INPUT);
        golden("image-mistakes.txt", err.toString().replace(folder.toString(), "FOLDER"));
    }

    @Test
    void withoutAHeadsKeyNothingIsBuilt() {
        assertThat(run("image", "list", "--config", folder.resolve("none.yaml").toString()))
                .isEqualTo(CliFailure.BAD_INPUT);
        assertThat(image("show", "absent")).isEqualTo(CliFailure.FAILED);
        assertThat(err.toString()).contains("there is no image 'absent'");
        assertThat(image("verify", "Bad Name")).isEqualTo(CliFailure.BAD_INPUT);
    }
}
