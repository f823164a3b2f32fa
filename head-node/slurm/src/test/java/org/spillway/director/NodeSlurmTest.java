package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A node of a Slurm: its daemons, its Prolog and its gangs. */
@Tag("processes")
final class NodeSlurmTest extends NodeSlurmLab {

    @Test
    void bothDaemonsRunWithTheirKeyTheirNameAndTheUsers() throws Exception {
        Path ours = instance.disk.resolve("spillway/manager");
        assertThat(Files.readAllBytes(instance.disk.resolve("key.seen"))).isEqualTo(KEY);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(ours.resolve("munge.key"))))
                .isEqualTo("r--------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(ours)))
                .isEqualTo("rwx------");
        assertThat(Files.readString(instance.disk.resolve("munged.args")))
                .contains("--socket=/run/munge/munge.socket.2\n", "--key-file=" + ours + "/munge.key\n");
        assertThat(Files.readAllLines(instance.disk.resolve("slurmd.args")).getFirst())
                .endsWith("--conf-server 10.0.0.1:6817 -N west-gpu-1 -b");
        // As the image's own munged leaves it; munged refuses a folder that is another one's.
        assertThat(Files.readAttributes(inside("/run/munge"), "unix:uid,permissions"))
                .containsEntry("uid", 0)
                .containsEntry("permissions", PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Files.readSymbolicLink(inside("/run/elsewhere/munge.sock")))
                .hasToString("/run/munge/munge.socket.2");
        assertThat(Files.readString(instance.disk.resolve("passwd.seen")))
                .startsWith(Files.readAllLines(Path.of("/etc/passwd")).getFirst())
                .contains("\nann:x:60001:60001::/home/ann:/bin/sh\n")
                .doesNotContain("61000", "eve");
        assertThat(Files.readString(Path.of("/etc/passwd"))).doesNotContain("ann:x:60001");
        assertThat(site.sync().nodes())
                .filteredOn(node -> node.node().equals("n-" + instance.id))
                .allSatisfy(node -> assertThat(node.gate()).anySatisfy(check -> {
                    assertThat(check.name() + " " + check.passed()).isEqualTo("slurm true");
                    assertThat(check.detail()).isEqualTo("slurm 22.05.8");
                }));
        String first = pid(instance, "slurmd");
        ProcessHandle.of(Long.parseLong(first)).orElseThrow().destroyForcibly();
        TestNodes.await("slurmd again", () -> {
            try {
                return !pid(instance, "slurmd").equals(first)
                        && Files.readAllLines(instance.disk.resolve("slurmd.args"))
                                        .size()
                                == 2;
            } catch (IOException e) {
                return false;
            }
        });
        // Jobs would be lost with a boot.
        assertThat(Files.readAllLines(instance.disk.resolve("slurmd.args")).get(1))
                .endsWith("-N west-gpu-1");
    }

    @Test
    void theOrderComesFirstAndResultsAreWhatTheJobChanged() throws Exception {
        Path place = place("one");
        Path tree = Files.createDirectories(folder.resolve("tree-one"));
        Files.writeString(tree.resolve("kept.out"), "input\n");
        Files.writeString(tree.resolve("changed.out"), "input\n");
        Files.writeString(place.resolve("old.out"), "of another day\n");
        OrderDraft draft = draft("j1", "101", place.toString());
        input(draft, "j1", Tar.of(tree, List.of("kept.out", "changed.out")));
        order(draft, "j1");
        site.untilPhase("j1", Phase.RUNNING);
        assertThat(place.resolve("kept.out")).hasContent("input");
        assertThat(exit(run("prolog", "101"))).isZero();
        // A slurmd that was killed asks again before the next step of the job, whose processes are there.
        Process step = new ProcessBuilder("bash", "-c", "exec -a 'slurmstepd: [101.batch]' sleep 600").start();
        try {
            assertThat(exit(run("prolog", "101"))).isZero();
        } finally {
            step.destroyForcibly();
        }
        write(place, "echo more >>changed.out; echo new >new.out; touch -d 2001-01-01 new.out; echo x >other");
        JobReport report = ended("101", "j1");
        assertThat(report.exitCode()).isZero();
        assertThat(report.ranAsUser()).isTrue();
        assertThat(report.message()).isEmpty();
        assertThat(site.results("j1", "n-" + instance.id))
                .isEqualTo(Map.of("changed.out", "input\nmore\n", "new.out", "new\n"));
        TestNodes.await("forgotten", () -> !Files.exists(instance.disk.resolve("spillway/jobs/j1.1")));
        assertThat(place.resolve("new.out")).exists();
    }

    @Test
    void aPrologWaitsForItsOrder() throws Exception {
        Path place = place("two");
        Process prolog = run("prolog", "102");
        order(draft("other", "999", place.toString()), "other");
        site.untilPhase("other", Phase.RUNNING);
        assertThat(prolog.isAlive()).isTrue();
        order(draft("j2", "102", place.toString()), "j2");
        assertThat(exit(prolog)).isZero();
        assertThat(exit(run("prolog", "999"))).isZero();
        assertThat(ended("102", "j2").exitCode()).isZero();
        ended("999", "other");
    }

    @Test
    void aPrologWhoseSlurmdWasKilledPassesForNobody() throws Exception {
        Files.writeString(folder.resolve("there"), "161 1795339000\n");
        Process slurmd = new ProcessBuilder(
                        "nsenter",
                        "-m",
                        "-t",
                        pid(instance, "slurmd"),
                        "env",
                        "-i",
                        "SLURM_JOB_ID=161",
                        "SLURMD_NODENAME=west-gpu-1",
                        "sh",
                        "-c",
                        "/run/spillway/slurm-prolog; exit 0")
                .start();
        processes.add(slurmd);
        Path waits = instance.disk.resolve("spillway/manager/gate/161.waits");
        TestNodes.await("it waits", () -> Files.exists(waits));
        slurmd.destroyForcibly().waitFor();
        TestNodes.await("it waits no more", () -> !Files.exists(waits));
        order(draft("orphan", "161", place("orphan").toString()), "orphan");
        site.untilPhase("orphan", Phase.RUNNING);
        TestNodes.await("its job is begun anew", () -> "161\n".equals(text(folder.resolve("requeued"))));
        // The gate is for whoever comes now.
        assertThat(exit(run("prolog", "161"))).isZero();
        ended("161", "orphan");
    }

    @Test
    void aNodeLooksAfterItsSlurmdWhenSlurmctldWasStartedAgain() throws Exception {
        TestInstance other = serving("mends");
        String first = pid(other, "slurmd");
        Files.writeString(folder.resolve("there"), "171 1795338999\n");
        Process prolog = run(other, "prolog", "171");
        TestNodes.await("it waits", () -> Files.exists(other.disk.resolve("spillway/manager/gate/171.since")));
        turn(other, 1_795_339_000, 0);
        TestNodes.await("it has looked", () -> Files.exists(other.disk.resolve("looked")));
        turn(other, 1_795_339_000, 2);
        TestNodes.await("and once more", () -> looks(other) == 2);
        // All that slurmd knows, slurmctld knows: nothing is touched.
        assertThat(pid(other, "slurmd")).isEqualTo(first);
        Files.writeString(other.disk.resolve("state"), "IDLE+CLOUD+POWERED_DOWN");
        turn(other, 1_795_339_000, 3);
        TestNodes.await("slurmd again", () -> isAnother(other, first));
        String second = pid(other, "slurmd");
        Files.delete(other.disk.resolve("state"));
        // S9: a job that was submitted after slurmctld's start, and whose Prolog is that of its first run.
        int before = looks(other);
        turn(other, 1_795_338_999, 3);
        TestNodes.await("it has looked again", () -> looks(other) > before);
        turn(other, 1_795_338_999, 4);
        TestNodes.await("and once more", () -> looks(other) > before + 1);
        assertThat(pid(other, "slurmd")).isEqualTo(second);
        // Another run of it, begun after slurmctld's start, is not the one that this Prolog is for.
        Files.writeString(folder.resolve("there"), "171 1795339001\n");
        turn(other, 1_795_339_000, 5);
        TestNodes.await("and again", () -> isAnother(other, second));
        prolog.destroyForcibly();
    }

    /** S9: squeue took longer than a node waits for it, and each job whose Prolog waited there was requeued. */
    @Test
    void aNodeThatWasNotToldWhenARunBeganTakesItForTheOnlyOne() throws Exception {
        TestInstance other = serving("untold");
        String first = pid(other, "slurmd");
        Files.writeString(folder.resolve("there"), "191 1795339001\n");
        Files.writeString(other.disk.resolve("silent"), "");
        Process prolog = run(other, "prolog", "191");
        TestNodes.await("it waits", () -> Files.exists(other.disk.resolve("spillway/manager/gate/191.waits")));
        turn(other, 1_795_339_000, 0);
        TestNodes.await("it has looked", () -> looks(other) > 0);
        int before = looks(other);
        turn(other, 1_795_339_000, 1);
        TestNodes.await("and once more", () -> looks(other) > before);
        assertThat(pid(other, "slurmd")).isEqualTo(first);
        // A run that slurmctld does not know is another matter.
        Files.writeString(folder.resolve("there"), "");
        turn(other, 1_795_339_000, 2);
        TestNodes.await("slurmd again", () -> isAnother(other, first));
        prolog.destroyForcibly();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static int looks(TestInstance of) {
        try {
            return Files.readAllLines(of.disk.resolve("looked")).size();
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean isAnother(TestInstance of, String slurmd) {
        try {
            return !pid(of, "slurmd").equals(slurmd);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aRefusalFailsThePrologOnce() throws Exception {
        OrderDraft draft = draft("j3", "103", place("three").toString());
        input(draft, "j3", Tar.of(place("three"), List.of(".")));
        site.stage("jobs/j3/in/0", new byte[10]);
        Process prolog = run("prolog", "103");
        order(draft, "j3");
        assertThat(exit(prolog)).isEqualTo(1);
        assertThat(new String(prolog.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("spillway: the input is not what was staged\n");
        site.untilPhase("j3", Phase.REFUSED);
        assertThat(exit(run("epilog", "103"))).isZero();
        // Slurm may run it again, with another order.
        Process again = run("prolog", "103");
        order(draft("j3again", "103", place("three").toString()), "j3again");
        assertThat(exit(again)).isZero();
        ended("103", "j3again");
    }

    @Test
    void aJobWhoseRunnerDiedBeforeItsPrologIsNotStarted() throws Exception {
        order(draft("j8", "108", place("eight").toString()), "j8");
        site.untilPhase("j8", Phase.RUNNING);
        Path runner = instance.disk.resolve("spillway/jobs/j8.1/runner");
        ProcessHandle.of(Long.parseLong(Files.readString(runner).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(site.untilPhase("j8", Phase.ENDED).message()).isEqualTo("its runner is gone");
        assertThat(exit(run("prolog", "108"))).isEqualTo(1);
        assertThat(exit(run("epilog", "108"))).isZero();
    }

    @Test
    void withoutSlurmdTheNodeIsNotReady() throws Exception {
        TestInstance bare = nodes.instance("bare", MACHINE);
        bare.program("slurmd", "");
        Files.delete(bare.disk.resolve("bin/slurmd"));
        Process process =
                bare.boot(site.userData().replace("#!/bin/sh\n", "PATH=" + bare.disk + "/bin:/usr/bin:/bin\n"));
        assertThat(process.isAlive()).isTrue();
        assumeTrue(!Files.exists(Path.of("/usr/bin/slurmd")), "a slurmd that cannot be hidden");
        site.untilReady(bare.id);
        String node = "n-" + bare.id;
        grant(node, null);
        var report = site.until(
                "unready",
                told -> told.nodes().stream().anyMatch(each -> each.node().equals(node) && !each.ready()));
        assertThat(report.nodes())
                .filteredOn(each -> each.node().equals(node))
                .flatMap(each -> each.gate())
                .anySatisfy(check -> assertThat(check.name() + " " + check.passed() + " " + check.detail())
                        .startsWith("slurm false ")
                        .contains("is not installed"));
        assertThat(bare.disk.resolve("spillway/manager/munge.key")).doesNotExist();
    }

    @Test
    void noNodeOfAGangOpensBeforeTheOthersArePrepared() throws Exception {
        TestInstance second = serving("second");
        byte[] bundle = Tar.of(place("gang"), List.of("."));
        List<OrderDraft> ranks = new ArrayList<>();
        for (TestInstance member : List.of(instance, second)) {
            OrderDraft draft = nodes.draft("g", member, "");
            draft.foreign = new Foreign("slurm", "141", place("gang").toString());
            draft.rank = ranks.size();
            draft.peers = List.of("10.0.0.1", "10.0.0.2");
            ranks.add(draft);
        }
        String key = "jobs/g/in/0";
        String sha = site.stage("jobs/g/in/elsewhere", bundle);
        ranks.getLast().inputs = List.of(new JobOrder.Input(key, bundle.length, sha));
        ranks.forEach(draft -> site.jobs.put("rank " + draft.rank, draft.order()));
        site.sync();
        Process first = run("prolog", "141");
        Process other = run(second, "prolog", "141");
        TestNodes.await("one waits", () -> Files.exists(instance.disk.resolve("spillway/jobs/g.1/waiting")));
        assertThat(first.isAlive() && other.isAlive()).isTrue();
        site.stage(key, bundle);
        assertThat(exit(first)).isZero();
        assertThat(exit(other)).isZero();
        Process firstEnds = run("epilog", "141");
        Process otherEnds = run(second, "epilog", "141");
        site.until(
                "both have ended",
                report -> report.jobs().stream()
                                .filter(job -> job.job().equals("g") && job.phase() == Phase.ENDED)
                                .count()
                        == 2);
        site.jobs.keySet().removeIf(job -> job.startsWith("rank "));
        site.sync();
        assertThat(exit(firstEnds)).isZero();
        assertThat(exit(otherEnds)).isZero();
    }
}
