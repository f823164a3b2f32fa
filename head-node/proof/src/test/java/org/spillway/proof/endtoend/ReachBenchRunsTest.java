package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench reach} with little data, by its launcher: which times it takes is nobody's promise here. */
@Tag("processes")
@Timeout(900)
final class ReachBenchRunsTest {
    @TempDir
    Path folder;

    @Test
    void allOfItIsMeasuredAndTold() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "not root: nodes mount nothing");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "no /dev/fuse");
        assumeTrue(Files.exists(Path.of("/usr/bin/sshfs")), "no sshfs: apt-get install sshfs");
        assumeTrue(Files.exists(Path.of("/usr/bin/cc")), "no cc: apt-get install gcc");
        Path home = Installation.shared().home();
        Path launcher = home.resolve("spillway");
        Files.copy(root().resolve("spillway"), launcher, StandardCopyOption.REPLACE_EXISTING);
        Path out = folder.resolve("out");
        Path said = folder.resolve("said");
        var builder = new ProcessBuilder(
                        launcher.toString(),
                        "bench",
                        "reach",
                        "--count",
                        "40",
                        "--rounds",
                        "1",
                        "--link",
                        "5ms,1Gbit",
                        "--json")
                .redirectOutput(out.toFile())
                .redirectError(said.toFile());
        builder.environment().put("SPILLWAY_HOME", home.toString());
        int exit = builder.start().waitFor();
        String told = Files.readString(said, StandardCharsets.UTF_8);
        assertThat(exit).as(told).isIn(0, 1);
        JsonNode report = JsonMapper.builder().build().readTree(Files.readString(out));
        List<String> names = new ArrayList<>();
        report.path("figures").forEach(figure -> {
            String name = figure.path("name").asText();
            names.add(name);
            if (!name.endsWith(".carried") && !name.contains(".cpu.") && !name.equals("reach.peer")) {
                assertThat(figure.path("value").asDouble()).as(name).isPositive();
            }
        });
        assertThat(names)
                .as(told)
                .contains(
                        "reach.extract",
                        "reach.extract.home",
                        "reach.build.ratio",
                        "reach.read.ratio",
                        "reach.large.wire",
                        "reach.other.local");
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("CONTRIBUTING.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
