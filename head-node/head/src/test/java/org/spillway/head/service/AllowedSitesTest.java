package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobSubmission;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.head.journal.JobSpec;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;
import org.spillway.policy.builtin.QueueDepthPolicy;

final class AllowedSitesTest {
    private static final JobSpec.Need SMALL = Submissions.need(1, 0, 1);

    @TempDir
    static Path folder;

    private static HeadConfig config;
    private final Map<String, List<Offering>> offerings = new HashMap<>();
    private AllowedSites sites = new AllowedSites(config, site -> offerings.getOrDefault(site, List.of()));

    @BeforeAll
    static void read() throws Exception {
        Files.createDirectories(folder.resolve("image"));
        var file = Files.writeString(folder.resolve("spillway.yaml"), """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { tree: image }
                pinned: { projects: [health] }
                queues:
                  main: { sites: [lab, east, west], default: true }
                  east: { sites: [east] }
                  cheap: { sites: [east], markets: [on-demand, spot] }
                sites:
                  lab: { driver: local, maxNodes: 2, home: true, director: { type: small }, options: { state: c } }
                  east: { driver: local, maxNodes: 4, director: { type: small }, options: { state: c } }
                  west: { driver: local, maxNodes: 8, director: { type: small }, options: { state: c } }
                """);
        var policy = new QueueDepthPolicy();
        config = ConfigReader.read(file, Installed.withDrivers(Map.of(policy.name(), policy.defaults()), Map.of()));
    }

    @BeforeEach
    void offers() {
        sites = new AllowedSites(config, site -> offerings.getOrDefault(site, List.of()));
        offerings.put("lab", List.of(offering("lab", "box", 4, 0)));
        offerings.put("east", List.of(offering("east", "gpu.large", 8, 2)));
    }

    private static Offering offering(String site, String type, int cpus, int gpus) {
        return Offering.of(
                new OfferingId(site, "a", type, Market.ON_DEMAND),
                new Resources(cpus, 8L << 30, gpus, gpus == 0 ? "" : "h100", 0),
                Money.parse("1"));
    }

    private AllowedSites.Choice choose(String queue, JobSubmission asked, JobSpec.Need need, String pinnedPath) {
        return sites.choose(config.queues().get(queue), asked, need, pinnedPath, Submissions.NOON);
    }

    private ApiException refused(String queue, JobSubmission asked, JobSpec.Need need, String pinnedPath) {
        return catchThrowableOfType(ApiException.class, () -> choose(queue, asked, need, pinnedPath));
    }

    private static JobSubmission any() {
        return Submissions.of("", List.of(), "", 1);
    }

    @Test
    void whatNobodyRestrictsMayRunInAllSitesOfTheQueue() {
        assertThat(choose("main", any(), SMALL, ""))
                .isEqualTo(new AllowedSites.Choice(List.of("lab", "east", "west"), List.of()));
    }

    private static JobSpec.Need in(Market... wanted) {
        return new JobSpec.Need(SMALL.perNode(), 1, SMALL.walltime(), List.of(), false, null, Set.of(wanted));
    }

    /** Finding M6: said at submit, not found out by waiting. */
    @Test
    void aJobMayWantFewerMarketsThanItsQueueAllowsAndNeverMore() {
        assertThat(choose("cheap", any(), in(Market.ON_DEMAND), "").sites()).containsExactly("east");
        ApiException more = refused("east", any(), in(Market.SPOT), "");
        assertThat(more).hasMessage("queue east buys nothing spot");
        assertThat(more.hint()).isEqualTo("markets of queue east: on-demand, reserved");
        ApiException unsold = refused("cheap", any(), in(Market.SPOT), "");
        assertThat(unsold).hasMessage("what is large enough for this job in queue cheap is not sold spot");
        assertThat(unsold.code()).isEqualTo(Code.NO_OFFERING);
    }

