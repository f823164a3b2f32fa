package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a clone whose build did not end. A Maven of the test's own stands on the path. */
final class LauncherBuildTest {
    @TempDir
    Path folder;

    private Path clone;
    private Path half;

    @BeforeEach
    void make() throws IOException {
        clone = Files.createDirectories(folder.resolve("a clone"));
        Files.copy(Path.of("../../spillway"), clone.resolve("spillway"));
        half = Files.createDirectories(clone.resolve("scaler/target")).resolve("half.jar");
        Files.writeString(clone.resolve("scaler/pom.xml"), "<project/>");
        program("java/bin/java", "echo it ran");
        Files.writeString(folder.resolve("java/release"), "JAVA_VERSION=\"25.0.1\"\n");
    }

    private void program(String name, String body) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private int launch(String maven) throws IOException, InterruptedException {
        program("bin/mvn", maven);
        var builder = new ProcessBuilder(List.of("sh", clone.resolve("spillway").toString(), "--version"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile());
        builder.environment().put("JAVA_HOME", folder.resolve("java").toString());
        builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().remove("SPILLWAY_NO_BUILD");
        Process process = builder.start();
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    private String whole() {
        Path lib = clone.resolve("head-node/target/dist/lib");
        return "mkdir -p '" + lib + "' && : >'" + lib + "/spillway-head-1.jar'";
    }

    @Test
    void whatABuildThatWasCutOffHasHalfWrittenIsMadeAnew() throws Exception {
        assertThat(launch(": >'" + half + "'; kill -9 $$")).isEqualTo(1);
        assertThat(half).exists();
        assertThat(launch(whole())).as(Files.readString(folder.resolve("out"))).isZero();
        assertThat(half).doesNotExist();
        assertThat(Files.readString(folder.resolve("out"))).endsWith("it ran\n");
    }

    @Test
    void aBuildThatFailedOfItselfKeepsWhatItHasMade() throws Exception {
        assertThat(launch(": >'" + half + "'; echo 'a mistake'; exit 1")).isEqualTo(1);
        assertThat(Files.readString(folder.resolve("out"))).contains("a mistake");
        assertThat(launch(whole())).as(Files.readString(folder.resolve("out"))).isZero();
        assertThat(half).exists();
    }
}
