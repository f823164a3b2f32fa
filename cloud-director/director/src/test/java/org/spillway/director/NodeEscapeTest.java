package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport.Phase;

/** I1, I4: an ordinary job's script on a real node, beside another user's job, tries to get out; docs/escapes.md is its table. */
@Tag("processes")
final class NodeEscapeTest extends OnNodes {
    private static final int BOB = 60_002;
    private static final Path TABLE = Path.of("../../docs/escapes.md");

    @Test
    void noAttemptGetsOut() throws Exception {
        assumeTrue(TestNodes.ROOT);
        site.isolation = Isolation.PREFERRED;
        site.addUser("bob", BOB);
        TestInstance instance = nodes.instance("esc");
        Files.writeString(instance.disk.resolve("gpus"), "2\n");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        Files.writeString(instance.disk.resolve("spillway/reflinks"), "no\n");
        String form = text(instance, "spillway/over").equals("no") ? "" : ".tree/in/given";
        boolean all = site.sync().nodes().getFirst().gate().stream()
                .anyMatch(check ->
                        check.name().equals(Isolation.CHECK) && check.detail().equals(NodeCageTest.ALL));
        assumeTrue(all, "this kernel lets no node isolate");
        Path host = Files.writeString(
                Path.of("/tmp", "spillway-escape-" + ProcessHandle.current().pid()), "host");
        try {
            OrderDraft victim = victim(instance);
            TestNodes.await("it is up", () -> Files.exists(instance.disk.resolve("work/victim.1/up")));
            attempt(instance, host, form);
            var results = site.results("escape", "n-" + instance.id);
            List<String[]> table = results.getOrDefault("results/table", "")
                    .lines()
                    .map(line -> line.split("\\|", 4))
                    .toList();
            assertThat(table).allSatisfy(row -> assertThat(row[3]).as(row[1]).isEqualTo("refused"));
            assertThat(table).hasSizeGreaterThanOrEqualTo(60);
            noSecretCameHome(instance, results);
            documented(table);
            assertThat(site.sync().jobs()).anyMatch(job -> job.job().equals("victim") && job.phase() == Phase.RUNNING);
            victim.cancel = true;
            site.jobs.put("victim", victim.order());
            site.untilPhase("victim", Phase.ENDED);
        } finally {
            Files.delete(host);
        }
    }

    private OrderDraft victim(TestInstance instance) throws Exception {
        OrderDraft victim = new OrderDraft("victim", "n-" + instance.id, BOB, """
                for each in /tmp /var/tmp /dev/shm; do echo hidden >$each/victim && chmod 644 $each/victim; done
                echo hidden >secret
                ipcmk -M 4096 -p 666 >/dev/null
                export SECRET=hidden
                : >up
                sleep 76543
                """);
        victim.user = "bob";
        give(victim, "victim", "hidden");
        victim.share = new JobOrder.Share(1, 0, 1);
        site.jobs.put("victim", victim.order());
        site.untilPhase("victim", Phase.RUNNING);
        return victim;
    }

    private void attempt(TestInstance instance, Path host, String form) throws Exception {
        String script;
        try (var in = NodeEscapeTest.class.getResourceAsStream("escape.sh")) {
            script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        OrderDraft escape = nodes.draft("escape", instance, script);
        give(escape, "escape", "own");
        Path kept = instance.disk.resolve("spillway/inputs");
        escape.share = new JobOrder.Share(1, 0, 1);
        escape.environment = Map.of(
                "KEPT",
                        kept.resolve("60002-bob/"
                                        + site.jobs
                                                .get("victim")
                                                .inputs()
                                                .getFirst()
                                                .sha256()
                                        + form)
                                .toString(),
                "OWN",
                        kept.resolve("60001-ann/" + escape.inputs.getFirst().sha256() + form)
                                .toString(),
                "DISK", instance.disk.toString(),
                "HOST", host.toString(),
                "URL", site.url(),
                "VICTIM", "sleep.76543",
                "RUNNER", text(instance, "spillway/lease.pid"),
                "VICTIM_PID", text(instance, "spillway/jobs/victim.1/pid"));
        site.jobs.put("escape", escape.order());
        var report = site.untilPhase("escape", Phase.ENDED);
        assertThat(report.exitCode()).as(report.message()).isZero();
        try (var inputs = Files.walk(kept)) {
            assertThat(inputs.filter(Files::isRegularFile).map(Path::toString))
                    .contains(escape.environment.get("KEPT"), escape.environment.get("OWN"));
        }
    }

    /** An input of one file, which its node keeps. */
    private void give(OrderDraft draft, String job, String text) throws Exception {
        Path home = Files.createDirectories(folder.resolve("home-" + job));
        Files.writeString(home.resolve("given"), text);
        byte[] bundle = Tar.of(home, List.of("given"));
        String key = "jobs/" + job + "/in/0";
        draft.inputs = List.of(new JobOrder.Input(key, bundle.length, site.stage(key, bundle)));
    }

    private void noSecretCameHome(TestInstance instance, Map<String, String> results) throws Exception {
        String key = text(instance, "spillway/node.key");
        assertThat(results.keySet())
                .doesNotContain("results/key", "results/secret", "results/shadow", "results/pipe")
                .contains("results/-rf", "results/--checkpoint-action=exec=sh evil", "results/bomb")
                .allSatisfy(name -> assertThat(name).doesNotContain("..").doesNotStartWith("/"));
        assertThat(results.values()).noneMatch(text -> text.contains(key) || text.contains("hidden"));
    }

    /** Written anew with {@code -Dgolden.update=true}. */
    private static void documented(List<String[]> table) throws Exception {
        StringBuilder page = new StringBuilder("""
                # Attempts to get out of a job

                An ordinary job's script makes them all beside a job of another user that has secrets, and a GPU each: on a node in `.ci/run` (`NodeEscapeTest`, which fails when one succeeds),
                under a root head with `isolation: required` on the local cloud (`EscapesTest`), and in a virtual machine with cgroups of version 2 under systemd ([labs/vm](../labs/vm/README.md)), where no other
                job is. It needs a root that may make cgroups and namespaces. Walls are those of [ADR 38](adr/0038-cages.md), [ADR 40](adr/0040-rooms.md) and [stock images](stock-images.md).

                | of | attempt | refused by |
                |---|---|---|
                """);
        for (String[] row : table) {
            page.append("| ")
                    .append(row[0])
                    .append(" | ")
                    .append(row[1])
                    .append(" | ")
                    .append(row[2])
                    .append(" |\n");
        }
        page.append("""

                Beside these it leaves among its results links to the node's key, to the other job's secret and to `/etc/shadow`, a pipe, names with a line break, with dashes in front and with bytes that are no
                text, a file with a TiB of holes, a link that leads above its folder, a link in the place of its standard output, and two processes that swap a folder for a link to the other job's as long as they
                live: nothing of what they lead to is in what comes home, since results are found and read with the user's rights, and nothing of the job runs any more by then that could make a link of a folder.
                Files with holes travel as holes; what is too much for a disk is named and left behind (`NodeBombTest`).
                """);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(TABLE, page);
        }
        assertThat(TABLE).hasContent(page.toString());
    }

    private static String text(TestInstance instance, String file) throws Exception {
        return Files.readString(instance.disk.resolve(file)).strip();
    }
}
