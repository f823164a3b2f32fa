package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
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

/** Questions that the contract does not ask because only Azure is so. */
final class AzureSiteTest {
    private static final AtomicInteger INTENTS = new AtomicInteger();
    private static final Diagnostics.Needs SMALL = new Diagnostics.Needs(Set.of("small"), "");

    @TempDir
    private static Path directory;

    private static ArmCloud cloud;
    private Site site;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = new ArmCloud(directory, """
                zones: [a, b]
                types:
                  - {name: small, cpus: 2, memoryGiB: 4, bootSeconds: 0.05, pricePerHour: 0.4, spotPricePerHour: 0.1}
                  - {name: gpu, cpus: 8, memoryGiB: 64, gpus: 2, gpuModel: h200, process: false, bootSeconds: 0}
                """);
        try (Site base = cloud.open("c", "s", cloud.options())) {
            base.network().orElseThrow().create();
        }
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @BeforeEach
    void openSite() throws Exception {
        site = cloud.open("c", "s", cloud.options());
    }

    @AfterEach
    void endAll() throws Exception {
        cloud.process().clearFaults();
        site.compute()
                .terminate(site.compute().list().stream().map(Instance::id).toList());
        site.close();
    }

    private static Site with(Map<String, String> more) throws Exception {
        Map<String, String> options = cloud.options();
        options.putAll(more);
        return cloud.open("c", "s", options);
    }

    private static AzureSettings settings(Map<String, String> options) {
        return AzureSettings.from(SiteSettings.of("c", "s", options, directory));
    }

    private static LaunchRequest request(String type, int count, Map<String, String> tags, String group) {
        return new LaunchRequest(
                "intent-" + INTENTS.incrementAndGet(),
                1,
                new OfferingId("s", "b", type, Market.ON_DEMAND),
                count,
                "",
                "",
                tags,
                List.of(),
                new LaunchRequest.Placement(group, ""));
    }

    private static List<String> requests(String words) throws Exception {
        return Files.readAllLines(cloud.process().state().resolve("requests.log")).stream()
                .filter(line -> line.matches(".*" + words + ".*"))
                .toList();
    }

    private List<Billable> bill(String kind) throws CloudException {
        return site.inventory().orElseThrow().all().stream()
                .filter(thing -> thing.kind().equals(kind))
                .toList();
    }

    @Test
    void aLaunchIsOnePutForEachMachine() throws Exception {
        LaunchRequest request = request("gpu", 3, Map.of(), "");
        assertThat(site.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(3));
        assertThat(requests(" PUT .*/virtualMachines/[^ ]*" + request.intent() + "-1-[012] 201 "))
                .hasSize(3);
        assertThat(requests(" PUT .*" + request.intent())).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1"})
    void wantOfCapacityComesAtOnceOrLate(int late, int deletions) throws Exception {
        cloud.process().fault(Map.of("kind", "refuse", "reason", "CAPACITY", "instances", late));
        LaunchRequest request = request("gpu", 1, Map.of(), "");
        assertThat(site.compute().launch(request).outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.CAPACITY));
        assertThat(requests(" DELETE .*" + request.intent() + "-1-0 202 ")).hasSize(deletions);
        assertThat(cloud.call("GET", ArmCloud.GROUP + "/resources", "").body()).doesNotContain(request.intent());
    }

    @Test
    void onlyADirectorHasAPublicAddressAndAllGoesWithIt() throws Exception {
        LaunchRequest node = request("small", 1, Map.of(Instance.TAG_ROLE, "NODE"), "");
        LaunchRequest director = request("small", 1, Map.of(Instance.TAG_ROLE, "DIRECTOR"), "");
        site.compute().launch(node);
        String id = site.compute().launch(director).instances().getFirst().id();
        Names names = Names.of(SiteSettings.of("c", "s", Map.of(), directory));
        assertThat(bill("address"))
                .filteredOn(thing -> thing.tags().containsKey(Instance.TAG_INTENT))
                .singleElement()
                .satisfies(address -> {
                    assertThat(address.instance()).isEqualTo(id);
                    assertThat(address.tags()).containsAllEntriesOf(names.tags(director));
                    assertThat(address.pricePerHour()).isEqualTo(Money.parse("0.005"));
                });
        for (String kind : List.of("disk", "interface")) {
            assertThat(bill(kind)).as(kind).hasSize(2).anySatisfy(part -> {
                assertThat(part.instance()).isEqualTo(id);
                assertThat(part.tags()).containsAllEntriesOf(names.tags(director));
            });
        }
        site.compute().terminate(List.of(id, names.machine(node, 0)));
        LocalCloudProcess.await(() -> bill("disk").size() + bill("interface").size(), left -> left == 0);
        assertThat(bill("address")).noneMatch(thing -> thing.tags().containsKey(Instance.TAG_INTENT));
    }

