package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.ManagerGrant.GrantedFile;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A real node that serves a workload manager of which director and node have never heard: all of it comes by the wire. */
@Tag("processes")
final class NodeManagerTest {
    private static final String KEY = "a key, and nobody else's\n";
    private static final String PROGRAM = """
            DAEMON=gridd
            manager_serve() {
            until fetch_grant; do off && return; pause 2; done
            manager_gate ok "of $(fact master "$F/grant")"
            keep gridd sleep 600 &
            while ! off; do pause 10; done
            }
            manager_stop() { alive "$F/gridd.pid" && kill -KILL "$some"; }
            manager_order() { printf '%s\\n' "$foreign" >"$F/ordered"; }
            manager_job() {
            STARTED=1 ENDED=2 CODE=7
            tell ENDED "by $manager"
            renew
            }
            """;

    @TempDir
    static Path folder;

    private static TestNodes nodes;
    private static TestSite site;
    private static TestInstance instance;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TestNodes(folder);
        site = nodes.site;
        site.programs = List.of(new ManagerGrant.Program("grid", PROGRAM));
        instance = nodes.ready("grid");
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    private static void grant() throws Exception {
        var grant = new ManagerGrant(
                "grid",
                "west-1",
                "",
                Map.of("master", "10.0.0.1:99"),
                List.of(new GrantedFile(
                        "grid.key", "400", Base64.getEncoder().encodeToString(KEY.getBytes(StandardCharsets.UTF_8)))));
        String node = "n-" + instance.id;
        site.nodes.replaceAll(each -> each.node().equals(node) ? new NodeGrant(node, grant) : each);
        site.until(
                "its gate says whose daemon it has",
                report -> report.nodes().stream()
                        .flatMap(each -> each.gate().stream())
                        .anyMatch(check -> check.name().equals("grid")
                                && check.passed()
                                && check.detail().equals("of 10.0.0.1:99")));
    }

    @Test
    void itsKeyItsDaemonAndItsJobsAreThere() throws Exception {
        grant();
        Path key = instance.disk.resolve("spillway/manager/grid.key");
        assertThat(key).hasContent(KEY);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("r--------");
        assertThat(site.userData()).doesNotContain("grid.key", KEY);
        TestNodes.await("its daemon runs", () -> Files.exists(instance.disk.resolve("spillway/manager/gridd.pid")));

        OrderDraft its = nodes.draft("g1", instance, "exit 0\n");
        its.foreign = new Foreign("grid", "4711", folder.toString());
        site.jobs.put("g1", its.order());
        site.sync();
        var ended = site.untilPhase("g1", Phase.ENDED);
        assertThat(ended.exitCode()).isEqualTo(7);
        assertThat(ended.message()).isEqualTo("by grid");
        assertThat(instance.disk.resolve("spillway/manager/ordered")).hasContent("4711");

        OrderDraft others = nodes.draft("g2", instance, "exit 0\n");
        others.foreign = new Foreign("array", "1", folder.toString());
        site.jobs.put("g2", others.order());
        site.sync();
        assertThat(site.untilPhase("g2", Phase.REFUSED).message()).isEqualTo("this node does not serve array");
    }
}
