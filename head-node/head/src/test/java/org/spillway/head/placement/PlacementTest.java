package org.spillway.head.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.head.placement.PlacementScene.LONG_AGO;
import static org.spillway.head.placement.PlacementScene.NOW;
import static org.spillway.head.placement.PlacementScene.RICH;
import static org.spillway.head.placement.PlacementScene.bound;
import static org.spillway.head.placement.PlacementScene.busy;
import static org.spillway.head.placement.PlacementScene.cpus;
import static org.spillway.head.placement.PlacementScene.decide;
import static org.spillway.head.placement.PlacementScene.egress;
import static org.spillway.head.placement.PlacementScene.job;
import static org.spillway.head.placement.PlacementScene.leaving;
import static org.spillway.head.placement.PlacementScene.only;
import static org.spillway.head.placement.PlacementScene.sellingOnly;
import static org.spillway.head.placement.PlacementScene.site;
import static org.spillway.head.placement.PlacementScene.staging;
import static org.spillway.head.placement.PlacementScene.status;
import static org.spillway.head.placement.PlacementScene.with;
import static org.spillway.head.placement.PlacementScene.withPriority;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.PlaceCause;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** Rules by example. */
final class PlacementTest {
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
        WaitingJob urgent = withPriority(job("9", 4, 1, "", "home", "east"), 5);
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
        WaitingJob young = bound(fresh, "east", Placement.SETTLED.minusMillis(1));
        assertThat(decide(List.of(young), sick, west)).containsExactly("1 stays");
        assertThat(decide(List.of(fresh), sick, west)).containsExactly("1->west");
    }

    @Test
    void aJobWhoseInputDoesNotComeThroughGoesElsewhereIfItMay() {
        SiteOutlook east = site("east", false, "", 2, 5, "1");
        SiteOutlook west = site("west", false, "", 2, 5, "9");
        WaitingJob stuck = staging("1", 9, new WaitingJob.Binding("east", LONG_AGO, 1, true), "east", "west");
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
        assertThat(placed.cause())
                .isEqualTo(new PlaceCause.NoSite(
                        List.of(new PlaceCause.TooSmall("east", List.of()), new PlaceCause.SiteUnknown("west"))));
        assertThat(placed).isInstanceOf(Placed.Stay.class);
    }

    /** Finding M6. */
    @Test
    void spotIsNeitherRoomNorBoughtForAJobThatMayNotUseIt() {
        OfferingId spot = new OfferingId("east", "a", "std", Market.SPOT);
        SiteOutlook east = sellingOnly(Offering.of(spot, cpus(8), Money.parse("1")));
        Placed placed = Placement.decide(List.of(job("1", 4, 1, "", "east")), List.of(east), RICH, NOW)
                .getFirst();
        assertThat(placed.prospect().now()).isFalse();
        assertThat(placed.prospect().obstacle())
                .isEqualTo(new PlaceCause.OtherMarkets("east", List.of("on-demand", "reserved")));
    }

    @Test
    void whatCannotBePaidIsNotRoom() {
        SiteOutlook east = site("east", false, "", 0, 5, "10");
        List<Placed> placed =
                Placement.decide(List.of(job("1", 4, 1, "", "east", "west")), List.of(east), Money.parse("1"), NOW);
        assertThat(placed.getFirst()).isInstanceOf(Placed.Stay.class);
        assertThat(placed.getFirst().cause().all())
                .anyMatch(cause -> cause instanceof PlaceCause.BudgetForType budget
                        && budget.left().equals(Money.parse("1"))
                        && budget.site().equals("east"));
    }

    @Test
    void aRefusedOfferingIsExpectedAtItsRetry() {
        Instant retry = NOW.plusSeconds(300);
        SiteOutlook east = site("east", false, "", 0, 5, "1");
        OfferingId id = east.supply().offerings().getFirst().id();
        SiteOutlook refused = with(east, Map.of(id, status(id, retry, 1)));
        Prospect prospect = Placement.decide(List.of(job("1", 4, 1, "", "east", "west")), List.of(refused), RICH, NOW)
                .getFirst()
                .prospect();
        assertThat(prospect.start()).isEqualTo(retry.plusSeconds(60));
        assertThat(prospect.obstacle()).isEqualTo(new PlaceCause.OfferingRefused("std", "a", "refused for capacity"));
    }

    @Test
    void inputThatIsFarDelaysTheStart() {
        SiteOutlook east = site("east", false, "", 1, 0, "1");
        WaitingJob job = staging("1", 50_000, new WaitingJob.Binding("east", LONG_AGO, 20_000, false), "east");
        Prospect prospect = Placement.decide(List.of(job), List.of(east), RICH, NOW)
                .getFirst()
                .prospect();
        assertThat(prospect.start()).isEqualTo(NOW.plusSeconds(30));
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
        assertThat(over.prospect().obstacle())
                .isInstanceOfSatisfying(
                        PlaceCause.BudgetForType.class,
                        budget -> assertThat(budget.results()).isEqualTo(Money.parse("4.00")));
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
        assertThat(waits.cause()).isEqualTo(new PlaceCause.SoonerAtHome("home", 50, "east", 60));
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
        assertThat(placed.cause())
                .isInstanceOfSatisfying(
                        PlaceCause.SiteChosen.class,
                        chosen -> assertThat(chosen.results())
                                .isEqualTo(placed.prospect().egress()));
        return placed.prospect().site();
    }
}