    @Test
    void aFabricGroupGoesWithTheLastOfItsMachines() throws Exception {
        LaunchRequest request = request("gpu", 2, Map.of(), "gang-1");
        List<Instance> machines = site.compute().launch(request).instances();
        assertThat(bill("placement-group"))
                .singleElement()
                .satisfies(group -> assertThat(group.id())
                        .endsWith("proximityPlacementGroups/"
                                + Names.of(SiteSettings.of("c", "s", Map.of(), directory))
                                        .fabricGroup("gang-1")));
        site.compute().terminate(List.of(machines.getFirst().id()));
        assertThat(bill("placement-group")).hasSize(1);
        site.compute().terminate(List.of(machines.getLast().id()));
        assertThat(bill("placement-group")).isEmpty();
    }

    @Test
    void whatIsGivenBackCostsNothing() throws Exception {
        Instance machine = site.compute()
                .launch(request("small", 1, Map.of(), ""))
                .instances()
                .getFirst();
        assertThat(bill("instance"))
                .singleElement()
                .satisfies(thing -> assertThat(thing.pricePerHour()).isEqualTo(Money.parse("0.4")));
        site.power().orElseThrow().stop(List.of(machine.id()));
        LocalCloudProcess.await(() -> bill("instance").getFirst().pricePerHour(), Money.ZERO::equals);
    }

    @Test
    void offeringsAreSizesByZoneAndMarket() throws Exception {
        List<Offering> offerings = site.compute().offerings();
        assertThat(offerings).hasSize(2 * 2 * 2).anySatisfy(offering -> {
            assertThat(offering.id()).isEqualTo(new OfferingId("s", "b", "gpu", Market.ON_DEMAND));
            assertThat(offering.resources().gpuModel()).isEqualTo("h200");
            assertThat(offering.gpuMemoryBytes()).isEqualTo(141L << 30);
        });
        assertThat(offerings)
                .filteredOn(offering -> offering.id().instanceType().equals("small"))
                .extracting(Offering::pricePerHour)
                .containsOnly(Money.parse("0.4"), Money.parse("0.1"));
        try (Site narrow = with(Map.of("types", "g*", "zones", "b"))) {
            assertThat(narrow.compute().offerings())
                    .extracting(offering -> offering.id().zone() + offering.id().instanceType())
                    .containsOnly("bgpu");
        }
    }

    @Test
    void pricesOutliveTheirSourceForAWhileAndTheSitesOwnStandAbove() throws Exception {
        assertThat(site.compute().offerings()).isNotEmpty();
        String nowhere = "https://127.0.0.1:1/api";
        Map<String, String> options = new HashMap<>(cloud.options());
        Path source = directory.resolve(RetailPrices.fileName(settings(options)));
        options.put("pricesEndpoint", nowhere);
        Files.copy(source, directory.resolve(RetailPrices.fileName(settings(options))));
        try (Site kept = with(Map.of("pricesEndpoint", nowhere))) {
            assertThat(kept.compute().offerings()).hasSize(8);
        }
        Path empty = Files.createTempDirectory(directory, "empty");
        Map<String, Money> own = Map.of("small", Money.parse("9"), "small/reserved", Money.parse("3"));
        try (Site alone =
                new AzureDriver().open(SiteSettings.of("c", "s", options, empty).withPrices(own))) {
            assertThatThrownBy(() -> alone.compute().offerings()).isInstanceOf(CloudException.class);
        }
        options.put("pricesEndpoint", "none");
        cloud.put("Microsoft.Compute/capacityReservationGroups", "r", "{}", "");
        options.put("reservation", cloud.reserve("r", "two", "small", "a", 2));
        try (Site alone =
                new AzureDriver().open(SiteSettings.of("c", "s", options, empty).withPrices(own))) {
            assertThat(alone.compute().offerings())
                    .extracting(offering ->
                            offering.id().instanceType() + " " + offering.id().market() + " " + offering.pricePerHour())
                    .containsOnly("small ON_DEMAND 9.00", "small RESERVED 3.00");
        }
    }

