package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A job's folder: what goes into it and what comes out of it, when someone means ill or is unlucky. */
@Tag("processes")
final class NodeResultsTest {
    @TempDir
    static Path folder;

    private static TestNodes nodes;
    private static TestSite site;
    private static TestInstance instance;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TestNodes(folder);
        site = nodes.site;
        instance = nodes.instance("results");
        // Between the finding and the reading of a job's files; only where a job asks for it.
        instance.program("find", """
                #!/bin/sh
                [ -e results/gone ] || exec /usr/bin/find "$@"
                /usr/bin/find "$@" >.found; status=$?
                rm -f results/gone
                cat .found
                exit "$status"
                """);
        instance.program("tar", """
                #!/bin/sh
                [ -e torn ] || exec /usr/bin/tar "$@"
                /usr/bin/tar "$@" | head -c 5000
                """);
        instance.program("curl", """
                #!/bin/sh
                case "$*" in
                  */jobs/slow/1/input) : >"$SPILLWAY_INSTANCE_DIR/fetching"; exec sleep 600 ;;
                esac
                exec /usr/bin/curl "$@"
                """);
        instance.boot(site.userData());
        site.untilReady(instance.id);
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    private JobReport resultsOf(String job, String script, String... collect) throws Exception {
        OrderDraft draft = nodes.draft(job, instance, script);
        draft.collect = List.of(collect);
        site.jobs.put(job, draft.order());
        return site.untilPhase(job, Phase.ENDED);
    }