    @Test
    void aSiteThatSellsOnlySpotIsNoneForAQueueWithout() {
        OfferingId spot = new OfferingId("east", "a", "gpu.large", Market.SPOT);
        offerings.put("east", List.of(Offering.of(spot, new Resources(8, 8L << 30, 2, "h100", 0), Money.parse("1"))));
        assertThat(choose("cheap", any(), SMALL, "").sites()).containsExactly("east");
        ApiException none = refused("east", any(), SMALL, "");
        assertThat(none.hint()).isEqualTo("the administrator says what the queue may buy: queues.east.markets");
        assertThat(choose("main", any(), SMALL, "").notes())
                .containsExactly("it will not run in site east, which sells what is large enough in other markets than"
                        + " on-demand, reserved only");
    }

    @Test
    void constraintAndSiteRestrict() {
        assertThat(choose("main", Submissions.of("", List.of(), "home", 1), SMALL, "")
                        .sites())
                .containsExactly("lab");
        assertThat(choose("main", Submissions.of("", List.of("west", "lab"), "cloud", 1), SMALL, "")
                        .sites())
                .containsExactly("west");
        var none = refused("east", Submissions.of("", List.of(), "home", 1), SMALL, "");
        assertThat(none).hasMessage("constraint home leaves no site of queue east");
        assertThat(none.hint()).isEqualTo("its sites: east");
    }

    @Test
    void anUnknownSiteAndOneOfAnotherQueueAreTold() {
        assertThat(refused("main", Submissions.of("", List.of("moon"), "", 1), SMALL, ""))
                .hasMessage("there is no site 'moon'");
        var other = refused("east", Submissions.of("", List.of("west"), "", 1), SMALL, "");
        assertThat(other).hasMessage("queue east does not use site 'west'");
        assertThat(other.hint()).isEqualTo("sites of queue east: east");
    }

    @Test
    void aPinnedProjectOrPathStaysHome() {
        var project = choose("main", Submissions.of("health", List.of(), "", 1), SMALL, "");
        assertThat(project.sites()).containsExactly("lab");
        assertThat(project.notes())
                .containsExactly("project health may not leave home (pinned.projects): it runs at home only");
        assertThat(choose("main", any(), SMALL, "/secret/a.csv").notes())
                .containsExactly("/secret/a.csv may not leave home (pinned.paths): it runs at home only");
        var nowhere = refused("east", any(), SMALL, "/secret/a.csv");
        assertThat(nowhere.code()).isEqualTo(Code.BAD_REQUEST);
        assertThat(nowhere).hasMessageContaining("none of the sites where this job may run is at home: east");
    }

    @Test
    void aGangGoesWhereThatManyNodesMayBe() {
        var five = choose("main", Submissions.of("", List.of(), "", 5), Submissions.need(1, 0, 5), "");
        assertThat(five.sites()).containsExactly("west");
        assertThat(five.notes())
                .containsExactly(
                        "it will not run in site lab, which may not have that many nodes",
                        "it will not run in site east, which may not have that many nodes");
        var nine = refused("main", Submissions.of("", List.of(), "", 9), Submissions.need(1, 0, 9), "");
        assertThat(nine.code()).isEqualTo(Code.LIMIT_EXCEEDED);
        assertThat(nine).hasMessage("9 nodes are more than any of its sites may have (maxNodes)");
        assertThat(nine.hint()).isEqualTo("lab may have 2, east may have 4, west may have 8");
    }

    @Test
    void whatFitsNowhereIsToldTheLargest() {
        assertThat(choose("main", any(), Submissions.need(1, 2, 1), "").sites())
                .as("what west offers is not known yet")
                .containsExactly("east", "west");
        offerings.put("west", List.of(offering("west", "gpu.small", 4, 1)));
        var three = refused("main", any(), Submissions.need(1, 3, 1), "");
        assertThat(three.code()).isEqualTo(Code.NO_OFFERING);
        assertThat(three.hint())
                .isEqualTo("no offering of sites lab, east, west has 3 GPUs: the largest is gpu.large with 2");
    }
}
