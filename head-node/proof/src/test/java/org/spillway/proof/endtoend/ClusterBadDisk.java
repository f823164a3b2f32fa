package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.spillway.cli.CliFailure;

/**
 * {@link BadDisk} with a cluster on demand under way: the disk of its parent's state, then that of its own head's, stands
 * still, is full, is read-only. The cluster goes on, with its jobs.
 */
final class ClusterBadDisk {
    private ClusterBadDisk() {}

    /** @param arguments an empty folder */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]).toRealPath();
        Path state = Files.createDirectories(folder.resolve("state"));
        Path image = folder.resolve("disk.img");
        BadDisk.make(image, state);
        try (var head = new HeadFixture(folder)) {
            try {
                head.start();
                OnDemand cluster = OnDemand.create(head, "kid");
                cluster.awaitStage("head-install");
                BadDisk.freeze(state);
                cluster.awaitState("RUNNING");
                JobPair.noTwins(head, "made on a disk that stood still");
                parents(head, cluster, image);
                childs(head, cluster);
                cluster.delete();
                // The jobs that filled the parent's disk have machines of their own.
                assertThat(head.cloud().live())
                        .as(head.tail())
                        .hasSameSizeAs(head.nodes().stream()
                                .filter(node -> node.state().mayCost())
                                .toList());
            } catch (CliFailure | AssertionError | IOException failed) {
                System.out.println(head.tail());
                throw failed;
            }
        } finally {
            new ProcessBuilder("umount", "-l", state.toString()).start().waitFor();
        }
        System.out.println("all is well");
        System.exit(0);
    }

    private static void parents(HeadFixture head, OnDemand cluster, Path image) throws Exception {
        JobPair full = JobPair.begin(head, cluster.jobs(), "parent-full");
        Path filler = head.state().resolve("filler");
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                    BadDisk.fill(filler);
                    BadDisk.write(head);
                    return !Files.exists(head.state().resolve("ballast"));
                }))
                .as("the reserved room is given up")
                .isTrue();
        try {
            head.client().post("/clusters", OnDemand.order("more"));
            throw new AssertionError("a cluster is made on a disk that is full");
        } catch (CliFailure refused) {
            assertThat(refused).hasMessageContaining("the head's disk is full");
        }
        full.check("the parent's disk is full");
        Files.delete(filler);
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> Files.exists(head.state().resolve("ballast"))))
                .as("recovers by itself")
                .isTrue();

        JobPair broken = JobPair.begin(head, cluster.jobs(), "parent-broken");
        TwoHeadsTest.run("mount", "-o", "remount,abort", head.state().toString());
        // A parent with nothing to write does not meet its disk.
        meet(head);
        assertThat(head.running().waitFor(90, TimeUnit.SECONDS))
                .as("it stops rather than forget; " + head.tail())
                .isTrue();
        assertThat(head.tail()).contains("the head stops");
        BadDisk.repair(image, head.state());
        head.start();
        broken.check("the parent's disk was read-only");
        assertThat(cluster.view().state()).isEqualTo("RUNNING");
    }

    private static void meet(HeadFixture head) {
        try {
            head.submit(HeadFixture.submission("#!/bin/sh\n", "", Map.of()));
        } catch (CliFailure readOnly) {
            assertThat(readOnly).hasMessageNotContaining("accepted");
        }
    }

    private static boolean takesJobs(HeadFixture head, OnDemand cluster) {
        try {
            JobPair.submit(head, cluster.jobs(), HeadFixture.submission("#!/bin/sh\n", "", Map.of()));
            return true;
        } catch (CliFailure | AssertionError full) {
            assertThat(full).hasMessageContaining("full");
            return false;
        }
    }

    private static void childs(HeadFixture head, OnDemand cluster) throws Exception {
        Path state = cluster.folder().resolve("state");
        Path image = head.folder().resolve("child.img");
        Path before = state.resolveSibling("state.before");
        // The parent starts it again, on a disk of its own.
        long old = cluster.head();
        TwoHeadsTest.run("kill", "-STOP", Long.toString(old));
        TwoHeadsTest.run("cp", "-a", state.toString(), before.toString());
        BadDisk.make(image, state);
        TwoHeadsTest.run("cp", "-a", before + "/.", state.toString());
        Processes.kill(old);
        assertThat(cluster.head()).isNotEqualTo(old);

        JobPair full = JobPair.begin(head, cluster.jobs(), "child-full");
        Path filler = state.resolve("filler");
        BadDisk.fill(filler);
        full.check("the child's disk is full");
        Files.delete(filler);
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> takesJobs(head, cluster)))
                .as("recovers by itself")
                .isTrue();

        JobPair broken = JobPair.begin(head, cluster.jobs(), "child-broken");
        TwoHeadsTest.run("mount", "-o", "remount,abort", state.toString());
        cluster.await(now -> !now.remark().isEmpty());
        assertThat(cluster.view().state()).as("its parent does not give it up").isEqualTo("RUNNING");
        BadDisk.repair(image, state);
        broken.check("the child's disk was read-only");
        TwoHeadsTest.run("umount", "-l", state.toString());
    }
}
