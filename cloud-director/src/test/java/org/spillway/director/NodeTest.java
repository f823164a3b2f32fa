package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** The real node scripts against a real director. */
final class NodeTest {
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
    private static final int UID = 60_001;

    @TempDir
    Path folder;

    private TestSite site;
    private final List<TestInstance> instances = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        site = new TestSite(folder);
        site.addUser("ann", UID);
    }

    @AfterEach
    void stop() {
        instances.forEach(TestInstance::close);
        site.close();
    }

    private TestInstance instance(String id, String... prefix) throws Exception {
        var instance =
                new TestInstance(folder, id + "-" + ProcessHandle.current().pid(), site.address, List.of(prefix));
        instances.add(instance);
        return instance;
    }

    private TestInstance ready(String id) throws Exception {
        TestInstance instance = instance(id);
        instance.boot(site.userData());
        site.untilReady(instance.id);
        return instance;
    }

    private static void await(String what, BooleanSupplier condition) {
        Instant end = Instant.now().plusSeconds(20);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).as(what).isBefore(end);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private String stdout(String job, TestInstance instance) throws Exception {
        return site.results(job, "n-" + instance.id).get(".spillway/stdout");
    }

    private OrderDraft draft(String job, TestInstance instance, String script) {
        return new OrderDraft(job, "n-" + instance.id, UID, script);
    }

    private void order(String job, TestInstance instance, String script) {
        site.jobs.put(job, draft(job, instance, script).order());
    }

    @Test
    void aJobRunsWithItsInputAndItsResultsComeBack() throws Exception {
        TestInstance instance = ready("i1");
        Path tree = Files.createDirectories(folder.resolve("home/data"));
        Files.writeString(tree.resolve("in file.txt"), "seven\n");
        Files.createDirectories(folder.resolve("home/.spillway"));
        Files.writeString(folder.resolve("home/.spillway/script"), "echo of another job\n");
        byte[] bundle = Tar.of(folder.resolve("home"), List.of(".spillway", "data"));
        String sha = site.stage("jobs/j1/in/0", bundle);
        OrderDraft draft = draft("j1", instance, """
                #!/bin/sh
                mkdir results
                cat "data/in file.txt" > results/out.txt
                greet
                printf '%s|' "$@" "$GREETING" "$SPILLWAY_JOB_ID" "$(id -u)" "${JOIN_TOKEN-none}"
                printf '%s|' "$SPILLWAY_RANK" "$SPILLWAY_NODES" "$SPILLWAY_PEERS" "$SPILLWAY_MASTER"
                """);
        draft.inputs = List.of(new JobOrder.Input("jobs/j1/in/0", bundle.length, sha));
        draft.arguments = List.of("one", "two words", "$(touch evil)");
        draft.environment = Map.of("GREETING", "a 'b' $(c)");
        site.jobs.put("j1", draft.order());
        JobReport report = site.untilPhase("j1", Phase.ENDED);
        assertThat(report.exitCode()).as(instance.console()).isZero();
        assertThat(report.message()).isEmpty();
        assertThat(report.ranAsUser()).isEqualTo(ROOT);
        long uid = ROOT ? UID : ((Number) Files.getAttribute(folder, "unix:uid")).longValue();
        assertThat(site.results("j1", "n-" + instance.id))
                .containsOnlyKeys(".spillway/stdout", "results/out.txt")
                .containsEntry("results/out.txt", "seven\n")
                .containsEntry(
                        ".spillway/stdout",
                        "hello from the image\none|two words|$(touch evil)|a 'b' $(c)|j1|" + uid + "|none|0|1|"
                                + site.address + "|" + site.address + "|");

        site.jobs.clear();
        site.sync();
        await(
                "work folder is removed",
                () -> !folder.resolve(instance.id + "/work/j1.1").toFile().exists());
    }

    @Test
    void anEndIsToldWithItsReason() throws Exception {
        TestInstance instance = ready("i2");
        order("bad", instance, "exit 3\n");
        site.jobs.put("lost", new OrderDraft("lost", "n-" + instance.id, UID + 1, "exit 0\n").order());
        OrderDraft longer = draft("long", instance, "sleep 600\n");
        site.jobs.put("long", longer.order());
        OrderDraft slow = draft("slow", instance, "echo begun\nsleep 600\n");
        slow.walltimeSeconds = 1;
        site.jobs.put("slow", slow.order());
        OrderDraft sly = draft("sly", instance, "exit 0\n");
        sly.outputKey = "jobs/sly/1/out/../../../x";
        site.jobs.put("sly", sly.order());
        order("shot", instance, "kill -SEGV $$\n");

        JobReport bad = site.untilPhase("bad", Phase.ENDED);
        assertThat(bad.exitCode()).isEqualTo(3);
        assertThat(bad.results()).isNotNull();
        site.untilPhase("long", Phase.RUNNING);
        longer.cancel = true;
        site.jobs.put("long", longer.order());
        JobReport cancelled = site.untilPhase("long", Phase.ENDED);
        assertThat(cancelled.exitCode()).isEqualTo(143);
        assertThat(cancelled.message()).isEqualTo("cancelled");
        assertThat(site.untilPhase("slow", Phase.ENDED).message()).isEqualTo("it reached its walltime");
        assertThat(stdout("slow", instance)).isEqualTo("begun\n");
        assertThat(site.untilPhase("shot", Phase.ENDED).exitCode()).isEqualTo(139);
        assertThat(site.untilPhase("lost", Phase.REFUSED).message()).contains("has uid " + UID);
        assertThat(site.untilPhase("sly", Phase.REFUSED).message()).contains("key of the results");
    }

    @Test
    void aJobDoesNotNoticeThatDirectorAndAgentWereRestarted() throws Exception {
        TestInstance instance = instance("i3");
        Process agent = instance.boot(site.userData());
        site.untilReady(instance.id);
        Path gate = folder.resolve("go-" + instance.id);
        Path starts = folder.resolve("starts");
        Files.writeString(starts, "");
        starts.toFile().setWritable(true, false);
        order("j3", instance, "echo x >>" + starts + "\nwhile [ ! -e " + gate + " ]; do sleep 0.05; done\necho done\n");
        site.untilPhase("j3", Phase.RUNNING);
        agent.destroyForcibly();
        site.restartDirector();
        instance.boot(site.userData());
        site.untilPhase("j3", Phase.RUNNING);
        Files.writeString(gate, "");
        JobReport report = site.untilPhase("j3", Phase.ENDED);
        assertThat(report.exitCode()).isZero();
        assertThat(stdout("j3", instance)).isEqualTo("done\n");
        assertThat(starts).hasContent("x");
        assertThat(instance.poweredOff()).isFalse();
    }

    @Test
    void aNodeThatIsNotNamedStopsItsJobAndPowersOff() throws Exception {
        TestInstance instance = ready("i4");
        site.leaseSeconds = 10;
        Path pid = folder.resolve("i4-pid");
        Files.writeString(pid, "");
        pid.toFile().setWritable(true, false);
        order("j4", instance, "echo $$ >" + pid + "\nsleep 600\n");
        site.untilPhase("j4", Phase.RUNNING);
        await("job wrote its pid", () -> pid.toFile().length() > 1);
        long job = Long.parseLong(Files.readString(pid).strip());
        site.nodes.clear();
        site.joins.clear();
        site.sync();
        await("powered off", instance::poweredOff);
        // Killed before that; whoever inherits an orphan takes it away a moment later.
        await("the job is gone", () -> ProcessHandle.of(job).isEmpty());
    }

    @Test
    void aNodeWhoseDirectorIsSilentPowersOffWhenItsLeaseIsOver() throws Exception {
        site.leaseSeconds = 2;
        TestInstance instance = ready("i5");
        assertThat(instance.poweredOff()).isFalse();
        // No directive any more: the director may not renew beyond the last one by more than a lease.
        await("powered off", instance::poweredOff);
        assertThat(instance.console()).contains("the lease is over");
    }

    @Test
    void anImageThatTheHeadDidNotSignIsNotTaken() throws Exception {
        ImageGrant good = site.image;
        site.image = new ImageGrant("base", good.sha256(), good.bytes() + 1, good.signature());
        TestInstance instance = instance("i6");
        instance.boot(site.userData());
        var report = site.until(
                "gate told",
                told -> told.nodes().stream().anyMatch(node -> !node.gate().isEmpty()));
        assertThat(report.nodes().getFirst().ready()).isFalse();
        assertThat(report.nodes().getFirst().gate()).anySatisfy(check -> {
            assertThat(check.name()).isEqualTo("image");
            assertThat(check.passed()).isFalse();
            assertThat(check.detail()).contains("signature");
        });
        byte[] bytes = site.staged("images/" + good.sha256());
        bytes[600] ^= 1;
        site.stage("images/" + good.sha256(), bytes);
        site.image = good;
        report = site.until(
                "digest told",
                told -> told.nodes().stream()
                        .flatMap(node -> node.gate().stream())
                        .anyMatch(check -> check.detail().contains("digest is")));
        assertThat(report.nodes().getFirst().ready()).isFalse();
    }

    @Test
    void aRefusedNodePowersOff() throws Exception {
        site.answersJoins = false;
        TestInstance instance = instance("i7");
        instance.boot(site.userData());
        var report = site.until("request", told -> !told.joins().isEmpty());
        var request = report.joins().getFirst();
        assertThat(request.address()).isEqualTo(site.address);
        assertThat(request.request()).isEqualTo(Digests.hex(request.csr()));
        site.joins.put(request.request(), new JoinAnswer(request.request(), "", false, "", "not mine"));
        site.sync();
        await("powered off", instance::poweredOff);
        assertThat(instance.console()).contains("not mine").doesNotContain(TestSite.TOKEN);
    }

    @Test
    void withoutRootAJobRunsAsTheNodeItself() throws Exception {
        TestInstance instance =
                ROOT ? instance("i8", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") : instance("i8");
        if (ROOT) {
            Files.setAttribute(instance.disk, "unix:uid", 65534);
        }
        instance.boot(site.userData());
        site.untilReady(instance.id);
        order("j8", instance, "id -u\n");
        JobReport report = site.untilPhase("j8", Phase.ENDED);
        assertThat(report.ranAsUser()).isFalse();
        assertThat(report.exitCode()).isZero();
        if (ROOT) {
            assertThat(stdout("j8", instance)).isEqualTo("65534\n");
        }
    }
}