    @Test
    void aBundleIsUnpackedWithTheUsersRightsOnly() throws Exception {
        Path outside = Files.createDirectories(folder.resolve("outside"));
        Path tree = Files.createDirectories(folder.resolve("tree2"));
        Files.writeString(tree.resolve("x"), "evil\n");
        Files.createSymbolicLink(tree.resolve("door"), outside);
        Path inner = Files.createDirectories(folder.resolve("tree3/door"));
        Files.writeString(inner.resolve("x"), "evil\n");
        Map<String, byte[]> bundles = Map.of(
                "up", Tar.of(tree, List.of("-P", "--transform=s,^x$,../../../outside/x,", "x")),
                "root", Tar.of(tree, List.of("-P", "--transform=s,^x$," + outside + "/x,", "x")),
                "door", Tar.of(tree, List.of("door", "-C", inner.getParent().toString(), "door/x")),
                "torn", Arrays.copyOf(Tar.of(tree, List.of("x")), 700));
        for (var bundle : bundles.entrySet()) {
            String job = bundle.getKey();
            OrderDraft draft = nodes.draft(job, instance, "exit 0\n");
            String key = "jobs/" + job + "/in/0";
            String sha = site.stage(key, bundle.getValue());
            draft.inputs = List.of(new JobOrder.Input(key, bundle.getValue().length, sha));
            site.jobs.put(job, draft.order());
        }
        assertThat(site.untilPhase("torn", Phase.REFUSED).message()).contains("was not unpacked");
        for (String job : bundles.keySet()) {
            site.until(
                    job,
                    report -> report.jobs().stream()
                            .anyMatch(told -> told.job().equals(job)
                                    && (told.phase() == Phase.ENDED || told.phase() == Phase.REFUSED)));
        }
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    void anInputThatIsNotWhatTheHeadStagedIsRefused() throws Exception {
        byte[] bundle = Tar.of(folder.resolve("tree"), List.of("bin"));
        String sha = site.stage("jobs/other/in/0", bundle);
        bundle[0] ^= 1;
        site.stage("jobs/other/in/0", bundle);
        OrderDraft draft = nodes.draft("other", instance, "exit 0\n");
        draft.inputs = List.of(new JobOrder.Input("jobs/other/in/0", bundle.length, sha));
        site.jobs.put("other", draft.order());
        assertThat(site.untilPhase("other", Phase.REFUSED).message()).contains("not what was staged");
    }

    @Test
    void oneFileThatIsLostDoesNotLoseTheOthers() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "not for ann\n");
        Files.setPosixFilePermissions(
                secret, PosixFilePermissions.fromString(TestNodes.ROOT ? "rw-------" : "---------"));
        JobReport report = resultsOf("lost", """
                mkdir results
                echo a >results/a; echo gone >results/gone; echo z >results/z
                echo closed >results/closed; chmod 0 results/closed
                ln -s %s results/secret
                ln -s nowhere results/broken
                ln -s a results/link
                ln results/a results/twin
                mkfifo results/pipe
                """.formatted(secret), "\\./results/.*");
        assertThat(report.message()).isEmpty();
        Map<String, String> found = site.results("lost", "n-" + instance.id);
        assertThat(found)
                .isEqualTo(
                        Map.of("results/a", "a\n", "results/z", "z\n", "results/link", "a\n", "results/twin", "a\n"));
        byte[] bundle = site.staged("jobs/lost/1/out/n-" + instance.id + ".tar");
        assertThat(Tar.members(bundle, folder.resolve("lost.tar"))).allMatch(member -> member.startsWith("-"));
    }

    @Test
    void namesAreNeverReadAsWordsOfACommand() throws Exception {
        resultsOf("names", """
                mkdir results 'a b' && cd results
                echo 1 >"$(printf 'two\\nlines')"; echo 2 >é; echo 3 >'*'; echo 4 >'a b'
                cd .. && echo 5 >'--checkpoint-action=exec=touch evil'; echo 6 >-C; echo 7 >'a b/*'; echo 8 >'a b/c'
                """, "\\./results/.*", "\\./-.*", "\\./a b/\\*", "\\./$(touch evil)");
        assertThat(site.results("names", "n-" + instance.id))
                .isEqualTo(Map.of(
                        "results/two\nlines", "1\n",
                        "results/é", "2\n",
                        "results/*", "3\n",
                        "results/a b", "4\n",
                        "--checkpoint-action=exec=touch evil", "5\n",
                        "-C", "6\n",
                        "a b/*", "7\n"));
        assertThat(instance.disk.resolve("work/names.1/evil")).doesNotExist();
    }

    @Test
    void manyLongExpressionsFit() throws Exception {
        OrderDraft draft = nodes.draft("many", instance, "echo x >last.txt\n");
        draft.collect = new ArrayList<>(
                Collections.nCopies(OrderCheck.MAX_COLLECTED - 1, "a".repeat(OrderCheck.MAX_EXPRESSION)));
        draft.collect.add("\\./l[a-z]{2}t\\.txt");
        site.jobs.put("many", draft.order());
        site.untilPhase("many", Phase.ENDED);
        assertThat(site.results("many", "n-" + instance.id)).containsOnlyKeys("last.txt");
    }

    @Test
    void aBundleMayBeEmptyAndMayBeUnwanted() throws Exception {
        assertThat(resultsOf("none", "exit 0\n", "\\./nothing").results()).isNotNull();
        assertThat(site.results("none", "n-" + instance.id)).isEmpty();
        assertThat(resultsOf("unwanted", "exit 0\n").results()).isNull();
    }

    @Test
    void aTarWithoutAnEndIsNoBundle() throws Exception {
        JobReport report = resultsOf("torn-results", ": >torn; exit 4\n", ".*");
        assertThat(report.results()).isNull();
        assertThat(report.exitCode()).isEqualTo(4);
        assertThat(report.message()).isEqualTo("its results were not collected");
    }

    @Test
    void whatIsWrittenIsToldWhileTheJobRuns() throws Exception {
        Path more = folder.resolve("more");
        Path end = folder.resolve("end");
        nodes.order("tells", instance, """
                echo begin
                rm .spillway/stderr && ln -s /etc/passwd .spillway/stderr
                while [ ! -e %s ]; do sleep 0.05; done
                yes line | head -n 40000; echo last; echo alas >&2
                while [ ! -e %s ]; do sleep 0.05; done
                echo bye
                """.formatted(more, end));
        site.untilPhase("tells", Phase.RUNNING);
        String path = "/v1/logs/tells/1/n-" + instance.id + "/";
        TestNodes.await("first line", () -> site.log(path + "stdout?after=0").equals("0-6:begin\n"));
        assertThat(site.log(path + "stdout?after=6")).isEqualTo("6-6:");
        assertThat(site.log(path + "stdout?after=3")).isEqualTo("3-6:in\n");
        assertThat(site.log(path + "stderr?after=0")).isEqualTo("0-0:");
        Files.writeString(more, "");
        TestNodes.await(
                "last line", () -> site.log(path + "stdout?after=200000").endsWith("\nlast\n"));
        String tail = site.log(path + "stdout?after=6");
        assertThat(tail)
                .startsWith((200_011 - LogShelf.STREAM_BYTES) + "-200011:")
                .hasSize("3403-200011:".length() + LogShelf.STREAM_BYTES);
        TestNodes.await("error", () -> site.log(path + "stderr?after=0").equals("0-5:alas\n"));
        Files.writeString(end, "");
        site.untilPhase("tells", Phase.ENDED);
        TestNodes.await(
                "last word", () -> site.log(path + "stdout?after=200011").endsWith(":bye\n"));
        site.jobs.remove("tells");
        site.sync();
        assertThat(site.send(site.headClient(), "GET", path + "stdout?after=0", new byte[0])
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void whoLeavesTheJobsGroupIsEndedWithIt() throws Exception {
        Path left = Files.writeString(folder.resolve("left"), "");
        left.toFile().setWritable(true, false);
        String sleeps = "sleep\00065432." + ProcessHandle.current().pid();
        String leave = "setsid sh -c 'trap : TERM; echo x >>" + left + "; exec " + sleeps.replace('\0', ' ') + "' &\n";
        // Else it may be ended before it has left.
        String told = "while [ ! -s " + left + " ]; do sleep 0.05; done\n";
        nodes.order("ends", instance, leave + told + "exit 0\n");
        site.untilPhase("ends", Phase.ENDED);
        OrderDraft stopped = nodes.draft("stopped", instance, leave + "sleep 600\n");
        site.jobs.put("stopped", stopped.order());
        site.sync();
        TestNodes.await("the other one left, too", () -> lines(left) == 2);
        stopped.cancel = true;
        site.jobs.put("stopped", stopped.order());
        site.untilPhase("stopped", Phase.ENDED);
        TestNodes.await("both are gone", () -> !TestNodes.runs(sleeps));
    }

    @Test
    void aRunnerThatFailsSaysSo() throws Exception {
        Files.writeString(instance.disk.resolve("work/jam.1"), "a file where the folder should be");
        JobReport report = resultsOf("jam", "exit 0\n", ".*");
        assertThat(report.message()).isEqualTo("its runner failed");
        assertThat(report.exitCode()).isEqualTo(127);
        assertThat(report.results()).isNull();
    }

    @Test
    void aCancelDoesNotWaitForALargeInput() throws Exception {
        OrderDraft draft = nodes.draft("slow", instance, "exit 0\n");
        // The node's curl hangs on it, as it would on a large file.
        draft.inputs = List.of(new JobOrder.Input("jobs/slow/in/0", 1, "0".repeat(64)));
        site.jobs.put("slow", draft.order());
        site.sync();
        TestNodes.await("the fetch began", () -> Files.exists(instance.disk.resolve("fetching")));
        draft.cancel = true;
        site.jobs.put("slow", draft.order());
        assertThat(site.untilPhase("slow", Phase.REFUSED).message()).isEqualTo("cancelled before it started");
    }

    private static long lines(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8).lines().count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
