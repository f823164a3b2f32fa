package org.spillway.proof.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Console;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/**
 * A large fleet through the driver {@code aws} and the vendor's SDK, with the head's decorators, on an emulated EC2. What
 * the vendor's own rate limits would add is not in the figures: the emulation has none.
 */
final class CloudBench {
    private static final int FLEET = 1000;
    private static final int MANY = 10_000;
    private static final int WITH_USER_DATA = 50;
    private static final int MOST_LAUNCH_CALLS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final double NANOS = 1e9;
    private static final double MEBI = 1 << 20;

    private final Path launcher;

    CloudBench(Path launcher) {
        this.launcher = launcher;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        try (EmulatedEc2 cloud = EmulatedEc2.start(launcher)) {
            List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .toList();
            heap.forEach(MemoryPoolMXBean::resetPeakUsage);
            fleet(cloud, figures);
            many(cloud, figures);
            double peak = heap.stream()
                            .mapToLong(pool -> pool.getPeakUsage().getUsed())
                            .sum()
                    / MEBI;
            figures.add(Figure.below(512, "cloud.heap", peak, "MiB", "the most that was in use, garbage included"));
            userData(cloud, figures);
        } catch (CloudException failed) {
            throw new IOException(failed.reason() + ": " + failed.getMessage(), failed);
        }
        figures.addAll(new CallBench(launcher).measure());
        return figures;
    }

    private static void fleet(EmulatedEc2 cloud, List<Figure> figures)
            throws IOException, InterruptedException, CloudException {
        Site site = cloud.site();
        long begin = System.nanoTime();
        Set<String> ids = launch(site, "bench-fleet", EmulatedEc2.PAPER, FLEET, "");
        int calls = cloud.launchCalls();
        double launched = since(begin);
        awaitState(site, ids, Instance.State.RUNNING);
        double tracked = since(begin);
        site.compute().terminate(ids);
        awaitState(site, ids, Instance.State.TERMINATED);
        String how = FLEET + " instances of one type without a process, through the AWS SDK; no rate limit but the"
                + " emulation's, which has none";
        figures.add(Figure.below(MOST_LAUNCH_CALLS + 1, "cloud.calls", calls, "launch calls", how));
        figures.add(Figure.plain("cloud.launched", launched, "s", "of which until the launch was answered"));
        figures.add(Figure.plain("cloud.tracked", tracked, "s", "of which until all were listed as running"));
        figures.add(Figure.below(60, "cloud.fleet", since(begin), "s", "launched, tracked, listed as terminated"));
    }

    private static void many(EmulatedEc2 cloud, List<Figure> figures)
            throws IOException, InterruptedException, CloudException {
        Site site = cloud.site();
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < MANY / FLEET; i++) {
            ids.addAll(launch(site, "bench-many-" + i, EmulatedEc2.PAPER, FLEET, ""));
        }
        awaitState(site, ids, Instance.State.RUNNING);
        long begin = System.nanoTime();
        int listed = (int) site.compute().list().stream()
                .filter(instance -> ids.contains(instance.id()))
                .count();
        double took = since(begin);
        if (listed != MANY) {
            throw new IOException("of " + MANY + " instances " + listed + " were listed");
        }
        figures.add(Figure.below(5, "cloud.list", took, "s", "a listing of " + MANY + ", all pages"));
        site.compute().terminate(ids);
        awaitState(site, ids, Instance.State.TERMINATED);
    }

    /** To its end: the script has run, as the console says. */
    private static void userData(EmulatedEc2 cloud, List<Figure> figures)
            throws IOException, InterruptedException, CloudException {
        Site site = cloud.site();
        Console console = site.console().orElseThrow(() -> new IOException("the driver shows no console"));
        long begin = System.nanoTime();
        Set<String> ids = launch(
                site, "bench-data", EmulatedEc2.REAL, WITH_USER_DATA, "#!/bin/sh\necho user-data-$((40+2))-ran\n");
        awaitState(site, ids, Instance.State.RUNNING);
        for (String id : ids) {
            EmulatedEc2.await(
                    "user data has run", LIMIT, () -> console.output(id).contains("user-data-42-ran"));
        }
        double ran = since(begin);
        site.compute().terminate(ids);
        awaitState(site, ids, Instance.State.TERMINATED);
        figures.add(Figure.plain("cloud.userData.ran", ran, "s", "of which until the user data of all had run"));
        figures.add(Figure.below(
                60,
                "cloud.userData",
                since(begin),
                "s",
                WITH_USER_DATA + " instances with processes and user data, launched, run, terminated"));
    }

    private static Set<String> launch(Site site, String intent, String type, int count, String userData)
            throws IOException {
        OfferingId offering = new OfferingId("ec2", EmulatedEc2.ZONE, type, Market.ON_DEMAND);
        LaunchAnswer answer = site.compute()
                .launch(LaunchRequest.of(intent, 1, offering, count)
                        .withUserData(userData)
                        .withTags(Map.of(Instance.TAG_ROLE, "NODE")));
        if (!answer.outcome().equals(new LaunchOutcome.Launched(count))) {
            throw new IOException("a launch of " + count + " gave " + answer.outcome());
        }
        Set<String> ids = new HashSet<>();
        answer.instances().forEach(instance -> ids.add(instance.id()));
        return ids;
    }

    private static void awaitState(Site site, Collection<String> ids, Instance.State state)
            throws IOException, InterruptedException, CloudException {
        EmulatedEc2.await(
                "all are " + state,
                LIMIT,
                () -> site.compute().list().stream()
                                .filter(instance -> instance.state() == state && ids.contains(instance.id()))
                                .count()
                        == ids.size());
    }

    private static double since(long begin) {
        return (System.nanoTime() - begin) / NANOS;
    }
}
