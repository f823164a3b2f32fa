package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything under a uid that may do nothing special; when the build runs as such a user, all other tests show it. */
@Tag("processes")
@Timeout(600)
final class OrdinaryUserTest {
    private static final int NOBODY = 65534;

    private Path folder;

    @BeforeEach
    void make() throws IOException {
        // Not below JUnit's folder, which only this process's user may enter.
        folder = Files.createTempDirectory("spillway-nobody");
    }

    @AfterEach
    void clean() {
        Installation.delete(folder);
    }

    @Test
    void runsTheMainJobWithoutBeingRoot() throws Exception {
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "this build does not run as root: covered by all");
        Files.setAttribute(folder, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--no-new-privs"));
        command.addAll(Installation.shared().java(MainScenario.class.getName(), folder.resolve("scenario.jsa")));
        command.add(folder.toString());
        Path out = folder.resolve("scenario.out");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("HOME", folder.toString());
        builder.environment()
                .put(Installation.HOME, Installation.shared().home().toString());
        Process scenario = builder.start();
        try {
            assertThat(scenario.waitFor(400, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(out, StandardCharsets.UTF_8)).contains("all is well");
            assertThat(scenario.exitValue())
                    .as(Files.readString(out, StandardCharsets.UTF_8))
                    .isZero();
        } finally {
            scenario.destroyForcibly();
            Processes.ofRun(folder).forEach(Processes::kill);
        }
    }
}
