package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bad luck of the machine, as in {@link BadLuckTest}, while a cluster on demand is made and while it runs, with 256 files
 * for each process of it.
 */
@Tag("processes")
@Tag("long")
@Timeout(900)
final class ClusterBadLuckTest {
    private static final long STOPPED_MILLIS = 10_000;

    @TempDir
    Path folder;

    private int jobs;

    private JobPair begin(HeadFixture head, OnDemand cluster) throws IOException {
        return JobPair.begin(head, cluster.jobs(), Integer.toString(++jobs));
    }

    @Test
    void tornJournalsAndStandstillsWithFewDescriptors() throws Exception {
        try (var head = new HeadFixture(folder)) {
            head.under(List.of("prlimit", "--nofile=256:256"), Map.of()).start();
            OnDemand cluster = OnDemand.create(head, "kid");
            cluster.awaitStage("head-install");
            head.kill();
            BadLuckTest.tear(head.state().resolve("journal.db-wal"));
            head.start();
            cluster.awaitStage("nodes");
            standStill(List.of(head.running().pid()));
            cluster.awaitState("RUNNING");
            JobPair.noTwins(head, "made");

            JobPair torn = begin(head, cluster);
            Path state = cluster.folder().resolve("state");
            Processes.kill(cluster.head());
            BadLuckTest.tear(state.resolve("journal.db-wal"));
            torn.check("the child's journal was torn");

            JobPair pair = begin(head, cluster);
            standStill(everything(head));
            pair.check("the machine stood still");
            assertThat(head.log()).content().contains("this process may have 256 files open");
            assertThat(cluster.log()).contains("this process may have 256 files open");
            cluster.delete();
            assertThat(head.cloud().live()).as(head.tail()).isEmpty();
        }
    }

    @Test
    @Tag("luck")
    void eachProcessStandsStill() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "one by one: -Dspillway.luck.all=true runs it");
        try (var head = new HeadFixture(folder).start()) {
            OnDemand cluster = OnDemand.create(head, "kid");
            cluster.awaitStage("head-start");
            standStill(List.of(cluster.head()));
            cluster.awaitState("RUNNING");
            for (String what : List.of("parent", "cloud", "head", "director", "node")) {
                JobPair pair = begin(head, cluster);
                standStill(processes(head, cluster, what));
                pair.check(what + " stood still");
            }
            cluster.delete();
        }
    }

    @Test
    @Tag("luck")
    void disksOfParentAndChildThatAreFullOrReadOnlyOrStandStill() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "takes minutes: -Dspillway.luck.all=true runs it");
        BadLuckTest.onADiskOfItsOwn(ClusterBadDisk.class, folder.toRealPath());
    }

    static List<Long> processes(HeadFixture head, OnDemand cluster, String what) throws IOException {
        return switch (what) {
            case "parent" -> List.of(head.running().pid());
            case "cloud" -> List.of(head.cloud().pid());
            case "head" -> List.of(cluster.head());
            default ->
                Processes.ofInstances(head.folder()).stream()
                        .filter(pid -> pid != cluster.head())
                        .filter(pid -> Processes.commandLine(pid).contains("DirectorMain") == what.equals("director"))
                        .toList();
        };
    }

    /** As a suspended machine: none sees another move. */
    private static List<Long> everything(HeadFixture head) throws IOException {
        List<Long> all = new ArrayList<>(Processes.ofInstances(head.folder()));
        all.add(head.running().pid());
        all.add(head.cloud().pid());
        return all;
    }

    private static void standStill(List<Long> struck) throws IOException, InterruptedException {
        assertThat(struck).isNotEmpty();
        signal("-STOP", struck);
        try {
            Thread.sleep(STOPPED_MILLIS);
        } finally {
            signal("-CONT", struck);
        }
    }

    /** A process may have ended by itself meanwhile. */
    static void signal(String which, List<Long> pids) throws IOException, InterruptedException {
        for (long pid : pids) {
            new ProcessBuilder("kill", which, Long.toString(pid)).start().waitFor();
        }
    }
}
