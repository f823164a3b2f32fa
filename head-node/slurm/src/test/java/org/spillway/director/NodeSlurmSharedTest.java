package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A node that mounts users' homes by itself: nothing of them is its own to make. */
final class NodeSlurmSharedTest extends NodeSlurmLab {
    @AfterEach
    void nothingIsShared() {
        shared = List.of();
    }

    @Test
    void whatIsMissingInASharedFolderIsNotMade() throws Exception {
        shared = List.of("/home");
        instance = serving("shares");
        Files.writeString(
                folder.resolve("shown-201"),
                "JobId=201 JobName=a WorkDir=/home/ann/job StdErr=/home/ann/job/logs/x/e StdOut=/home/ann/job/logs/x/o\n");
        order(draft("none", "201", "/home/ann/job"), "none");
        assertThat(exit(run("prolog", "201"))).isZero();
        assertThat(inside("/home/ann")).doesNotExist();
        ended("201", "none");
        Path job = Files.createDirectories(inside("/home/ann/job"));
        Files.setAttribute(job, "unix:uid", TestNodes.UID);
        order(draft("some", "201", "/home/ann/job"), "some");
        assertThat(exit(run("prolog", "201"))).isZero();
        assertThat(job.resolve("logs"))
                .as("slurmd fails such a job at home, too")
                .doesNotExist();
        ended("201", "some");
        Files.delete(job);
        var late = draft("late", "202", "/home/ann/job");
        Path tree = Files.createDirectories(folder.resolve("tree-late"));
        Files.writeString(tree.resolve("in"), "input");
        input(late, "late", Tar.of(tree, List.of("in")));
        order(late, "late");
        assertThat(site.untilPhase("late", Phase.REFUSED).message()).isEqualTo("its folder is not there");
    }

    @Test
    void aNodeWithoutItsSharedFolderIsNotReady() throws Exception {
        shared = List.of("/home", "/projects");
        String node = "n-" + granted("mountless").id;
        var report = site.until(
                "unready",
                told -> told.nodes().stream().anyMatch(each -> each.node().equals(node) && !each.ready()));
        assertThat(report.nodes())
                .filteredOn(each -> each.node().equals(node))
                .flatMap(each -> each.gate())
                .anySatisfy(check -> assertThat(check.name() + " " + check.passed() + " " + check.detail())
                        .startsWith("slurm false /projects is not mounted here"));
    }
}
