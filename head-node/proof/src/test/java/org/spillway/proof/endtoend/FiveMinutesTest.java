package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Five minutes of standing still, with the lease that a head has by itself: each kind of process in a world of its own, four
 * worlds side by side, as more of them are late by each other. Worlds can be chosen by name:
 * {@code -Dspillway.luck.worlds=JOBS_HEAD,MADE_CLOUD}.
 */
@Timeout(3600)
@Tag("processes")
@Tag("long")
final class FiveMinutesTest {
    private static final Duration STANDSTILL = Duration.ofMinutes(5);
    /** Worlds that are made, or looked at, at the same time. */
    private static final int BUSY = 2;
    /** Worlds that there are at the same time. */
    private static final int WORLDS = 4;

    @TempDir
    Path given;

    private final Semaphore turn = new Semaphore(BUSY, true);
    private final Semaphore place = new Semaphore(WORLDS, true);

    /** The work that is under way in a world, and which of its processes are struck meanwhile. */
    private enum World {
        /** A job runs; the input and the node of another are on their way. */
        JOBS_HEAD("head"),
        JOBS_DIRECTOR("director"),
        JOBS_NODE("node"),
        JOBS_CLOUD("cloud"),
        JOBS_HELPERS("worker", "policy"),
        /** A cluster on demand is being made. */
        MADE_PARENT("parent"),
        MADE_CLOUD("cloud"),
        MADE_HEAD("head"),
        /** Jobs run in a cluster on demand. */
        CLUSTER_PARENT("parent"),
        CLUSTER_HEAD("head"),
        CLUSTER_DIRECTOR("director"),
        CLUSTER_NODE("node");

        private final List<String> kinds;

        World(String... kinds) {
            this.kinds = List.of(kinds);
        }
    }

    @Test
    @Tag("luck")
    void anyProcessStandsStillForFiveMinutes() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "takes half an hour: -Dspillway.luck.all=true runs it");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> worlds = new ArrayList<>();
            for (World world : chosen()) {
                worlds.add(threads.submit(() -> {
                    place.acquire();
                    try {
                        live(world);
                    } finally {
                        place.release();
                    }
                    return world;
                }));
            }
            List<Throwable> failed = new ArrayList<>();
            for (Future<?> world : worlds) {
                try {
                    world.get();
                } catch (ExecutionException failure) {
                    failed.add(failure.getCause());
                }
            }
            if (!failed.isEmpty()) {
                AssertionError first = new AssertionError(
                        failed.size() + " worlds: " + failed.getFirst().getMessage());
                failed.forEach(first::addSuppressed);
                throw first;
            }
        }
    }

    private static List<World> chosen() {
        String names = System.getProperty("spillway.luck.worlds");
        return names == null
                ? List.of(World.values())
                : Arrays.stream(names.split(",")).map(World::valueOf).toList();
    }

    private void live(World world) throws Exception {
        Path folder = Files.createDirectories(given.toRealPath().resolve(world.name()));
        turn.acquire();
        boolean mine = true;
        try (var head = new HeadFixture(folder)) {
            head.start();
            @Nullable OnDemand cluster = world.name().startsWith("JOBS") ? null : OnDemand.create(head, "kid");
            @Nullable JobPair pair = null;
            if (cluster == null) {
                pair = JobPair.begin(head, "/jobs", "1");
            } else if (world.name().startsWith("MADE")) {
                cluster.awaitStage(world == World.MADE_PARENT ? "head-install" : "nodes");
            } else {
                cluster.awaitState("RUNNING");
                pair = JobPair.begin(head, cluster.jobs(), "1");
            }
            List<Long> struck = struck(head, cluster, world);
            ClusterBadLuckTest.signal("-STOP", struck);
            turn.release();
            mine = false;
            try {
                Thread.sleep(STANDSTILL);
            } finally {
                ClusterBadLuckTest.signal("-CONT", struck);
            }
            turn.acquire();
            mine = true;
            after(world, head, cluster, pair);
        } catch (Exception | AssertionError failure) {
            throw new AssertionError(world + ": " + failure.getMessage(), failure);
        } finally {
            if (mine) {
                turn.release();
            }
        }
    }

    private static List<Long> struck(HeadFixture head, @Nullable OnDemand cluster, World world) throws IOException {
        List<Long> struck = new ArrayList<>();
        for (String kind : world.kinds) {
            List<Long> found = cluster == null
                    ? BadLuckTest.processes(head, kind)
                    : ClusterBadLuckTest.processes(head, cluster, kind);
            if (!kind.equals("policy")) {
                assertThat(found).as(kind).isNotEmpty();
            }
            struck.addAll(found);
        }
        return struck;
    }

    private static void after(World world, HeadFixture head, @Nullable OnDemand cluster, @Nullable JobPair pair)
            throws IOException {
        if (cluster != null) {
            cluster.awaitState("RUNNING");
        }
        JobPair either = pair != null ? pair : JobPair.begin(head, cluster == null ? "/jobs" : cluster.jobs(), "after");
        either.check(world + " stood still");
        assertThat(head.log()).content().doesNotContain("not heard from for longer");
        if (cluster != null) {
            cluster.delete();
            assertThat(head.cloud().live()).as(head.tail()).isEmpty();
        }
    }
}