    @Test
    void pricesAreAskedForInTheBudgetsCurrencyAndInNoOther() throws Exception {
        Path empty = Files.createTempDirectory(directory, "euro");
        try (Site euro = new AzureDriver()
                .open(SiteSettings.of("c", "s", cloud.options(), empty).withCurrency("EUR"))) {
            assertThat(euro.compute().offerings()).isNotEmpty();
        }
        try (Stream<Path> kept = Files.list(empty)) {
            assertThat(kept).anyMatch(file -> file.toString().contains("-EUR-"));
        }
        Map<String, String> dollars = new HashMap<>(cloud.options());
        dollars.put("currency", "USD");
        assertThatThrownBy(() -> new AzureDriver()
                        .open(SiteSettings.of("c", "s", dollars, empty).withCurrency("EUR")))
                .isInstanceOf(SiteSettings.Invalid.class)
                .hasMessageContaining("the budget is in EUR")
                .hasMessageContaining("set 'currency: USD'");
        try (Site none = new AzureDriver()
                .open(SiteSettings.of("c", "s", cloud.options(), empty).withCurrency("XTS"))) {
            assertThatThrownBy(() -> none.compute().offerings())
                    .isInstanceOf(CloudException.class)
                    .hasMessageContaining("asked for in XTS, told in USD");
        }
    }

    @Test
    void aNetworkIsPricedAndIsNotMadeBesideAGivenOne() throws Exception {
        assertThat(site.network().orElseThrow().create())
                .extracting(thing -> thing.kind() + " " + thing.pricePerHour())
                .containsExactlyInAnyOrder("address 0.005", "gateway 0.045", "group 0.00", "network 0.00");
        try (Site given = with(Map.of("subnet", "/subscriptions/x/virtualNetworks/v/subnets/n"))) {
            assertThatThrownBy(() -> given.network().orElseThrow().create())
                    .isInstanceOf(CloudException.class)
                    .hasMessageContaining("subnet");
        }
    }

    @Test
    void aResourceGroupOfOurMakingGoesWithTheNetwork() throws Exception {
        Map<String, String> options = cloud.options();
        options.put("resourceGroup", "fresh");
        options.put("adminCidr", "192.0.2.7/32");
        try (Site fresh = cloud.open("c", "fresh", options)) {
            assertThat(verdict(fresh, "resource group")).isEqualTo(Diagnostics.Verdict.BROKEN);
            assertThat(fresh.network().orElseThrow().create())
                    .extracting(Billable::kind)
                    .contains("resource-group");
            assertThat(verdict(fresh, "egress")).isEqualTo(Diagnostics.Verdict.GOOD);
            assertThat(cloud.call(
                                    "GET",
                                    ArmCloud.GROUP.replace("spillway", "fresh")
                                            + "/providers/Microsoft.Network/networkSecurityGroups",
                                    "")
                            .body())
                    .contains("192.0.2.7/32");
            fresh.network().orElseThrow().delete();
            assertThat(fresh.inventory().isPresent()).isTrue();
            assertThat(verdict(fresh, "resource group")).isEqualTo(Diagnostics.Verdict.BROKEN);
            fresh.network().orElseThrow().delete();
        }
    }

    private static Diagnostics.Verdict verdict(Site at, String check) {
        return at.diagnostics().check(SMALL).stream()
                .filter(finding -> finding.check().equals(check))
                .findFirst()
                .orElseThrow()
                .verdict();
    }

    @Test
    void aGoodSiteHasNothingToRepair() {
        assertThat(site.diagnostics().check(SMALL))
                .allSatisfy(finding ->
                        assertThat(finding.verdict()).as(finding.toString()).isEqualTo(Diagnostics.Verdict.GOOD))
                .extracting(Diagnostics.Finding::check)
                .contains("credentials,clock,permissions,quota standardLocalFamily,quota lowPriorityCores,image,subnet"
                        .split(","))
                .contains("egress", "prices", "provider Microsoft.Compute", "locks", "dry run");
    }

