package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/**
 * Launches in ranked sets of five types, at a provider that is short of the first three and at one that is short of none. No
 * memory of what was short helps: each launch begins with the first type.
 */
final class RankedBench {
    private static final int LAUNCHES = 100;
    private static final int EACH = 2;
    private static final int AT_A_TIME = 4;
    private static final int WARM_UP = 20;
    private static final double MOST = 1.2;
    private static final double NANOS = 1e9;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final List<String> TYPES = List.of("t3.nano", "t3.micro", "t3.small", "t3.medium", "t3.large");
    private static final int SHORT = 3;

    private RankedBench() {}

    static void measure(Path launcher, List<Figure> figures) throws IOException, InterruptedException, CloudException {
        try (EmulatedEc2 plenty = EmulatedEc2.start(launcher, catalogue(0));
                EmulatedEc2 scarce = EmulatedEc2.start(launcher, catalogue(SHORT))) {
            launches(plenty.site(), "warm", WARM_UP, TYPES.getFirst());
            launches(scarce.site(), "warm", WARM_UP, TYPES.get(SHORT));
            double without = launches(plenty.site(), "ranked", LAUNCHES, TYPES.getFirst());
            double with = launches(scarce.site(), "ranked", LAUNCHES, TYPES.get(SHORT));
            figures.add(Figure.plain(
                    "cloud.ranked.without",
                    without,
                    "s",
                    "median from a launch's call to all of it listed as running"));
            figures.add(Figure.plain("cloud.ranked.with", with, "s", "the same where three of five types are short"));
            figures.add(Figure.below(
                    MOST,
                    "cloud.ranked",
                    with / without,
                    "x",
                    LAUNCHES + " launches of " + EACH
                            + " in ranked sets of five types, one CreateFleet each: with three"
                            + " of them short, to one without a shortage"));
        }
    }

    private static String catalogue(int shortOf) {
        StringBuilder text = new StringBuilder("zones: [us-east-1a]\ntypes:\n");
        for (int i = 0; i < TYPES.size(); i++) {
            text.append(String.format(
                    Locale.ROOT,
                    "  - {name: %s, cpus: 2, memoryGiB: 1, process: false, capacity: %d, bootSeconds: 1}%n",
                    TYPES.get(i),
                    i < shortOf ? 0 : 2000));
        }
        return text.toString();
    }

    /** @return the median of a launch, in seconds */
    private static double launches(Site site, String name, int count, String comes)
            throws IOException, InterruptedException, CloudException {
        List<Future<Double>> running = new ArrayList<>();
        double[] took = new double[count];
        try (ExecutorService pool = Executors.newFixedThreadPool(AT_A_TIME)) {
            for (int i = 0; i < count; i++) {
                String intent = "bench-" + name + "-" + i;
                running.add(pool.submit(() -> one(site, intent, comes)));
            }
            for (int i = 0; i < count; i++) {
                took[i] = running.get(i).get();
            }
        } catch (ExecutionException failed) {
            throw new IOException(failed);
        }
        Arrays.sort(took);
        return took[count / 2];
    }

    private static double one(Site site, String intent, String comes)
            throws IOException, InterruptedException, CloudException {
        List<OfferingId> set = TYPES.stream()
                .map(type -> new OfferingId("ec2", EmulatedEc2.ZONE, type, Market.ON_DEMAND))
                .toList();
        long begin = System.nanoTime();
        LaunchAnswer answer = site.compute()
                .launch(new LaunchRequest(
                        intent,
                        1,
                        set.getFirst(),
                        EACH,
                        "",
                        "",
                        Map.of(Instance.TAG_ROLE, "NODE"),
                        set.subList(1, set.size()),
                        LaunchRequest.Placement.NONE));
        List<String> ids = answer.instances().stream()
                .filter(one -> one.offering().instanceType().equals(comes))
                .map(Instance::id)
                .toList();
        if (!answer.outcome().equals(new LaunchOutcome.Launched(EACH)) || ids.size() != EACH) {
            throw new IOException("a launch of " + EACH + " gave " + answer);
        }
        EmulatedEc2.await(
                "all of it runs",
                LIMIT,
                () -> site.compute().list().stream()
                                .filter(one -> one.state() == Instance.State.RUNNING && ids.contains(one.id()))
                                .count()
                        == EACH);
        double took = (System.nanoTime() - begin) / NANOS;
        site.compute().terminate(ids);
        return took;
    }
}
