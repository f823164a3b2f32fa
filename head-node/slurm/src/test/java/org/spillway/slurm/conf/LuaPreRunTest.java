package org.spillway.slurm.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.RestServer;
import org.spillway.slurm.hooks.FakeSlurm;
import org.spillway.slurm.hooks.SlurmApi.Stage;
import org.spillway.slurm.hooks.SlurmRoutes;

/** slurm_bb_pre_run in a real Lua, with a head that answers and a Slurm that says how a job is. */
@Timeout(600)
final class LuaPreRunTest {
    private final FakeSlurm slurm = new FakeSlurm();
    private Path folder = Path.of("");
    private Optional<RestServer> server = Optional.empty();
    private Optional<Lua> lua = Optional.empty();

    @BeforeEach
    void begin() throws Throwable {
        lua = Lua.open();
        assumeTrue(lua.isPresent() && Files.isExecutable(Path.of("/usr/bin/curl")), "Lua's library or curl is missing");
        folder = Files.createTempDirectory("spw");
        var squeue = Files.writeString(
                folder.resolve("squeue"),
                "#!/bin/sh\ncase $* in *%P) cat " + folder + "/partition ;; *) cat " + folder + "/state ;; esac\n");
        Files.setPosixFilePermissions(squeue, PosixFilePermissions.fromString("rwxr-xr-x"));
        slurmSays("west", "4711 CF\n");
    }

    @AfterEach
    void end() throws IOException {
        server.ifPresent(RestServer::close);
        lua.ifPresent(Lua::close);
        if (!folder.toString().isEmpty()) {
            try (var files = Files.list(folder)) {
                for (var file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private void slurmSays(String partition, String state) throws IOException {
        Files.writeString(folder.resolve("partition"), partition + "\n");
        Files.writeString(folder.resolve("state"), state);
    }

    private void headComes() throws IOException {
        var head = new FakeHead();
        slurm.everybody = true;
        head.parts.add(new SlurmRoutes(() -> Optional.of(slurm)));
        server = Optional.of(RestServer.start(folder.resolve("s.sock"), "600", head));
    }

    private String preRun(String job) throws Throwable {
        try (var in = LuaPreRunTest.class.getResourceAsStream("burst_buffer.lua")) {
            var text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@SOCKET@", folder.resolve("s.sock").toString())
                    .replace("@CURL@", "/usr/bin/curl")
                    .replace("@CONF@", "/etc/slurm/slurm.conf")
                    .replace("@SQUEUE@", folder.resolve("squeue").toString())
                    .replace("@PARTITIONS@", "[\"west\"] = true");
            return lua.orElseThrow()
                    .run("slurm = { SUCCESS = 0, ERROR = -1 }\n" + text + "\nlocal code, why = slurm_bb_pre_run('" + job
                            + "', '/script', '1', '1')\nreturn tostring(code) .. '|' .. tostring(why)");
        }
    }

    @Test
    void theJobsNodesAreWaitedFor() throws Throwable {
        headComes();
        slurm.stages.addFirst(new Stage.Wait("its input is on the way"));
        assertThat(preRun("4711")).isEqualTo("0|nil");
        assertThat(slurm.asked).hasSizeGreaterThan(1).containsOnly("pre-run 4711");
    }

    @Test
    void whatTheHeadWillNotDoTheNodeSays() throws Throwable {
        headComes();
        slurm.stages.addFirst(new Stage.Failed("it has ended"));
        assertThat(preRun("4711")).isEqualTo("0|nil");
        assertThat(slurm.asked).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4711 PD\n", "4711 CG\n", "4699 CF\n4711 CA\n"})
    void aRunThatIsBrokenOffIsNoSuccess(String state) throws Throwable {
        slurmSays("west", state);
        assertThat(preRun("4711")).as("also without a head").startsWith("-1|");
        headComes();
        slurm.stages.clear();
        slurm.stages.add(new Stage.Wait("its manager is done with the run"));
        assertThat(preRun("4711")).isEqualTo("-1|this run has ended before it began");
    }

    @Test
    void aSlurmThatSaysNothingEndsNoRun() throws Throwable {
        slurmSays("west", "4710 PD\nslurm_load_jobs error: Unable to contact\n");
        headComes();
        slurm.stages.addFirst(new Stage.Wait("its input is on the way"));
        assertThat(preRun("4711")).isEqualTo("0|nil");
    }

    @Test
    void aJobThatIsNoneOfOursDoesNotWait() throws Throwable {
        slurmSays("home", "4711 CF\n");
        assertThat(preRun("4711")).as("without a head").isEqualTo("0|nil");
        assertThat(preRun("x")).isEqualTo("0|nil");
        headComes();
        assertThat(preRun("4711")).isEqualTo("0|nil");
        assertThat(slurm.asked).isEmpty();
    }
}
