package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** The real node scripts against a real director. */
final class NodeTest extends OnNodes {
    @Test
    void aJobRunsWithItsInputAndItsResultsComeBack() throws Exception {
        TestInstance instance = nodes.ready("i1");
        Path tree = Files.createDirectories(folder.resolve("home/data"));
        Files.writeString(tree.resolve("in file.txt"), "seven\n");
        Files.createDirectories(folder.resolve("home/.spillway"));
        Files.writeString(folder.resolve("home/.spillway/script"), "echo of another job\n");
        byte[] bundle = Tar.of(folder.resolve("home"), List.of(".spillway", "data"));
        String sha = site.stage("jobs/j1/in/0", bundle);
        OrderDraft draft = nodes.draft("j1", instance, """
                #!/bin/sh
                mkdir results
                cat "data/in file.txt" > results/out.txt
                greet
                find . ! -user "$(id -u)"
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
        assertThat(report.ranAsUser()).isEqualTo(TestNodes.ROOT);
        long uid = TestNodes.ROOT ? TestNodes.UID : ((Number) Files.getAttribute(folder, "unix:uid")).longValue();
        assertThat(site.results("j1", "n-" + instance.id))
                .containsOnlyKeys(".spillway/stdout", "results/out.txt")
                .containsEntry("results/out.txt", "seven\n")
                .containsEntry(
                        ".spillway/stdout",
                        "hello from the image\none|two words|$(touch evil)|a 'b' $(c)|j1|" + uid + "|none|0|1|"
                                + site.address + "|" + site.address + "|");

        site.jobs.clear();
        site.sync();
        TestNodes.await(
                "work folder is removed",
                () -> !folder.resolve(instance.id + "/work/j1.1").toFile().exists());
    }

    @Test
    void anEndIsToldWithItsReason() throws Exception {
        TestInstance instance = nodes.ready("i2");
        nodes.order("bad", instance, "exit 3\n");
        site.jobs.put("lost", new OrderDraft("lost", "n-" + instance.id, TestNodes.UID + 1, "exit 0\n").order());
        OrderDraft longer = nodes.draft("long", instance, "sleep 600\n");
        site.jobs.put("long", longer.order());
        OrderDraft slow = nodes.draft("slow", instance, "echo begun\nsleep 600\n");
        slow.walltimeSeconds = 10;
        site.jobs.put("slow", slow.order());
        OrderDraft sly = nodes.draft("sly", instance, "exit 0\n");
        sly.outputKey = "jobs/sly/1/out/../../../x";
        site.jobs.put("sly", sly.order());
        nodes.order("shot", instance, "kill -SEGV $$\n");

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
        assertThat(nodes.stdout("slow", instance)).isEqualTo("begun\n");
        assertThat(site.untilPhase("shot", Phase.ENDED).exitCode()).isEqualTo(139);
        assertThat(site.untilPhase("lost", Phase.REFUSED).message()).contains("has uid " + TestNodes.UID);
        assertThat(site.untilPhase("sly", Phase.REFUSED).message()).contains("key of the results");
    }

    @Test
    void aJobDoesNotNoticeThatDirectorAndAgentWereRestarted() throws Exception {
        TestInstance instance = nodes.instance("i3");
        Process agent = instance.boot(site.userData());
        site.untilReady(instance.id);
        Path gate = folder.resolve("go-" + instance.id);
        Path starts = folder.resolve("starts");
        Files.writeString(starts, "");
        starts.toFile().setWritable(true, false);
        nodes.order(
                "j3",
                instance,
                "echo x >>" + starts + "\nwhile [ ! -e " + gate + " ]; do sleep 0.05; done\necho done\n");
        site.untilPhase("j3", Phase.RUNNING);
        agent.destroyForcibly();
        site.restartDirector();
        instance.boot(site.userData());
        site.untilPhase("j3", Phase.RUNNING);
        Files.writeString(gate, "");
        JobReport report = site.untilPhase("j3", Phase.ENDED);
        assertThat(report.exitCode()).isZero();
        assertThat(nodes.stdout("j3", instance)).isEqualTo("done\n");
        assertThat(starts).hasContent("x");
        assertThat(instance.poweredOff()).isFalse();
    }

    @Test
    void aNodeThatIsNotNamedStopsItsJobAndPowersOff() throws Exception {
        TestInstance instance = nodes.ready("i4");
        site.leaseSeconds = 10;
        String sleeps = "sleep\00054321." + ProcessHandle.current().pid();
        nodes.order("j4", instance, sleeps.replace('\0', ' ') + "\n");
        site.untilPhase("j4", Phase.RUNNING);
        TestNodes.await("it runs", () -> TestNodes.runs(sleeps));
        site.nodes.clear();
        site.joins.clear();
        site.sync();
        TestNodes.await("powered off", instance::poweredOff);
        // Killed before that; whoever inherits an orphan takes it away a moment later.
        TestNodes.await("the job is gone", () -> !TestNodes.runs(sleeps));
    }

    /** The job failed with "the lease is over before it started", and had never begun: it was good for another node. */
    @Test
    @Timeout(120)
    void aNodeThatGoesRefusesNoJobThatItHasNotBegun() throws Exception {
        TestInstance instance = nodes.instance("i6");
        instance.program("curl", """
                #!/bin/sh
                case "$*" in
                  */jobs/j6/1/input) : >"$SPILLWAY_INSTANCE_DIR/fetching"; exec sleep 600 ;;
                esac
                exec /usr/bin/curl "$@"
                """);
        instance.boot(site.userData());
        site.untilReady(instance.id);
        OrderDraft draft = nodes.draft("j6", instance, "exit 0\n");
        draft.inputs = List.of(new JobOrder.Input("jobs/j6/in/0", 1, "0".repeat(64)));
        site.jobs.put("j6", draft.order());
        site.sync();
        TestNodes.await("the fetch began", () -> Files.exists(instance.disk.resolve("fetching")));
        Path lease = instance.disk.resolve("spillway/lease");
        // As often as it is renewed.
        while (!instance.poweredOff()) {
            Files.writeString(lease, "0\n");
            Thread.sleep(100);
        }
        assertThat(instance.disk.resolve("spillway/jobs/j6.1/report"))
                .content()
                .contains("ACCEPTED")
                .doesNotContain("REFUSED");
    }

    @Test
    void aNodeWhoseDirectorIsSilentPowersOffWhenItsLeaseIsOver() throws Exception {
        site.leaseSeconds = 2;
        TestInstance instance = nodes.ready("i5");
        assertThat(instance.poweredOff()).isFalse();
        // No directive any more: the director may not renew beyond the last one by more than a lease.
        TestNodes.await("powered off", instance::poweredOff);
        assertThat(instance.console()).contains("the lease is over");
    }

    @Test
    void anImageThatTheHeadDidNotSignIsNotTaken() throws Exception {
        ImageGrant good = site.image;
        site.image = ImageGrant.archive("base", good.sha256(), good.bytes() + 1, good.signature());
        TestInstance instance = nodes.instance("i6");
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
    void aNodeThatFetchesAnImageWhileAnotherIsGrantedEndsWithTheOther() throws Exception {
        ImageGrant old = site.image;
        ImageGrant next = site.makeImage("hello from the next image");
        TestInstance instance = nodes.instance("i9");
        instance.program("curl", """
                #!/bin/sh
                case "$*" in */image/%s)
                  : >"$SPILLWAY_INSTANCE_DIR/fetching"
                  while [ ! -e "$SPILLWAY_INSTANCE_DIR/granted" ]; do /bin/sleep 0.05; done ;;
                esac
                exec /usr/bin/curl "$@"
                """.formatted(old.sha256()));
        instance.boot(site.userData());
        site.until("the fetch began", report -> Files.exists(instance.disk.resolve("fetching")));
        Instant began = Instant.now();
        site.image = next;
        site.sync();
        TestNodes.await(
                "a long fetch", () -> Duration.between(began, Instant.now()).toMillis() > 1100);
        Files.writeString(instance.disk.resolve("granted"), "");
        site.untilReady(instance.id);
        var node = site.sync().nodes().getFirst();
        assertThat(node.imageSha256()).as(instance.console()).isEqualTo(next.sha256());
        nodes.order("j9", instance, "greet\n");
        site.untilPhase("j9", Phase.ENDED);
        assertThat(nodes.stdout("j9", instance)).isEqualTo("hello from the next image\n");
    }

    @Test
    void aRefusedNodePowersOff() throws Exception {
        site.answersJoins = false;
        TestInstance instance = nodes.instance("i7");
        instance.boot(site.userData());
        var report = site.until("request", told -> !told.joins().isEmpty());
        var request = report.joins().getFirst();
        assertThat(request.address()).isEqualTo(site.address);
        assertThat(request.request()).isEqualTo(Digests.hex(request.csr()));
        site.joins.put(request.request(), new JoinAnswer(request.request(), "", false, "", "not mine"));
        site.sync();
        TestNodes.await("powered off", instance::poweredOff);
        assertThat(instance.console()).contains("not mine").doesNotContain(TestSite.TOKEN);
    }

    @Test
    void withoutRootAJobRunsAsTheNodeItself() throws Exception {
        TestInstance instance = TestNodes.ROOT
                ? nodes.instance("i8", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
                : nodes.instance("i8");
        if (TestNodes.ROOT) {
            Files.setAttribute(instance.disk, "unix:uid", 65534);
        }
        instance.boot(site.userData());
        site.untilReady(instance.id);
        nodes.order("j8", instance, "id -u\n");
        JobReport report = site.untilPhase("j8", Phase.ENDED);
        assertThat(report.ranAsUser()).isFalse();
        assertThat(report.exitCode()).isZero();
        if (TestNodes.ROOT) {
            assertThat(nodes.stdout("j8", instance)).isEqualTo("65534\n");
        }
    }
}
