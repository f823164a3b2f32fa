package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;
import software.amazon.awssdk.services.ec2.model.InstanceNetworkInterfaceSpecification;
import software.amazon.awssdk.services.ec2.model.InstanceTypeInfo;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;
import software.amazon.awssdk.services.ec2.model.ShutdownBehavior;

/** Between EC2's words and ours, without a call. */
final class AwsMappingTest {
    private static final long GIB = 1L << 30;

    private static InstanceTypeInfo.Builder type(String name, String architecture, int cpus, long memoryMib) {
        return InstanceTypeInfo.builder()
                .instanceType(name)
                .supportedUsageClassesWithStrings("on-demand", "spot")
                .processorInfo(info -> info.supportedArchitecturesWithStrings(architecture))
                .vCpuInfo(info -> info.defaultVCpus(cpus))
                .memoryInfo(info -> info.sizeInMiB(memoryMib));
    }

    @Test
    void aTypeWithGpusFabricAndDisks() {
        AwsType p5 = AwsType.of(type("p5.48xlarge", "x86_64", 192, 2_097_152)
                .supportedUsageClassesWithStrings("on-demand", "spot", "capacity-block")
                .instanceStorageInfo(info -> info.totalSizeInGB(30_400L))
                .networkInfo(info -> info.efaSupported(true).efaInfo(efa -> efa.maximumEfaInterfaces(32)))
                .gpuInfo(info -> info.gpus(gpu -> gpu.name("H100")
                        .manufacturer("NVIDIA")
                        .count(8)
                        .memoryInfo(memory -> memory.sizeInMiB(81_920))))
                .build());
        assertThat(p5.resources(50, true)).isEqualTo(new Resources(192, 2048 * GIB, 8, "h100", 30_400_000_000_000L));
        assertThat(p5.gpuMemoryBytes()).isEqualTo(80 * GIB);
        assertThat(p5.features()).containsExactlyInAnyOrder("arch:x86_64", "fabric:efa", "nvme");
        assertThat(p5.efaInterfaces()).isEqualTo(32);
        assertThat(p5.onDemand()).isTrue();
        assertThat(p5.spot()).isTrue();
    }

    @Test
    void aPlainTypeHasItsRootDiskAsScratch() {
        AwsType plain = AwsType.of(type("c7g.large", "arm64", 2, 4096)
                .supportedUsageClassesWithStrings("on-demand")
                .build());
        assertThat(plain.resources(50, true)).isEqualTo(new Resources(2, 4 * GIB, 0, "", 50 * GIB));
        assertThat(plain.features()).containsExactly("arch:arm64");
        assertThat(plain.spot()).isFalse();
        assertThat(plain.efaInterfaces()).isZero();
    }

    @Test
    void aShareOfAGpuIsMarked() {
        AwsType share = AwsType.of(type("g6f.large", "x86_64", 2, 8192)
                .gpuInfo(info -> info.gpus(gpu ->
                        gpu.name("L4").count(1).gpuPartitionSize(0.125).memoryInfo(memory -> memory.sizeInMiB(2861))))
                .build());
        assertThat(share.features()).contains("gpu-fraction");
        assertThat(share.gpuModel()).isEqualTo("l4");
    }

    @Test
    void aTypeWithoutMemoryIsAnUnreadableAnswer() {
        InstanceTypeInfo broken =
                InstanceTypeInfo.builder().instanceType("t3.nano").build();
        assertThatThrownBy(() -> AwsType.of(broken))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("t3.nano");
    }

    @Test
    void pricesAreReadAndRoundedUp() {
        Map<String, Money> prices = new HashMap<>();
        String product = """
                {"product": {"attributes": {"instanceType": "%s"}}, "terms": {"OnDemand": {"T": {"priceDimensions":
                 {"D": {"unit": "%s", "pricePerUnit": {"USD": "%s"}}}}}}}""";
        AwsPrices.read(product.formatted("p5.48xlarge", "Hrs", "98.3200000000"), prices);
        AwsPrices.read(product.formatted("t3.nano", "Hrs", "0.0052000001"), prices);
        AwsPrices.read(product.formatted("free", "Hrs", "0.0000000000"), prices);
        AwsPrices.read(product.formatted("monthly", "Mo", "5"), prices);
        AwsPrices.read(product.formatted("hostile", "Hrs", "-1"), prices);
        AwsPrices.read("no JSON", prices);
        assertThat(prices)
                .containsOnly(
                        Map.entry("p5.48xlarge", Money.parse("98.32")), Map.entry("t3.nano", Money.parse("0.005201")));
    }

    private static AwsLaunchCall call(Market market, boolean open, String group, String reservation, int efa) {
        AwsLaunchCall.Capacity capacity = !reservation.isEmpty()
                ? AwsLaunchCall.Capacity.of(reservation, false)
                : market == Market.RESERVED ? AwsLaunchCall.Capacity.OPEN : AwsLaunchCall.Capacity.ANY;
        return new AwsLaunchCall(
                "token",
                "p5.48xlarge",
                market,
                3,
                "ami-1",
                "/dev/sda1",
                200,
                "",
                "#!/bin/sh\n",
                Map.of("spillway-cluster", "c"),
                new AwsPlaces.Place("a", "subnet-1", List.of("sg-1", "sg-2"), open),
                group,
                capacity,
                efa,
                AwsLaunchCall.Extras.NONE);
    }