    @ParameterizedTest
    @CsvSource({
        "location, mars, location",
        "image, Nobody:none:none:latest, image",
        "image, /subscriptions/x/resourceGroups/y/providers/Microsoft.Compute/images/z, image",
        "resourceGroup, missing, resource group",
        "subnet, /subscriptions/7e4a7000-0000-4000-8000-000000000000/resourceGroups/spillway/providers/Microsoft.Network/virtualNetworks/none/subnets/none, subnet",
        "subscription, 00000000-0000-0000-0000-000000000000, subscription",
        "clientId, 00000000-0000-0000-0000-000000000000, credentials",
        "types, none, prices",
    })
    void aMistakeIsFoundWhereItIs(String key, String value, String check) throws Exception {
        try (Site wrong = with(Map.of(key, value))) {
            assertThat(wrong.diagnostics().check(SMALL))
                    .filteredOn(finding -> finding.check().equals(check))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN);
                        assertThat(finding.detail()).isNotEmpty();
                        assertThat(finding.repair()).isNotEmpty();
                    });
        }
    }

    @Test
    void aTypeThatIsNotSoldIsFound() {
        assertThat(site.diagnostics().check(new Diagnostics.Needs(Set.of("huge"), "")))
                .filteredOn(finding -> finding.check().equals("type huge"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN));
    }

    @Test
    void aWrongOrOpenSecretIsRefusedBeforeAnythingIsSent() throws Exception {
        Path secret = directory.resolve("wrong-secret");
        for (String mode : List.of("rw-------", "rw-r--r--")) {
            Files.writeString(secret, "hunter2hunter2");
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString(mode));
            try (Site wrong = with(Map.of("clientSecretFile", secret.toString()))) {
                assertThat(wrong.compute()
                                .launch(request("gpu", 1, Map.of(), ""))
                                .outcome())
                        .isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
                            assertThat(refused.reason()).isEqualTo(Reason.CREDENTIALS);
                            assertThat(refused.message()).doesNotContain("hunter2");
                        });
                assertThatThrownBy(() -> wrong.compute().list())
                        .isInstanceOfSatisfying(
                                CloudException.class,
                                failed -> assertThat(failed.reason()).isEqualTo(Reason.CREDENTIALS));
            }
        }
    }

    @Test
    void aMachineOfAnotherIsLeftAlone() throws Exception {
        String machine = "somebodys";
        cloud.call(
                "PUT",
                ArmCloud.GROUP + "/providers/Microsoft.Compute/virtualMachines/" + machine,
                "{\"location\":\"local\",\"properties\":{\"hardwareProfile\":{\"vmSize\":\"gpu\"},"
                        + "\"osProfile\":{\"computerName\":\"somebodys\"}}}");
        site.compute().terminate(List.of(machine));
        site.power().orElseThrow().stop(List.of(machine));
        assertThatThrownBy(() -> site.console().orElseThrow().output(machine)).isInstanceOf(CloudException.class);
        assertThat(requests(" (DELETE|POST) .*/" + machine)).isEmpty();
        assertThat(site.compute().list()).isEmpty();
    }

    @Test
    void tokensGoHomeOnly() throws Exception {
        AzureSettings settings = settings(cloud.options());
        String other = cloud.endpoint().replace("127.0.0.1", "localhost") + "/subscriptions/x?api-version=1";
        try (Arm arm = new Arm(settings, java.time.InstantSource.system())) {
            assertThat(arm.raw(HttpMethod.GET, other)).isInstanceOf(Answer.Unclear.class);
        }
        assertThat(requests(" GET /subscriptions/x ")).isEmpty();
    }

    @Test
    void nothingOfTheSdkIsLoadedBeforeASiteIsOpened() throws Exception {
        Process finding = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Loading.class.getName())
                .redirectErrorStream(true)
                .start();
        String loaded = new String(finding.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(finding.waitFor()).isZero();
        assertThat(loaded).contains("org.spillway.cloud.azure.AzureDriver").doesNotContain("com.azure.");
    }

    /** Finds the drivers, as the head does. */
    static final class Loading {
        public static void main(String[] args) {
            ServiceLoader.load(org.spillway.cloud.CloudDriver.class)
                    .forEach(driver -> System.out.println(driver.name()));
        }
    }

    /** Nothing was sent: the launch is a refusal that passes, and a listing tells nobody that a machine is gone. */
    @Test
    void aNameThatIsNotFoundBuysNothingAndIsSaid() throws Exception {
        Map<String, String> options = cloud.options();
        options.put("endpoint", "https://no-such-name.invalid");
        try (Site gone = cloud.open("c", "gone", options)) {
            var small = new OfferingId("gone", "a", "small", Market.ON_DEMAND);
            var request = LaunchRequest.of("gone-1", 1, small, 1);
            assertThat(gone.compute().launch(request).outcome())
                    .isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
                        assertThat(refused.reason()).isEqualTo(Reason.THROTTLED);
                        assertThat(refused.message()).contains("no-such-name.invalid");
                    });
            assertThatThrownBy(() -> gone.compute().list())
                    .isInstanceOf(CloudException.class)
                    .hasMessageContaining("no-such-name.invalid");
        }
    }
}
