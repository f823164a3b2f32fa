package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.Reach;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.worker.Identity;

/** ADR 67 on nodes of a Slurm: jobs find their user's home in slurmd's namespace, and what they write there is kept. */
@Tag("processes")
final class NodeSlurmReachTest extends NodeSlurmLab {
    private static final int RITA = TestNodes.UID + 7;
    private static Path rita;
    private static @Nullable HomeSide home;

    @BeforeAll
    static void within() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "no /dev/fuse");
        Path homes = Files.createDirectories(folder.toRealPath().resolve("users"));
        rita = Files.createDirectories(homes.resolve("rita"));
        site.homes = homes.toString();
        site.addUser("rita", RITA);
        site.reach = new Reach(List.of());
        home = new HomeSide(site, new Identity("rita", RITA, RITA, List.of()), rita);
    }

    @AfterAll
    static void close() throws Exception {
        if (home != null) {
            home.close();
        }
    }

    @BeforeEach
    void files() throws Exception {
        as(
                "sh",
                "rm -rf rita/* && cd rita && mkdir -p data run && echo x >data/x && echo old >data/old && echo one >log && echo near >run/near"
                        + " && chown -R " + RITA + ":" + RITA + " . && chmod 700 .",
                rita.getParent());
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        Path layers = instance.disk.resolve("spillway/manager/reach/" + RITA);
        TestNodes.await("its layers are gone", () -> Files.notExists(layers));
        TestNodes.await("nothing serves it", () -> !TestNodes.runs("spillway/manager/reach/" + RITA));
        assertThat(Files.readString(Path.of("/proc", pid(instance, "slurmd"), "mounts")))
                .doesNotContain(rita.toString(), "manager/reach");
    }

    private static void as(String shell, String script, Path where) throws Exception {
        Process process = new ProcessBuilder(shell, "-c", script)
                .directory(where.toFile())
                .inheritIO()
                .start();
        assertThat(exit(process)).as(script).isZero();
    }

    private static OrderDraft plain(String job, String slurmJob) {
        OrderDraft draft = new OrderDraft(job, "n-" + instance.id, RITA, "");
        draft.user = "rita";
        draft.foreign = new Foreign("slurm", slurmJob, rita.resolve("run").toString());
        draft.collect = List.of(Glob.parse(".spillway-home").posixRegex(), "\\./[^.].*");
        return draft;
    }

    private void begun(String job, String slurmJob) throws Exception {
        order(plain(job, slurmJob), job);
        assertThat(exit(run("prolog", slurmJob))).as(instance.console()).isZero();
    }

    /** As a step of slurmd's, in the job's folder. */
    private static void step(String script) throws Exception {
        assertThat(exit(beginStep(script))).as(script + instance.console()).isZero();
    }

    private static Process beginStep(String script) throws Exception {
        return new ProcessBuilder(
                        "nsenter",
                        "-m",
                        "-t",
                        pid(instance, "slurmd"),
                        "setpriv",
                        "--reuid=" + RITA,
                        "--regid=" + RITA,
                        "--clear-groups",
                        "--no-new-privs",
                        "env",
                        "HOME=" + rita,
                        "sh",
                        "-ec",
                        "cd ~/run\n" + script)
                .inheritIO()
                .start();
    }

    private static Map<String, String> results(String job) throws Exception {
        return site.results(job, "n-" + instance.id);
    }

    private static String atHome(String name) throws IOException {
        return Files.readString(rita.resolve(name));
    }

    @Test
    void aPlainScriptReadsItsHomeAndLosesNothingThatItWritesThere() throws Exception {
        begun("r1", "301");
        step("""
                cat ~/data/x near >out; mkdir -p ~/results; echo y >~/results/y
                echo two >>~/log; rm ~/data/old; chmod 600 ~/data/x; mv ~/data ~/data2; echo deep >~/data2/new
                """);
        JobReport end = ended("301", "r1");
        assertThat(results("r1"))
                .isEqualTo(Map.of(
                        "out", "x\nnear\n",
                        ".spillway-home/results/y", "y\n",
                        ".spillway-home/log", "one\ntwo\n",
                        ".spillway-home/data2/x", "x\n",
                        ".spillway-home/data2/new", "deep\n"));
        assertThat(end.message()).contains("removed or renamed below its home there, and at home as before: ", "data");
        assertThat(atHome("log")).isEqualTo("one\n");
        assertThat(atHome("data/x")).isEqualTo("x\n");
        assertThat(atHome("data/old")).isEqualTo("old\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(rita.resolve("data/x"))))
                .isEqualTo("rw-r--r--");
        try (var files = Files.list(rita)) {
            assertThat(files).hasSize(3);
        }
    }

    /** A job sees what another wrote as long as both are there; who comes later finds home as it is. */
    @Test
    void jobsOfAUserThatAreThereAtOnceShareWhatTheyWriteAndNoOtherDoes() throws Exception {
        begun("r2", "302");
        step("echo two >>~/log");
        begun("r3", "303");
        ended("302", "r2");
        step("[ \"$(tail -n 1 ~/log)\" = two ] && cat ~/data/old >out");
        ended("303", "r3");
        assertThat(results("r3")).isEqualTo(Map.of("out", "old\n"));
        Files.writeString(rita.resolve("log"), "another\n");
        begun("r4", "304");
        step("[ \"$(cat ~/log)\" = another ]");
        ended("304", "r4");
    }

    @Test
    void anInputComesIntoTheFolderAndDoesNotComeBack() throws Exception {
        Path tree = Files.createDirectories(folder.resolve("tree-reach"));
        Files.writeString(tree.resolve("given"), "given\n");
        OrderDraft draft = plain("r5", "305");
        input(draft, "r5", Tar.of(tree, List.of("given")));
        order(draft, "r5");
        assertThat(exit(run("prolog", "305"))).isZero();
        step("cat given near >out");
        ended("305", "r5");
        assertThat(results("r5")).isEqualTo(Map.of("out", "given\nnear\n"));
        assertThat(rita.resolve("run/given")).doesNotExist();
    }

    /** Also for a line that was made for a job which is over. */
    @Test
    void aDirectorThatIsStartedAgainCostsAStepNothing() throws Exception {
        begun("r8", "308");
        begun("r9", "309");
        ended("308", "r8");
        Path go = folder.toRealPath().resolve("go");
        Process step = beginStep("""
                exec 7>>~/notes 8>out; until [ -e %s ]; do sleep 0.1234; done
                echo noted >&7; cat ~/data/x near >&8; echo two >>~/log
                """.formatted(go));
        TestNodes.await("it has begun", () -> TestNodes.runs("sleep\0000.1234"));
        site.stopDirector();
        Files.createFile(go);
        TestNodes.await("it reads", () -> TestNodes.runs("cat\0" + rita + "/data/x"));
        site.startDirector();
        site.until("it has ended", report -> !step.isAlive());
        assertThat(exit(step)).as(instance.console()).isZero();
        ended("309", "r9");
        assertThat(results("r9"))
                .isEqualTo(Map.of(
                        "out", "x\nnear\n",
                        ".spillway-home/notes", "noted\n",
                        ".spillway-home/log", "one\ntwo\n"));
        assertThat(atHome("log")).isEqualTo("one\n");
    }

    /** A line that is gone is an error for what is there, and the next job has a new one with all that was written. */
    @Test
    void aLineThatIsGoneIsAnErrorAndIsMadeAnew() throws Exception {
        begun("r6", "306");
        step("echo kept >~/kept");
        Path line = instance.disk.resolve("spillway/manager/reach/" + RITA + "/line");
        ProcessHandle openssl =
                ProcessHandle.of(Long.parseLong(Files.readString(line).strip())).orElseThrow();
        openssl.destroyForcibly();
        openssl.onExit().get();
        step("! ls ~/data/nothing-yet 2>/dev/null; ! cat ~/data/old");
        begun("r7", "307");
        step("[ \"$(cat ~/kept ~/data/x)\" = \"$(printf 'kept\\nx')\" ]");
        ended("306", "r6");
        assertThat(results("r6")).containsEntry(".spillway-home/kept", "kept\n");
        ended("307", "r7");
    }
}