    @Test
    void everyLaunchIsClosed() {
        RunInstancesRequest request = call(Market.ON_DEMAND, false, "", "", 0).request();
        assertThat(request.minCount()).isEqualTo(1);
        assertThat(request.maxCount()).isEqualTo(3);
        assertThat(request.clientToken()).isEqualTo("token");
        assertThat(request.userData()).isEqualTo("IyEvYmluL3NoCg==");
        assertThat(request.metadataOptions().httpTokensAsString()).isEqualTo("required");
        assertThat(request.metadataOptions().httpPutResponseHopLimit()).isEqualTo(1);
        assertThat(request.blockDeviceMappings()).singleElement().satisfies(disk -> {
            assertThat(disk.deviceName()).isEqualTo("/dev/sda1");
            assertThat(disk.ebs().encrypted()).isTrue();
            assertThat(disk.ebs().deleteOnTermination()).isTrue();
            assertThat(disk.ebs().volumeSize()).isEqualTo(200);
        });
        assertThat(request.networkInterfaces()).singleElement().satisfies(card -> {
            assertThat(card.associatePublicIpAddress()).isFalse();
            assertThat(card.deleteOnTermination()).isTrue();
            assertThat(card.groups()).containsExactly("sg-1", "sg-2");
            assertThat(card.interfaceType()).isNull();
        });
        assertThat(request.instanceInitiatedShutdownBehavior()).isEqualTo(ShutdownBehavior.TERMINATE);
        assertThat(request.tagSpecifications())
                .extracting(each -> each.resourceType())
                .containsExactly(ResourceType.INSTANCE, ResourceType.VOLUME, ResourceType.NETWORK_INTERFACE);
        assertThat(request.instanceMarketOptions()).isNull();
        assertThat(request.capacityReservationSpecification()).isNull();
    }

    @Test
    void spotIsBoughtOnceAndTagged() {
        RunInstancesRequest request = call(Market.SPOT, false, "", "", 0).request();
        assertThat(request.instanceMarketOptions().spotOptions().spotInstanceTypeAsString())
                .isEqualTo("one-time");
        assertThat(request.instanceMarketOptions().spotOptions().instanceInterruptionBehaviorAsString())
                .isEqualTo("terminate");
        assertThat(request.tagSpecifications())
                .extracting(each -> each.resourceType())
                .contains(ResourceType.SPOT_INSTANCES_REQUEST);
    }

    @Test
    void aReservationIsNamedOrAnyOpenOneIsMeant() {
        assertThat(call(Market.RESERVED, false, "", "cr-1", 0)
                        .request()
                        .capacityReservationSpecification()
                        .capacityReservationTarget()
                        .capacityReservationId())
                .isEqualTo("cr-1");
        assertThat(call(Market.RESERVED, false, "", "", 0)
                        .request()
                        .capacityReservationSpecification()
                        .capacityReservationPreferenceAsString())
                .isEqualTo("capacity-reservations-only");
    }

    @Test
    void aGangStandsTogetherOnEfaWithOneInterfaceACard() {
        RunInstancesRequest request =
                call(Market.ON_DEMAND, false, "group", "", 3).request();
        assertThat(request.placement().groupName()).isEqualTo("group");
        assertThat(request.networkInterfaces())
                .extracting(
                        InstanceNetworkInterfaceSpecification::networkCardIndex,
                        InstanceNetworkInterfaceSpecification::deviceIndex,
                        InstanceNetworkInterfaceSpecification::interfaceType)
                .containsExactly(tuple(0, 0, "efa"), tuple(1, 1, "efa"), tuple(2, 1, "efa"));
        assertThat(request.networkInterfaces())
                .allSatisfy(card -> assertThat(card.associatePublicIpAddress()).isNull());
    }

    /** "Amazon EC2 endpoints and quotas" and "Spot Instance quotas" of the vendor's documents. */
    @ParameterizedTest
    @CsvSource({
        "p4d.24xlarge, L-417A185B, L-7212CCBC",
        "p5.48xlarge, L-417A185B, L-C4BD4855",
        "p6-b200.48xlarge, L-417A185B, L-7212CCBC",
        "g6e.xlarge, L-DB2E81BA, L-3819A6DF",
        "gr6.4xlarge, L-DB2E81BA, L-3819A6DF",
        "hpc7a.96xlarge, L-F7808C92, ",
        "trn1.32xlarge, L-2C3B7624, L-6B0D517C",
        "inf2.xlarge, L-1945791B, L-B5D1601B",
        "x2idn.16xlarge, L-7295265B, L-E3A00192",
        "u-6tb1.metal, L-43DA4232, ",
        "im4gn.large, L-1216C47A, L-34B43A08",
        "t3.small, L-1216C47A, L-34B43A08",
        "m7i.large, L-1216C47A, L-34B43A08",
    })
    void aTypeCountsAgainstItsQuotas(String type, String onDemand, String spot) {
        assertThat(AwsQuotas.code(type, Market.ON_DEMAND)).contains(onDemand);
        assertThat(AwsQuotas.code(type, Market.SPOT)).isEqualTo(Optional.ofNullable(spot));
        assertThat(AwsQuotas.code(type, Market.RESERVED)).isEmpty();
    }

    /** Points of CloudWatch come in any order. */
    @Test
    void theLatestPointIsWhatIsUsed() {
        assertThat(AwsQuotas.latest("""
                <Datapoints><member><Timestamp>2026-11-26T15:05:00Z</Timestamp><Maximum>96.0</Maximum></member>
                <member><Timestamp>2026-11-26T15:00:00Z</Timestamp><Maximum>192.0</Maximum></member></Datapoints>
                """)).isEqualTo(96);
        assertThat(AwsQuotas.latest("<Datapoints/>")).isZero();
    }
}
