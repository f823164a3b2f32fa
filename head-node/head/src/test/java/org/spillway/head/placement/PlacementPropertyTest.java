package org.spillway.head.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.head.placement.PlacementScene.LONG_AGO;
import static org.spillway.head.placement.PlacementScene.NOW;
import static org.spillway.head.placement.PlacementScene.RICH;
import static org.spillway.head.placement.PlacementScene.bound;
import static org.spillway.head.placement.PlacementScene.cpus;
import static org.spillway.head.placement.PlacementScene.site;
import static org.spillway.head.placement.PlacementScene.status;
import static org.spillway.head.placement.PlacementScene.with;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** Properties of placement, for all that is drawn; {@code -Dspillway.seed=N} repeats a seed. */
final class PlacementPropertyTest {
    private static final long SEEDS = 400;

    /** Applying a decision and deciding again changes nothing, at whatever age. */
    @Test
    void constantInputNeverFlips() {
        for (long seed = first(); seed < first() + SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<SiteOutlook> sites = sites(random);
            List<WaitingJob> jobs = jobs(random, sites);
            Money budget = new Money(random.nextLong(1_000_000, 200_000_000));
            List<WaitingJob> settled = jobs;
            for (int round = 0; round < jobs.size() + 2; round++) {
                settled = applied(settled, Placement.decide(settled, sites, budget, NOW), LONG_AGO);
            }
            List<WaitingJob> after = applied(settled, Placement.decide(settled, sites, budget, NOW), LONG_AGO);
            assertThat(bindings(after)).as("seed %d", seed).isEqualTo(bindings(settled));
            // A round is enough for jobs that are not bound yet.
            List<WaitingJob> unbound =
                    jobs.stream().map(PlacementPropertyTest::unbound).toList();
            List<WaitingJob> once = applied(unbound, Placement.decide(unbound, sites, budget, NOW), LONG_AGO);
            assertThat(bindings(applied(once, Placement.decide(once, sites, budget, NOW), LONG_AGO)))
                    .as("seed %d", seed)
                    .isEqualTo(bindings(once));
        }
    }

    @Test
    void neverGivesMoreThanASiteHasNorMovesWhatIsServed() {
        for (long seed = first(); seed < first() + SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<SiteOutlook> sites = sites(random);
            List<WaitingJob> jobs = jobs(random, sites);
            Map<String, WaitingJob> byId = jobs.stream().collect(Collectors.toMap(WaitingJob::id, one -> one));
            Map<String, Integer> cpus = new HashMap<>();
            for (Placed placed : Placement.decide(jobs, sites, RICH, NOW)) {
                WaitingJob job = byId.get(placed.job());
                Prospect prospect = placed.prospect();
                if (prospect.now()) {
                    cpus.merge(prospect.site(), job.perNode().cpus() * job.nodes(), Integer::sum);
                }
                if (placed instanceof Placed.Bind bind) {
                    assertThat(job.sites()).as("seed %d", seed).contains(bind.site());
                    assertThat(bind.site()).as("seed %d", seed).isNotEqualTo(job.site());
                }
            }
            for (SiteOutlook site : sites) {
                int most = site.supply().nodes().stream()
                                .mapToInt(node -> node.free().cpus())
                                .sum()
                        + 8 * site.supply().nodesLeft();
                assertThat(cpus.getOrDefault(site.name(), 0))
                        .as("seed %d: %s", seed, site.name())
                        .isLessThanOrEqualTo(most);
                if (!site.trouble().isNone()) {
                    assertThat(cpus).as("seed %d", seed).doesNotContainKey(site.name());
                }
            }
        }
    }

    @Test
    void theOrderOfTheArgumentsDoesNotMatter() {
        for (long seed = first(); seed < first() + 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<SiteOutlook> sites = sites(random);
            List<WaitingJob> jobs = jobs(random, sites);
            assertThat(Placement.decide(jobs.reversed(), sites.reversed(), RICH, NOW))
                    .as("seed %d", seed)
                    .isEqualTo(Placement.decide(jobs, sites, RICH, NOW));
        }
    }

    private static long first() {
        return Long.getLong("spillway.seed", 1);
    }

    private static List<WaitingJob> applied(List<WaitingJob> jobs, List<Placed> placed, Duration age) {
        Map<String, String> moved = new HashMap<>();
        for (Placed one : placed) {
            if (one instanceof Placed.Bind bind) {
                moved.put(bind.job(), bind.site());
            }
        }
        return jobs.stream()
                .map(job -> bound(job, moved.getOrDefault(job.id(), job.site()), age))
                .toList();
    }

    private static WaitingJob unbound(WaitingJob job) {
        return bound(job, "", Duration.ZERO);
    }

    private static Map<String, String> bindings(List<WaitingJob> jobs) {
        return jobs.stream().collect(Collectors.toMap(WaitingJob::id, WaitingJob::site));
    }

    private static List<SiteOutlook> sites(SplittableRandom random) {
        List<SiteOutlook> sites = new ArrayList<>();
        int count = random.nextInt(1, 5);
        for (int i = 0; i < count; i++) {
            SiteOutlook site = site(
                    "s" + i,
                    i == 0 && random.nextBoolean(),
                    random.nextInt(6) == 0 ? "away" : "",
                    random.nextInt(4),
                    random.nextInt(4),
                    Integer.toString(random.nextInt(0, 4)));
            OfferingId id = site.supply().offerings().getFirst().id();
            sites.add(
                    random.nextInt(4) == 0
                            ? with(site, Map.of(id, status(id, random.nextBoolean() ? NOW.plusSeconds(60) : null, 1)))
                            : site);
        }
        return sites;
    }

    private static List<WaitingJob> jobs(SplittableRandom random, List<SiteOutlook> sites) {
        List<WaitingJob> jobs = new ArrayList<>();
        int count = random.nextInt(1, 25);
        for (int i = 0; i < count; i++) {
            List<String> names =
                    new ArrayList<>(sites.stream().map(SiteOutlook::name).toList());
            Collections.rotate(names, random.nextInt(names.size()));
            List<String> some = names.subList(0, random.nextInt(1, names.size() + 1));
            // The order of the draws is that of the seeds that once failed.
            int cpus = random.nextInt(1, 10);
            int nodes = random.nextInt(1, 4);
            Duration walltime = Duration.ofMinutes(random.nextInt(1, 600));
            int priority = random.nextInt(3);
            Instant submitted = NOW.minusSeconds(random.nextInt(1000));
            String bound = random.nextBoolean() ? "" : some.get(random.nextInt(some.size()));
            Duration age = random.nextBoolean() ? LONG_AGO : Duration.ZERO;
            jobs.add(new WaitingJob(
                    Integer.toString(i),
                    new WaitingJob.Need(some, List.of(), cpus(cpus), nodes, walltime, Market.STEADY),
                    priority,
                    submitted,
                    new WaitingJob.Binding(bound, age, 0, false),
                    random.nextInt(100_000),
                    0));
        }
        return jobs;
    }
}
