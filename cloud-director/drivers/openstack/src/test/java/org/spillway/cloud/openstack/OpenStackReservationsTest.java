package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** Blazar's reservations, named by a site or by a launch, on the wire. */
final class OpenStackReservationsTest {
    private static final AtomicInteger INTENTS = new AtomicInteger();
    private static final Map<String, Money> PRICES =
            Map.of("paper", Money.parse("0.01"), "paper/reserved", Money.ZERO, "reservation/reserved", Money.ZERO);
    private static final String GONE = "00000000-0000-4000-8000-000000000000";

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;
    private static String hosts;
    private static String instances;
    private static String pending;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, """
                zones: [a]
                types:
                  - {name: paper, cpus: 1, memoryGiB: 1, process: false, capacity: 1000, bootSeconds: 0}
                  - {name: large, cpus: 8, memoryGiB: 32, process: false, capacity: 1000, bootSeconds: 0}
                """, "nova");
        try (OpenStackCalls person = OpenStackCalls.to(cloud)) {
            hosts = person.reserve("'resource_type': 'physical:host', 'min': 1, 'max': 2");
            instances = person.reserve("'resource_type': 'virtual:instance', 'vcpus': 8, 'memory_mb': 32768,"
                    + " 'disk_gb': 20, 'amount': 3, 'affinity': null");
            pending = person.reserve("'resource_type': 'physical:host', 'min': 1, 'max': 1, 'status': 'pending'");
        }
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @AfterEach
    void clear() throws Exception {
        try (Site site = open("")) {
            site.compute()
                    .terminate(site.compute().list().stream().map(Instance::id).toList());
        }
    }

    private static Site open(String reservations) throws Exception {
        Map<String, String> options = OpenStackCalls.options(cloud);
        if (!reservations.isEmpty()) {
            options.put("reservations", reservations);
        }
        return new OpenStackDriver()
                .open(SiteSettings.of("test", "here", options, directory).withPrices(PRICES));
    }

    private static LaunchRequest request(String type, Market market, int count) {
        return LaunchRequest.of(
                "reserved-" + INTENTS.incrementAndGet(), 1, new OfferingId("here", "a", type, market), count);
    }

    private static JsonNode seen(String id) throws Exception {
        try (OpenStackCalls person = OpenStackCalls.to(cloud)) {
            return person.call("GET", "compute", "/servers/" + id, "").path("server");
        }
    }

    private static Finding doctor(Site site) {
        return site.diagnostics().check(new Diagnostics.Needs(Set.of("paper"), "")).stream()
                .filter(finding -> finding.check().equals("reservations"))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> offered(Site site, Market market) throws Exception {
        return site.compute().offerings().stream()
                .map(Offering::id)
                .filter(id -> id.market() == market)
                .map(OfferingId::instanceType)
                .toList();
    }

    @Test
    void onlyWhatTheSiteNamesIsOfferedAsReserved() throws Exception {
        try (Site site = open("")) {
            assertThat(offered(site, Market.RESERVED)).isEmpty();
            assertThat(offered(site, Market.ON_DEMAND))
                    .as("a reservation's flavor")
                    .containsExactly("paper");
            LaunchAnswer answer = site.compute().launch(request("paper", Market.RESERVED, 1));
            assertThat(answer.outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            refused -> assertThat(refused.message()).contains("option reservations"));
        }
        try (Site site = open(instances + "," + hosts)) {
            assertThat(offered(site, Market.RESERVED))
                    .as("what has a price")
                    .containsExactlyInAnyOrder("paper", "reservation:" + instances);
            assertThat(offered(site, Market.ON_DEMAND)).containsExactly("paper");
            assertThat(doctor(site).verdict()).isEqualTo(Verdict.GOOD);
            assertThat(doctor(site).detail()).contains(instances + ": 3 instances until 2036", hosts + ": hosts");
        }
    }

    @Test
    void instancesGoInByTheirFlavorAndNoMoreThanThereAre() throws Exception {
        String flavor = "reservation:" + instances;
        try (Site site = open(instances)) {
            LaunchAnswer answer = site.compute().launch(request(flavor, Market.RESERVED, 2));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
            JsonNode server = seen(answer.instances().getFirst().id());
            assertThat(server.at("/flavor/original_name").asText()).isEqualTo(flavor);
            assertThat(server.at("/metadata/spillway-reservation").asText()).isEqualTo(instances);
            assertThat(site.compute().list())
                    .extracting(Instance::offering)
                    .containsOnly(new OfferingId("here", "a", flavor, Market.RESERVED));
            LaunchAnswer more = site.compute().launch(request(flavor, Market.RESERVED, 2));
            assertThat(more.outcome()).isInstanceOfSatisfying(LaunchOutcome.Partial.class, partial -> {
                assertThat(partial.count()).isEqualTo(1);
                assertThat(partial.reason()).isEqualTo(Reason.CAPACITY);
            });
            assertThat(site.compute().list()).hasSize(3);
        }
    }

    @Test
    void hostsAreEnteredByAHintAndInTheOrderOfTheOption() throws Exception {
        try (Site site = open(pending + "," + hosts)) {
            LaunchAnswer answer = site.compute().launch(request("paper", Market.RESERVED, 2));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
            assertThat(seen(answer.instances().getFirst().id())
                            .at("/metadata/spillway-reservation")
                            .asText())
                    .isEqualTo(hosts);
            assertThat(doctor(site).verdict()).isEqualTo(Verdict.WARNING);
            assertThat(doctor(site).detail()).isEqualTo(pending + " is pending");
        }
        try (Site site = open(GONE)) {
            assertThat(doctor(site).detail()).contains(GONE + " is none of this project's");
            assertThat(site.compute()
                            .launch(request("paper", Market.RESERVED, 1))
                            .outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(Reason.CAPACITY));
        }
    }

    @Test
    void onDemandStaysOutside() throws Exception {
        try (Site site = open(hosts)) {
            LaunchAnswer answer = site.compute().launch(request("paper", Market.ON_DEMAND, 1));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
            assertThat(seen(answer.instances().getFirst().id()).path("metadata").has("spillway-reservation"))
                    .isFalse();
            assertThat(site.compute().list())
                    .extracting(each -> each.offering().market())
                    .containsExactly(Market.ON_DEMAND);
        }
    }

    @Test
    void anIdThatIsNoneIsRefusedAtOnce() {
        assertThatThrownBy(() -> open("lease-1"))
                .isInstanceOf(SiteSettings.Invalid.class)
                .hasMessageContaining("found 'lease-1'; allowed: ids of reservations");
        assertThatThrownBy(() -> open(hosts + "," + hosts)).isInstanceOf(SiteSettings.Invalid.class);
    }
}
