package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** Finding C5: reserved capacity of every size was offered with a group's id, and machines beyond what is reserved were bought. */
final class AzureReservationsTest {
    private static final String SIZES = """
            zones: [a, b]
            types:
              - {name: small, cpus: 2, memoryGiB: 4, process: false, bootSeconds: 0}
              - {name: medium, cpus: 4, memoryGiB: 8, process: false, bootSeconds: 0}
            """;

    @TempDir
    private static Path directory;

    private static ArmCloud cloud;
    private static String subnet = "";
    private static int groups;

    private final List<Site> opened = new ArrayList<>();

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = new ArmCloud(directory, SIZES);
        subnet = cloud.subnet();
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @AfterEach
    void endAll() throws Exception {
        for (Site each : opened) {
            each.compute()
                    .terminate(each.compute().list().stream().map(Instance::id).toList());
            each.close();
        }
    }

    /** Of 2 small machines in zone a. */
    private static String group() throws Exception {
        String name = "g" + ++groups;
        cloud.put("Microsoft.Compute/capacityReservationGroups", name, "{}", "");
        return cloud.reserve(name, "two-small", "small", "a", 2);
    }

    private Site open(String site, String group) throws Exception {
        Map<String, String> options = new TreeMap<>(cloud.options());
        options.put("subnet", subnet);
        if (!group.isEmpty()) {
            options.put("reservation", group);
        }
        Site one = new AzureDriver()
                .open(SiteSettings.of("reserving", site, options, directory)
                        .withPrices(
                                Map.of("small/reserved", Money.parse("0.05"), "medium/reserved", Money.parse("0.05"))));
        opened.add(one);
        return one;
    }

    private static LaunchRequest of(String site, String intent, int count) {
        return LaunchRequest.of(intent, 1, new OfferingId(site, "a", "small", Market.RESERVED), count);
    }

    @Test
    void onlyWhatIsReservedIsOfferedWhereItIsReserved() throws Exception {
        assertThat(open("offers", group()).compute().offerings())
                .filteredOn(each -> each.id().market() == Market.RESERVED)
                .extracting(each -> each.id().instanceType(), each -> each.id().zone(), Offering::pricePerHour)
                .containsExactly(tuple("small", "a", Money.parse("0.05")));
        assertThat(open("without", "").compute().offerings())
                .noneMatch(each -> each.id().market() == Market.RESERVED);
    }

    @Test
    void noMoreIsBoughtThanIsReserved() throws Exception {
        Site site = open("counts", group());
        LaunchAnswer answer = site.compute().launch(of("counts", "three", 3));
        assertThat(answer.outcome()).isInstanceOfSatisfying(LaunchOutcome.Partial.class, partial -> {
            assertThat(partial.count()).isEqualTo(2);
            assertThat(partial.reason()).isEqualTo(Reason.CAPACITY);
            assertThat(partial.message()).contains("two-small (small in a)").contains("of 2 in use");
        });
        assertThat(site.compute().launch(of("counts", "one", 1)).outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        no -> assertThat(no.reason()).isEqualTo(Reason.CAPACITY));
        assertThat(site.compute().list())
                .hasSize(2)
                .allMatch(each -> each.offering().market() == Market.RESERVED);
    }

    @Test
    void theSameLaunchAgainBuysNothingMoreThoughItIsFull() throws Exception {
        Site site = open("again", group());
        LaunchRequest request = of("again", "same", 2);
        LaunchAnswer first = site.compute().launch(request);
        LaunchAnswer second = site.compute().launch(request);
        assertThat(second.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(second.instances())
                .extracting(Instance::id)
                .containsExactlyInAnyOrderElementsOf(
                        first.instances().stream().map(Instance::id).toList());
    }

    /** A place that is given back is there for the next. */
    @Test
    void whatHasEndedMakesRoom() throws Exception {
        Site site = open("ends", group());
        LaunchAnswer first = site.compute().launch(of("ends", "first", 2));
        site.compute().terminate(List.of(first.instances().getFirst().id()));
        LaunchAnswer next = site.compute().launch(of("ends", "next", 2));
        assertThat(next.instances()).hasSize(1);
    }

    @Test
    void anAlternativeIsReservedElsewhereInTheGroup() throws Exception {
        String group = group();
        cloud.reserve("g" + groups, "one-medium", "medium", "b", 1);
        Site site = open("others", group);
        OfferingId medium = new OfferingId("others", "b", "medium", Market.RESERVED);
        LaunchAnswer answer = site.compute()
                .launch(new LaunchRequest(
                        "set",
                        1,
                        new OfferingId("others", "a", "small", Market.RESERVED),
                        3,
                        "",
                        "",
                        Map.of(),
                        List.of(medium),
                        LaunchRequest.Placement.NONE));
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(3));
        assertThat(answer.instances())
                .extracting(each -> each.offering().instanceType())
                .containsExactlyInAnyOrder("small", "small", "medium");
    }

    @Test
    void onDemandStaysOutOfTheGroup() throws Exception {
        String group = group();
        Site site = open("apart", group);
        site.compute().launch(LaunchRequest.of("od", 1, new OfferingId("apart", "a", "small", Market.ON_DEMAND), 1));
        assertThat(cloud.call("GET", group + "/capacityReservations/two-small", "")
                        .body())
                .contains("\"virtualMachinesAssociated\"")
                .doesNotContain("/virtualMachines/");
    }

    @Test
    void theDoctorCountsThemAndKnowsAGroupThatIsNotThere() throws Exception {
        String group = group();
        Site site = open("told", group);
        site.compute().launch(of("told", "one", 1));
        assertThat(finding(site)).satisfies(one -> {
            assertThat(one.verdict()).isEqualTo(Diagnostics.Verdict.GOOD);
            assertThat(one.detail()).isEqualTo("two-small (small in a): 1 of 2 in use");
        });
        assertThat(finding(open("lost", group + "-gone"))).satisfies(one -> {
            assertThat(one.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN);
            assertThat(one.detail()).contains("there is no capacity reservation group");
        });
    }

    private static Diagnostics.Finding finding(Site site) {
        return site.diagnostics().check(Diagnostics.Needs.NONE).stream()
                .filter(each -> each.check().equals("reservations"))
                .findFirst()
                .orElseThrow();
    }

    /** As documented: without a reservation that matches, Azure answers with an error; and none for a spot machine. */
    @Test
    void theEmulatedAccountRefusesWhatMatchesNoReservation() throws Exception {
        String group = group();
        for (String other : List.of(
                "\"hardwareProfile\":{\"vmSize\":\"medium\"}",
                "\"priority\":\"Spot\",\"hardwareProfile\":{\"vmSize\":\"small\"}")) {
            String body = "{\"location\":\"local\",\"zones\":[\"a\"],\"properties\":{" + other
                    + ",\"osProfile\":{\"computerName\":\"x\"},\"capacityReservation\":"
                    + "{\"capacityReservationGroup\":{\"id\":\"" + group + "\"}}}}";
            assertThat(cloud.call("PUT", ArmCloud.GROUP + "/providers/Microsoft.Compute/virtualMachines/x", body)
                            .statusCode())
                    .as(other)
                    .isEqualTo(400);
        }
    }
}
