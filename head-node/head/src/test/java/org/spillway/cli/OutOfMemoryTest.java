package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** M10: on 7b3e1e2 a head without memory left a stack trace, and often went on without a part of itself. */
final class OutOfMemoryTest {
    private static final String GREEDY = """
            package org.spillway.cli;
            public class Main {
                public static void main(String[] args) {
                    var all = new java.util.ArrayList<byte[]>();
                    while (true) {
                        all.add(new byte[1 << 20]);
                    }
                }
            }
            """;

    @TempDir
    Path folder;

    /** An installation whose program takes all memory that there is. */
    private void install() throws IOException {
        Files.copy(Path.of("../../spillway"), folder.resolve("spillway"));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Path source = Files.writeString(folder.resolve("Main.java"), GREEDY);
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-d", classes.toString(), source.toString()))
                .isZero();
        Files.createDirectories(folder.resolve("lib"));
        try (var jar = new JarOutputStream(Files.newOutputStream(folder.resolve("lib/greedy.jar")))) {
            jar.putNextEntry(new JarEntry("org/spillway/cli/Main.class"));
            jar.write(Files.readAllBytes(classes.resolve("org/spillway/cli/Main.class")));
        }
    }

    @Test
    void aHeadWithoutMemoryEndsAndNamesTheSetting() throws IOException, InterruptedException {
        install();
        var builder = new ProcessBuilder("sh", folder.resolve("spillway").toString(), "serve", "--config", "x")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("HOME", folder.toString());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().put("SPILLWAY_JAVA_OPTS", "-Xmx32m");
        var process = builder.start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(folder.resolve("out"), StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(said).isEqualTo(3);
        assertThat(said.lines().toList())
                .as("%s", List.of(said))
                .contains("spillway: the head has not enough memory for its jobs and nodes, and ends. Its nodes go on."
                        + " Start it with more, 256m is usual: SPILLWAY_JAVA_OPTS=-Xmx1g");
        assertThat(said).doesNotContain("\tat ");
    }
}
