package org.spillway.head.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;

/** Rules by example, then what holds for all that is drawn. */
final class PlacementTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final Money RICH = Money.parse("1000");
    private static final Duration LONG_AGO = Duration.ofMinutes(1);
    private static final long SEEDS = 400;

    @Test
    void aJobWithOneSiteIsBoundToItWhateverItCanDo() {
        SiteOutlook sick = site("east", false, "it does not answer", 0, 0, "1");
        assertThat(decide(List.of(job("1", 4, 1, "", "east")), sick)).containsExactly("1->east");
        assertThat(decide(List.of(job("1", 4, 1, "east", "east")), sick)).containsExactly("1 stays");
    }

    @Test
    void homeIsFirstWhileItHasRoomForAllBefore() {
        SiteOutlook home = site("home", true, "", 2, 0, "1");
        SiteOutlook east = site("east", false, "", 0, 5, "1");
        List<WaitingJob> jobs = List.of(
                job("1", 4, 1, "home", "east", "home"),
                job("2", 4, 1, "", "east", "home"),
                job("3", 4, 1, "", "east", "home"));
        assertThat(decide(jobs, home, east)).containsExactly("1 stays", "2->home", "3->east");
    }

    @Test
    void priorityTakesTheRoomAtHomeFirst() {
        SiteOutlook home = site("home", true, "", 1, 0, "1");
        SiteOutlook east = site("east", false, "", 0, 5, "1");
        WaitingJob urgent = new WaitingJob(
                "9", List.of("home", "east"), cpus(4), 1, Duration.ofHours(1), 5, NOW, "", Duration.ZERO, 0, 0, false);
        assertThat(decide(List.of(job("1", 4, 1, "", "home", "east"), urgent), home, east))
                .containsExactly("9->home", "1->east");
    }

    @Test
    void elsewhereTheCheapestShareWinsAndTiesGoToThePreferred() {
        SiteOutlook dear = site("east", false, "", 0, 5, "2");
        SiteOutlook cheap = site("west", false, "", 0, 5, "1");
        SiteOutlook alike = site("south", false, "", 0, 5, "1");
        assertThat(decide(List.of(job("1", 4, 1, "", "east", "south", "west")), dear, cheap, alike))
                .containsExactly("1->south");
    }

    @Test
    void aSiteOfAHigherPriorityGoesBeforeACheaperOne() {
        SiteOutlook dear = with(site("east", false, "", 0, 5, "2"), 1);
        SiteOutlook cheap = site("west", false, "", 0, 5, "1");
        WaitingJob job = job("1", 4, 1, "", "west", "east");
        assertThat(decide(List.of(job), dear, cheap)).containsExactly("1->east");
        assertThat(decide(List.of(job), with(dear, -1), cheap)).containsExactly("1->west");
        assertThat(decide(List.of(job), with(site("east", false, "", 0, 0, "2"), 1), cheap))
                .as("it has no room")
                .containsExactly("1->west");
        SiteOutlook home = site("home", true, "", 1, 0, "1");
        assertThat(decide(List.of(job("1", 4, 1, "", "east", "home")), dear, home))
                .as("home comes before all")
                .containsExactly("1->home");
    }

    @Test
    void aGangNeedsItsNodesInOneSite() {
        SiteOutlook home = site("home", true, "", 2, 0, "1");
        SiteOutlook east = site("east", false, "", 1, 2, "1");
        assertThat(decide(List.of(job("1", 4, 3, "", "home", "east")), home, east))
                .containsExactly("1->east");
    }

    @Test
    void aSiteThatCannotTakeItLetsItGoAfterAWhile() {
        SiteOutlook sick = site("east", false, "its director does not come up", 0, 5, "1");
        SiteOutlook west = site("west", false, "", 0, 5, "9");
        WaitingJob fresh = job("1", 4, 1, "east", "east", "west");
        WaitingJob young = new WaitingJob(
                "1",
                fresh.sites(),
                fresh.perNode(),
                1,
                fresh.walltime(),
                0,
                NOW,
                "east",
                Placement.SETTLED.minusMillis(1),
                0,
                0,
                false);
        assertThat(decide(List.of(young), sick, west)).containsExactly("1 stays");
        assertThat(decide(List.of(fresh), sick, west)).containsExactly("1->west");
    }

    @Test
    void aJobWhoseInputDoesNotComeThroughGoesElsewhereIfItMay() {
        SiteOutlook east = site("east", false, "", 2, 5, "1");
        SiteOutlook west = site("west", false, "", 2, 5, "9");
        WaitingJob stuck = new WaitingJob(
                "1", List.of("east", "west"), cpus(1), 1, Duration.ofHours(1), 0, NOW, "east", LONG_AGO, 9, 1, true);
        assertThat(decide(List.of(stuck), east, west)).containsExactly("1->west");
        assertThat(decide(List.of(stuck), east)).containsExactly("1 stays");
    }

    @Test
    void itGoesHomeOnlyWhileNothingWasLaunchedForIt() {
        SiteOutlook home = site("home", true, "", 1, 0, "1");
        List<WaitingJob> jobs = List.of(job("1", 4, 1, "east", "home", "east"));
        assertThat(decide(jobs, home, site("east", false, "", 0, 5, "1"))).containsExactly("1->home");
        assertThat(decide(jobs, home, site("east", false, "", 1, 5, "1"))).containsExactly("1 stays");
    }

    @Test
    void whenNothingIsFreeItWaitsWhereItIsExpectedFirst() {
        SiteOutlook busy = busy("home", true, Duration.ofHours(2));
        SiteOutlook soon = busy("east", false, Duration.ofMinutes(3));
        assertThat(decide(List.of(job("1", 4, 1, "", "home", "east")), busy, soon))
                .containsExactly("1->east");
    }

    @Test
    void whatNothingCanTakeIsNotBound() {
        SiteOutlook small = site("east", false, "", 1, 5, "1");
        Placed placed = Placement.decide(List.of(job("1", 64, 1, "", "east", "west")), List.of(small), RICH, NOW)
                .getFirst();
        assertThat(placed.cause().text())
                .contains("nothing that is large enough")
                .contains("site west is not configured");
        assertThat(placed).isInstanceOf(Placed.Stay.class);
    }

    @Test
    void whatCannotBePaidIsNotRoom() {
        SiteOutlook east = site("east", false, "", 0, 5, "10");
        List<Placed> placed =
                Placement.decide(List.of(job("1", 4, 1, "", "east", "west")), List.of(east), Money.parse("1"), NOW);
        assertThat(placed.getFirst()).isInstanceOf(Placed.Stay.class);
        assertThat(placed.getFirst().cause().text()).contains("the budget has 1.00 left");
    }

    @Test
    void aRefusedOfferingIsExpectedAtItsRetry() {
        Instant retry = NOW.plusSeconds(300);
        SiteOutlook east = site("east", false, "", 0, 5, "1");
        OfferingId id = east.offerings().getFirst().id();
        SiteOutlook refused = with(east, Map.of(id, status(id, retry, 1)));
        Prospect prospect = Placement.decide(List.of(job("1", 4, 1, "", "east", "west")), List.of(refused), RICH, NOW)
                .getFirst()
                .prospect();
        assertThat(prospect.start()).isEqualTo(retry.plusSeconds(60));
        assertThat(prospect.obstacle().text()).isEqualTo("std refused for capacity in zone a");
    }

    @Test
    void inputThatIsFarDelaysTheStart() {
        SiteOutlook east = site("east", false, "", 1, 0, "1");
        WaitingJob job = new WaitingJob(
                "1", List.of("east"), cpus(1), 1, Duration.ofHours(1), 0, NOW, "east", LONG_AGO, 50_000, 20_000, false);
        Prospect prospect = Placement.decide(List.of(job), List.of(east), RICH, NOW)
                .getFirst()
                .prospect();
        assertThat(prospect.start()).isEqualTo(NOW.plusSeconds(30));
    }

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
            List<WaitingJob> unbound = jobs.stream().map(PlacementTest::unbound).toList();
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
                int most = site.nodes().stream()
                                .mapToInt(node -> node.free().cpus())
                                .sum()
                        + 8 * site.nodesLeft();
                assertThat(cpus.getOrDefault(site.name(), 0))
                        .as("seed %d: %s", seed, site.name())
                        .isLessThanOrEqualTo(most);
                if (!site.trouble().isEmpty()) {
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

    private static List<String> decide(List<WaitingJob> jobs, SiteOutlook... sites) {
        return Placement.decide(jobs, List.of(sites), RICH, NOW).stream()
                .map(placed ->
                        placed instanceof Placed.Bind bind ? bind.job() + "->" + bind.site() : placed.job() + " stays")
                .toList();
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

    @Test
    void aJobGoesWhereItsTypesAre() {
        SiteOutlook home = site("home", true, "", 1, 0, "0");
        SiteOutlook west = site("west", false, "", 0, 4, "1");
        assertThat(decide(List.of(only(List.of())), home, west)).containsExactly("1->home");
        assertThat(decide(List.of(only(List.of("west/std", "west/big"))), home, west))
                .containsExactly("1->west");
        assertThat(decide(List.of(only(List.of("west/big"))), home, west)).containsExactly("1 stays");
    }

    @Test
    void theCheapestSiteIsTheOneWithTheResultsAtHome() {
        SiteOutlook cheap = egress(site("west", false, "", 0, 4, "0.80"), "0.09");
        SiteOutlook free = site("east", false, "", 0, 4, "1.00");
        assertThat(placedIn(cheap, free, 0)).isEqualTo("west");
        // 4 of 8 CPUs for an hour: 0.40 and 0.50.
        assertThat(placedIn(cheap, free, 1_000_000_000L)).isEqualTo("west");
        assertThat(placedIn(cheap, free, 2_000_000_000L)).isEqualTo("east");
    }

    @Test
    void whatTheBudgetCannotPayIsNotBegunForItsResultsEither() {
        SiteOutlook west = egress(site("west", false, "", 0, 4, "1.00"), "1.00");
        WaitingJob job = leaving(4_000_000_000L, "west");
        Placed within = Placement.decide(List.of(job), List.of(west), Money.parse("6.00"), NOW)
                .getFirst();
        assertThat(within.prospect().now()).isTrue();
        assertThat(within.prospect().egress()).isEqualTo(Money.parse("4.00"));
        Placed over = Placement.decide(List.of(job), List.of(west), Money.parse("4.50"), NOW)
                .getFirst();
        assertThat(over.prospect().now()).isFalse();
        assertThat(over.prospect().obstacle().text()).contains("its results 4.00");
    }

    @Test
    void whatStartsAtHomeSoonerIsNotSentToACloud() {
        SiteOutlook cloud = site("east", false, "", 0, 5, "1");
        WaitingJob first = job("1", 4, 1, "", "home", "east");
        Placed waits = Placement.decide(
                        List.of(first),
                        List.of(busy("home", true, Duration.ofSeconds(50)), cloud),
                        Money.parse("100"),
                        NOW)
                .getFirst();
        assertThat(waits.prospect().site()).isEqualTo("home");
        assertThat(waits.prospect().start()).isEqualTo(NOW.plusSeconds(50));
        assertThat(waits.cause().text())
                .isEqualTo("site home is expected to have room in 50 s, site east could start it in 60 s");
        assertThat(decide(List.of(first), busy("home", true, Duration.ofSeconds(61)), cloud))
                .containsExactly("1->east");
        // The next one would wait for the first, which may run for an hour.
        assertThat(decide(
                        List.of(first, job("2", 4, 1, "", "home", "east")),
                        busy("home", true, Duration.ofSeconds(50)),
                        cloud))
                .containsExactly("1->home", "2->east");
        // And once it is bound to home it stays as long as that holds.
        WaitingJob bound = job("1", 4, 1, "home", "home", "east");
        assertThat(decide(List.of(bound), busy("home", true, Duration.ofSeconds(50)), cloud))
                .containsExactly("1 stays");
        assertThat(decide(List.of(bound), busy("home", true, Duration.ofHours(2)), cloud))
                .containsExactly("1->east");
    }

    @Test
    void whatTookTheRoomAtHomeJustNowHasItForItsWalltime() {
        SiteOutlook cloud = site("east", false, "", 0, 5, "1");
        assertThat(decide(
                        List.of(job("1", 4, 1, "", "home", "east"), job("2", 4, 1, "", "home", "east")),
                        site("home", true, "", 1, 0, "1"),
                        cloud))
                .containsExactly("1->home", "2->east");
    }

    private static String placedIn(SiteOutlook one, SiteOutlook other, long resultBytes) {
        WaitingJob job = leaving(resultBytes, one.name(), other.name());
        Placed placed = Placement.decide(List.of(job), List.of(one, other), Money.parse("100"), NOW)
                .getFirst();
        assertThat(placed.cause().text().contains("its results are expected to cost"))
                .as(placed.cause().text())
                .isEqualTo(placed.prospect().egress().isMoreThan(Money.ZERO));
        return placed.prospect().site();
    }

    private static WaitingJob leaving(long resultBytes, String... sites) {
        return new WaitingJob(
                "1",
                List.of(sites),
                cpus(4),
                1,
                Duration.ofHours(1),
                0,
                NOW,
                "",
                Duration.ZERO,
                0,
                0,
                false,
                List.of(),
                resultBytes);
    }

    private static SiteOutlook egress(SiteOutlook site, String perGigabyte) {
        return new SiteOutlook(
                site.name(),
                site.home(),
                site.trouble(),
                site.nodes(),
                site.offerings(),
                site.statuses(),
                site.nodesLeft(),
                site.directorReserve(),
                site.overhead(),
                site.directorWait(),
                site.boot(),
                site.bytesPerSecond(),
                0,
                Money.parse(perGigabyte));
    }

    private static WaitingJob only(List<String> types) {
        return new WaitingJob(
                "1",
                List.of("home", "west"),
                cpus(1),
                1,
                Duration.ofHours(1),
                0,
                NOW,
                "",
                Duration.ZERO,
                0,
                0,
                false,
                types,
                0);
    }

    private static WaitingJob unbound(WaitingJob job) {
        return bound(job, "", Duration.ZERO);
    }

    private static WaitingJob bound(WaitingJob job, String site, Duration age) {
        return new WaitingJob(
                job.id(),
                job.sites(),
                job.perNode(),
                job.nodes(),
                job.walltime(),
                job.priority(),
                job.submittedAt(),
                site,
                age,
                job.inputBytes(),
                0,
                false);
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
            OfferingId id = site.offerings().getFirst().id();
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
            java.util.Collections.rotate(names, random.nextInt(names.size()));
            List<String> some = names.subList(0, random.nextInt(1, names.size() + 1));
            jobs.add(new WaitingJob(
                    Integer.toString(i),
                    some,
                    cpus(random.nextInt(1, 10)),
                    random.nextInt(1, 4),
                    Duration.ofMinutes(random.nextInt(1, 600)),
                    random.nextInt(3),
                    NOW.minusSeconds(random.nextInt(1000)),
                    random.nextBoolean() ? "" : some.get(random.nextInt(some.size())),
                    random.nextBoolean() ? LONG_AGO : Duration.ZERO,
                    random.nextInt(100_000),
                    0,
                    false));
        }
        return jobs;
    }

    private static WaitingJob job(String id, int cpus, int nodes, String bound, String... sites) {
        return new WaitingJob(
                id, List.of(sites), cpus(cpus), nodes, Duration.ofHours(1), 0, NOW, bound, LONG_AGO, 0, 0, false);
    }

    private static SiteOutlook site(String name, boolean home, String trouble, int free, int left, String price) {
        List<SiteOutlook.NodeRoom> nodes = new ArrayList<>();
        for (int i = 0; i < free; i++) {
            nodes.add(new SiteOutlook.NodeRoom(
                    name + "-" + i, "a/std/ON_DEMAND", cpus(8), cpus(4), Money.parse(price), NOW, NOW));
        }
        Offering offering =
                new Offering(new OfferingId(name, "a", "std", Market.ON_DEMAND), cpus(8), Money.parse(price), Set.of());
        return outlook(name, home, trouble, nodes, offering, left);
    }

    private static SiteOutlook busy(String name, boolean home, Duration left) {
        SiteOutlook.NodeRoom node = new SiteOutlook.NodeRoom(
                name + "-0", "a/std/ON_DEMAND", cpus(8), cpus(0), Money.ZERO, NOW, NOW.plus(left));
        Offering offering =
                new Offering(new OfferingId(name, "a", "std", Market.ON_DEMAND), cpus(8), Money.ZERO, Set.of());
        return outlook(name, home, "", List.of(node), offering, 0);
    }

    private static SiteOutlook outlook(
            String name, boolean home, String trouble, List<SiteOutlook.NodeRoom> nodes, Offering offering, int left) {
        return new SiteOutlook(
                name,
                home,
                trouble,
                nodes,
                List.of(offering),
                Map.of(),
                left,
                Money.ZERO,
                Duration.ofMinutes(10),
                Duration.ZERO,
                Duration.ofSeconds(60),
                1000);
    }

    private static SiteOutlook with(SiteOutlook site, Map<OfferingId, OfferingStatus> statuses) {
        return new SiteOutlook(
                site.name(),
                site.home(),
                site.trouble(),
                site.nodes(),
                site.offerings(),
                statuses,
                site.nodesLeft(),
                site.directorReserve(),
                site.overhead(),
                site.directorWait(),
                site.boot(),
                site.bytesPerSecond());
    }

    private static SiteOutlook with(SiteOutlook site, int priority) {
        return new SiteOutlook(
                site.name(),
                site.home(),
                site.trouble(),
                site.nodes(),
                site.offerings(),
                site.statuses(),
                site.nodesLeft(),
                site.directorReserve(),
                site.overhead(),
                site.directorWait(),
                site.boot(),
                site.bytesPerSecond(),
                priority,
                Money.ZERO);
    }

    private static OfferingStatus status(OfferingId id, @org.jspecify.annotations.Nullable Instant retry, int budget) {
        return new OfferingStatus(
                id, retry, budget, Duration.ofSeconds(60), retry == null ? "" : "refused for capacity");
    }

    private static Resources cpus(int count) {
        return Resources.of(count, 0, 0);
    }
}
