package org.spillway.slurm.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.RestServer;
import org.spillway.slurm.hooks.FakeSlurm;
import org.spillway.slurm.hooks.SlurmApi;
import org.spillway.slurm.hooks.SlurmApi.Stage;
import org.spillway.slurm.hooks.SlurmRoutes;
import org.spillway.slurm.manager.StagingLines;

/** burst_buffer.lua and cli_filter.lua in a real Lua, against a real head's socket. */
@Timeout(600)
final class LuaHooksTest {
    private static final String SLURM = """
            said = ""
            slurm = { SUCCESS = 0, ERROR = -1, log_error = function(...) said = string.format(...) end, log_info = function(...) noted = string.format(...) end }
            """;

    private final FakeHead head = new FakeHead();
    private final FakeSlurm slurm = new FakeSlurm();
    private Optional<SlurmApi> hooks = Optional.empty();
    private Path folder = Path.of("");
    private Path socket = Path.of("");
    private Optional<RestServer> server = Optional.empty();
    private Optional<Lua> lua = Optional.empty();

    @BeforeEach
    void begin() throws Throwable {
        folder = Files.createTempDirectory("spw");
        lua = Lua.open();
        assumeTrue(lua.isPresent() && Files.isExecutable(Path.of("/usr/bin/curl")), "Lua's library or curl is missing");
        socket = folder.resolve("s.sock");
        hooks = Optional.of(slurm);
        head.parts.add(new SlurmRoutes(() -> hooks));
        slurm.everybody = true;
        var squeue =
                Files.writeString(folder.resolve("squeue"), "#!/bin/sh\ncd " + folder + "\ncat partition\n: >looked\n");
        Files.setPosixFilePermissions(squeue, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(folder.resolve("comm"), "sbatch\n");
    }

    @AfterEach
    void end() throws IOException {
        server.ifPresent(RestServer::close);
        lua.ifPresent(Lua::close);
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    private void headComes() throws IOException {
        server = Optional.of(RestServer.start(socket, "600", head));
    }

    private String hook(String call) throws Throwable {
        return lua.orElseThrow()
                .run(SLURM + file("burst_buffer.lua") + "\nlocal code, text = " + call
                        + "\nreturn tostring(code) .. '|' .. tostring(text)");
    }

    private String filter(String options) throws Throwable {
        return filter(options, "0");
    }

    /** @param part which of a heterogeneous job it is, from 0 on */
    private String filter(String options, String part) throws Throwable {
        return lua.orElseThrow()
                .run(SLURM + file("cli_filter.lua") + "\nlocal code = slurm_cli_pre_submit(" + options + ", " + part
                        + ")\nreturn tostring(code) .. '|' .. said");
    }

    private String file(String name) throws IOException {
        try (var in = LuaHooksTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .replace("/proc/self/", folder + "/")
                    .replace("@SOCKET@", socket.toString())
                    .replace("@CURL@", "/usr/bin/curl")
                    .replace("@CONF@", "/etc/slurm/slurm.conf")
                    .replace("@SQUEUE@", folder.resolve("squeue").toString())
                    .replace("@PARTITIONS@", "[\"west\"] = true, [\"near\"] = \"reach\"")
                    .replace("@SHARED@", "\"/shared/home\"")
                    .replace("@BELOW_HOME@", ", or below home")
                    .replace("@RESERVATION@", "spillway");
        }
    }

    private Path script(String text) throws IOException {
        return Files.writeString(folder.resolve("script"), text);
    }

    @Test
    void dataInWaitsForTheHeadsWord() throws Throwable {
        headComes();
        slurm.stages.addFirst(new Stage.Wait("41 of 120 GB are there"));
        var script = script(
                "#!/bin/sh\n#SBATCH -p west\n\n#SPILLWAY in='two words'\n#SPILLWAY out=$(id)\ntrue\n#SPILLWAY late\n");
        assertThat(hook("slurm_bb_data_in('4711', '" + script + "', '1000', '1000')"))
                .isEqualTo("0|nil");
        var lines = "\n\n\n#SPILLWAY in='two words'\n#SPILLWAY out=$(id)\n";
        assertThat(slurm.asked)
                .as("and once more each time that an answer takes longer than the hook waits")
                .hasSizeGreaterThan(1)
                .containsOnly("data-in 4711\n" + lines);
    }

    @Test
    void aScriptMayHaveManyLines() throws Throwable {
        headComes();
        var lines = ("#SPILLWAY in=" + "x".repeat(80) + "\n").repeat(99);
        assertThat(hook("slurm_bb_data_in('4711', '" + script(lines) + "')")).isEqualTo("0|nil");
        assertThat(slurm.asked).containsExactly("data-in 4711\n" + lines);
        assertThat(filter("{ argv = { '" + script(lines) + "' }, chdir = '/x' }"))
                .isEqualTo("0|");
        assertThat(slurm.asked.getLast()).endsWith(lines);
    }

    @Test
    void aFailureIsTheJobsReason() throws Throwable {
        headComes();
        var sentence = "may not read '/home/alice/\"in\"\\é'";
        slurm.stages.addFirst(new Stage.Failed(sentence));
        assertThat(hook("slurm_bb_data_in('4711', '" + script("#SPILLWAY in=x\n") + "')"))
                .isEqualTo("-1|" + sentence);
        slurm.stages.addFirst(new Stage.Failed("no\nroom\u001b at home"));
        assertThat(hook("slurm_bb_data_out('4711')")).isEqualTo("-1|no room? at home");
        assertThat(hook("slurm_bb_data_out('4711')")).isEqualTo("0|nil");
        slurm.stages.addFirst(new Stage.Failed("what"));
        assertThat(hook("slurm_bb_job_teardown('4711')"))
                .as("the head finds out by itself")
                .isEqualTo("0|nil");
        hooks = Optional.empty();
        assertThat(hook("slurm_bb_data_out('4711')")).isEqualTo("-1|this head has no Slurm");
    }

    @Test
    void aJobWaitsForAHeadThatIsAway() throws Throwable {
        Files.writeString(folder.resolve("partition"), "onprem,west\n");
        var script = script("#SPILLWAY in=x\n");
        var ended = new CompletableFuture<String>();
        Thread.ofPlatform().start(() -> {
            try {
                ended.complete(hook("slurm_bb_data_in('4711', '" + script + "')"));
            } catch (Throwable failed) {
                ended.completeExceptionally(failed);
            }
        });
        // The hook's first question has found nobody.
        while (!Files.exists(folder.resolve("looked"))) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(ended).isNotDone();
        headComes();
        assertThat(ended.get()).isEqualTo("0|nil");
        assertThat(slurm.asked).hasSize(1);
    }

    @Test
    void aJobThatIsNoneOfOursDoesNotWait() throws Throwable {
        Files.writeString(folder.resolve("partition"), "onprem\n");
        assertThat(hook("slurm_bb_data_in('4711', '" + script("#SPILLWAY in=x\n") + "')"))
                .isEqualTo("0|nil");
        assertThat(hook("slurm_bb_data_out('4711')")).isEqualTo("0|nil");
        assertThat(hook("slurm_bb_job_teardown('4711')")).isEqualTo("0|nil");
        headComes();
        slurm.stages.addFirst(new Stage.Wait("for nobody"));
        assertThat(hook("slurm_bb_data_in('4711', '" + script("#SPILLWAY in=x\n") + "')"))
                .as("a head that will never hear of it")
                .isEqualTo("0|nil");
        assertThat(slurm.asked).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "x", "1;touch", "1 2", "-1", "12345678901"})
    void aJobIsANumber(String job) throws Throwable {
        headComes();
        assertThat(hook("slurm_bb_data_in('" + job + "', '" + script("#SPILLWAY in=x\n") + "')"))
                .startsWith("-1|");
        assertThat(hook("slurm_bb_data_out('" + job + "')")).startsWith("-1|");
        assertThat(slurm.asked).isEmpty();
    }

    @Test
    void aStrangePathIsNoPathOfASlurm() throws Throwable {
        assertThat(hook("slurm_bb_data_in('1', '/tmp/a b')")).contains("unusual characters");
        assertThat(hook("slurm_bb_data_in('1', '/tmp/$(id)')")).contains("unusual characters");
        assertThat(hook("slurm_bb_data_in('1', '" + folder + "/none')")).isEqualTo("-1|the script cannot be read");
    }

    @Test
    void theOthersSayYes() throws Throwable {
        for (var name : List.of("setup", "post_run", "paths", "pools", "real_size", "test_data_in", "test_data_out")) {
            assertThat(hook("slurm_bb_" + name + "('4711', 'x', 'y')")).as(name).isEqualTo("0|nil");
        }
        assertThat(hook("slurm_bb_get_status()"))
                .isEqualTo("0|spillway: no head answers at " + socket + "; jobs wait for it\n");
        headComes();
        assertThat(hook("slurm_bb_get_status('1000', '1000', '$(id)')")).contains("the head answers");
    }

    @Test
    void mistakesAreToldAtSubmit() throws Throwable {
        for (var line : List.of(
                "#SPILLWAY bad|line 2: bad: not known",
                "#SPILLWAY --in x|line 2: --in: options are for 'spillway submit'",
                "#SPILLWAY container=debian:12|line 2: container=debian:12: images are for 'spillway submit'",
                "#SPILLWAYS in=x|line 2: a blank is missing behind #SPILLWAY",
                "#SPILLWAY in='x|line 2: the quote ' is not closed",
                "#SPILLWAY in=x\\|line 2: nothing follows the backslash",
                "#SPILLWAY in=|line 2: in=: names no file",
                "#SPILLWAY out=../x|line 2: out=../x: PATTERN has '..' in it",
                "#SPILLWAY out=/x|line 2: out=/x: PATTERN is absolute",
                "#SPILLWAY in=a\u0001|line 2: a control character",
                "  # x\n#SPILLWAY in=a|line 3: Slurm stops reading at line 2",
                "#SPILLWAY" + " in=x".repeat(101) + "|line 2: more than 100 patterns",
                "#" + "x\n#".repeat(70_000) + "|64 KiB")) {
            var parts = line.split("\\|", 2);
            assertThat(hook("slurm_bb_job_process('" + script("#!/bin/sh\n" + parts[0] + "\n") + "', '1', '2')"))
                    .startsWith("-1|")
                    .contains(parts[1]);
        }
    }

    /** A script that the head would take is never refused by the hook, which looks less closely. */
    @Test
    void theHookRefusesNothingThatTheHeadTakes() throws Throwable {
        long seed = 20261121;
        var random = new Random(seed);
        var pieces = List.of(
                "in=",
                "out=",
                "out!=",
                "..",
                "/",
                "*",
                "{a,",
                "}",
                "\\",
                ":",
                "'",
                "\"",
                " ",
                "\n#SPILLWAY ",
                "x",
                "#",
                "%a",
                "é",
                "\t");
        int refused = 0;
        for (int round = 0; round < 1500; round++) {
            var text = new StringBuilder("#SPILLWAY in=");
            for (int i = random.nextInt(14); i >= 0; i--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            var said = hook("slurm_bb_job_process('" + script(text.toString()) + "')");
            boolean taken =
                    StagingLines.parse(text.toString(), "/home/alice", "", "") instanceof StagingLines.Result.Read;
            if (said.startsWith("-1|")) {
                refused++;
                assertThat(taken).as("seed %s: %s: %s", seed, text, said).isFalse();
            }
        }
        assertThat(refused).isBetween(100, 1400);
    }

    @Test
    void theFilterAsksAsTheUser() throws Throwable {
        headComes();
        var strange = folder.resolve("a\"b\\c $(id)");
        Files.writeString(strange, "#!/bin/sh\n#SPILLWAY in=x\\\"\ntrue\n");
        var options = "{ argv = { [[" + strange + "]] }, chdir = [[/home/a\"\\$(id)]], partition = 'west,gpu' }";
        assertThat(filter(options)).isEqualTo("0|");
        assertThat(slurm.asked).containsExactly("check /home/a\"\\$(id) [west, gpu]\n\n#SPILLWAY in=x\\\"\n");
        slurm.wrong = "line 2: in=x: there is no such file";
        assertThat(filter(options)).isEqualTo("-1|spillway: line 2: in=x: there is no such file");
        hooks = Optional.empty();
        assertThat(filter(options)).as("a head without Slurm").isEqualTo("0|");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ reservation = 'spillway' }|-1",
                "{ reservation = 'a,Spillway' }|-1",
                "{ reservation = 'spillway2' }|0",
                "{ }|0",
                "{ argv = { '/none' }, chdir = '/' }|0",
            })
    void theFilterRefusesTheHeadsReservationOnly(String options, int code) throws Throwable {
        assertThat(filter(options)).startsWith(code + "|");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ partition = 'home,west', nodelist = 'west-a-1' }|0|0",
                "{ partition = 'west' }|1|-1",
                "{ partition = 'home' }|1|0",
            })
    void partsOfAJobAreNotForTheCloudAndNamedNodesAre(String options, String part, int code) throws Throwable {
        assertThat(filter(options, part)).startsWith(code + "|");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ partition = 'west', chdir = '/home/ann', output = '/home/ann/logs/%j.out' }|0",
                "{ partition = 'west', chdir = '/home/ann', output = 'logs/%j.out', error = '/dev/null' }|0",
                "{ partition = 'west', chdir = '/home/ann/job', output = '/home/ann/logs/%j.out' }|-1",
                "{ partition = 'west', chdir = '/home/ann/job', error = '/home/ann/job2.err' }|-1",
                "{ partition = 'home', chdir = '/home/ann/job', output = '/home/ann/logs/%j.out' }|0",
                "{ partition = 'west', chdir = '/x', output = os.getenv('HOME') .. '/logs/%j.out' }|0",
                "{ partition = 'west', chdir = '/x', output = os.getenv('HOME') .. '/logs/x', ['open-mode'] = 'a' }|-1",
                "{ partition = 'west', chdir = '/home/ann', ['open-mode'] = 'a', extra = 'rack=4' }|-1",
                "{ partition = 'west', chdir = '/shared/home/ann', ['open-mode'] = 'a' }|0",
                "{ partition = 'west', chdir = '/shared/home/ann/job', output = '/shared/home/ann/logs/%j.out' }|0",
                "{ partition = 'west', chdir = '/shared/home/ann/job', output = '/shared/home/../x' }|-1",
                "{ partition = 'west', chdir = '/shared/home/ann/job', output = '/shared/homes/x' }|-1",
                "{ partition = 'west', chdir = '/x', output = '/shared/home/ann/logs/%j.out' }|-1",
            })
    void anOutputThatWouldBeLostIsRefused(String options, int code) throws Throwable {
        assertThat(filter(options)).startsWith(code + "|");
    }

    @Test
    void anOutputThatIsAddedToIsTakenWhereSbatchSaysSo() throws Throwable {
        Files.writeString(folder.resolve("exe"), "SBATCH_OPEN_MODE\0SLURM_OPEN_MODE\0");
        assertThat(filter("{ partition = 'west', ['open-mode'] = 'a' }")).startsWith("0|");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "west|in.txt|echo|add the line '#SPILLWAY in=in.txt'",
                "west|./in.txt|echo|add the line '#SPILLWAY in=in.txt'",
                "west|/x/sub/in.txt|#SPILLWAY in=sub/other.txt|add the line '#SPILLWAY in=sub/in.txt'",
                "west|/y/in.txt|#SPILLWAY in=/y/in.txt|is not below the folder where the job works, /x/",
                "west|in.txt|#SPILLWAY out=in.txt|add the line",
                "west|in.txt|#SPILLWAY gpus=1 in=in.txt out=a|''",
                "west|in.txt|#SPILLWAY in='./in.txt'|''",
                "west|/x/in.txt|#SPILLWAY in=in.txt|''",
                "west|in.txt|#SPILLWAY in=/data/in.txt|''",
                "west|in.txt|#SPILLWAY in=*.txt|''",
                "west|/dev/null|echo|''",
                "west|none|echo|''",
                "home|in.txt|echo|''",
            })
    void standardInputIsBroughtByALineOrRefused(String partition, String input, String line, String said)
            throws Throwable {
        var script = script("#!/bin/sh\n" + line + "\ncat\n");
        String answer = filter("{ partition = '" + partition + "', argv = { '" + script + "' }, chdir = '/x', input = '"
                + input + "' }");
        if (said.isEmpty()) {
            assertThat(answer).startsWith("0|");
        } else {
            assertThat(answer).startsWith("-1|").contains("--input=" + input).contains(said);
        }
    }

    @Test
    void aScriptThatNamesPathsOfHomeIsTakenAndItsUserTold() throws Throwable {
        for (String line :
                List.of("cp x ~/results/y", "cd $HOME/data", "cat /home/ann/in.csv", "tool --in=/data/set")) {
            var script = script("#!/bin/sh\n# ~/not-this\n" + line + "\n");
            assertThat(noted("{ partition = 'west', argv = { '" + script + "' }, chdir = '/x' }"))
                    .as(line)
                    .startsWith("spillway: the script names ");
            assertThat(noted("{ partition = 'home', argv = { '" + script + "' }, chdir = '/x' }"))
                    .as(line)
                    .isEmpty();
        }
        // HOME of the process that runs this is what it is: a shell's word for it is taken.
        var reading = script("#!/bin/sh\ncp ~/data/x .\n");
        assertThat(noted("{ partition = 'near', argv = { '" + reading + "' }, chdir = '/x' }"))
                .contains("~/data/x: a cloud node reads it from home over the link", ", or below home");
        assertThat(noted("{ partition = 'near,west', argv = { '" + reading + "' }, chdir = '/x' }"))
                .contains("~/data/x: a cloud node has nothing of that");
        var beyond = script("#!/bin/sh\ncp ~/data/x /scratch/x\n");
        assertThat(noted("{ partition = 'near', argv = { '" + beyond + "' }, chdir = '/x' }"))
                .contains("/scratch/x: a cloud node has nothing of that");
        var there = script("#!/bin/sh\ncp x=/home/../shared /shared/home/ann/y\n");
        assertThat(noted("{ partition = 'west', argv = { '" + there + "' }, chdir = '/x' }"))
                .contains("/home/../shared");
        var shared = script("#!/bin/sh\ncp /shared/home/ann/x ./y\n");
        assertThat(noted("{ partition = 'west', argv = { '" + shared + "' }, chdir = '/x' }"))
                .isEmpty();
        var plain = script("#!/bin/sh\n# ~/not-this\npython train.py >out.txt\n");
        assertThat(noted("{ partition = 'west', argv = { '" + plain + "' }, chdir = '/x' }"))
                .isEmpty();
    }

    private String noted(String options) throws Throwable {
        return lua.orElseThrow()
                .run(SLURM + "noted = \"\"\n" + file("cli_filter.lua") + "\nslurm_cli_pre_submit(" + options
                        + ", 0)\nreturn noted");
    }

    @Test
    void aPartAtHomeOfAJobWithOneInTheCloudIsRefused() throws Throwable {
        assertThat(lua.orElseThrow()
                        .run(SLURM + file("cli_filter.lua")
                                + "\nlocal first = slurm_cli_pre_submit({ partition = 'west' }, 0)"
                                + "\nlocal second = slurm_cli_pre_submit({ partition = 'home' }, 1)"
                                + "\nreturn first .. second"))
                .isEqualTo("0-1");
    }

    @Test
    void withoutAHeadOrOutsideOfSbatchNothingIsJudged() throws Throwable {
        var options = "{ argv = { '" + script("#SPILLWAY nonsense\n") + "' }, chdir = '/' }";
        assertThat(filter(options)).isEqualTo("0|");
        headComes();
        Files.writeString(folder.resolve("comm"), "srun\n");
        slurm.wrong = "never said";
        assertThat(filter(options)).isEqualTo("0|");
        Files.writeString(folder.resolve("comm"), "sbatch\n");
        assertThat(filter(options)).isEqualTo("-1|spillway: never said");
        script("#!/bin/sh\n \n#SPILLWAY in=x\n");
        assertThat(filter(options))
                .isEqualTo(
                        "-1|spillway: line 3: Slurm stops reading at line 2, which has a blank at its beginning; remove it");
    }
}
