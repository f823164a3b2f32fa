package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.services.ec2.model.CapacityReservationInstancePlatform;
import software.amazon.awssdk.services.ec2.model.InstanceMatchCriteria;
import software.amazon.awssdk.services.ec2.model.MarketType;

/** Finding C5: targeted reservations and capacity blocks were offered and could not be bought. */
final class AwsReservationsTest extends AwsCloudFixture {
    private String reserve(InstanceMatchCriteria match, int count) {
        return person.ec2()
                .createCapacityReservation(request -> request.instanceType("m7i.large")
                        .instancePlatform(CapacityReservationInstancePlatform.LINUX_UNIX)
                        .availabilityZone(ZONE)
                        .instanceMatchCriteria(match)
                        .instanceCount(count))
                .capacityReservation()
                .capacityReservationId();
    }

    private static String block(int count) {
        String offering = person.ec2()
                .describeCapacityBlockOfferings(
                        r -> r.instanceType("p5.48xlarge").instanceCount(count).capacityDurationHours(24))
                .capacityBlockOfferings()
                .getFirst()
                .capacityBlockOfferingId();
        return person.ec2()
                .purchaseCapacityBlock(r -> r.capacityBlockOfferingId(offering)
                        .instancePlatform(CapacityReservationInstancePlatform.LINUX_UNIX))
                .capacityReservation()
                .capacityReservationId();
    }

    @AfterEach
    void cancelAll() {
        person.ec2().describeCapacityReservations().capacityReservations().stream()
                .filter(each -> each.stateAsString().equals("active"))
                .forEach(each -> person.ec2()
                        .cancelCapacityReservation(r -> r.capacityReservationId(each.capacityReservationId())));
    }

    private static LaunchRequest of(String site, String intent, String type, int count) {
        return LaunchRequest.of(intent, 1, new OfferingId(site, ZONE, type, Market.RESERVED), count);
    }

    private static List<String> reserved(Site site) throws Exception {
        return site.compute().offerings().stream()
                .filter(each -> each.id().market() == Market.RESERVED)
                .map(each -> each.id().instanceType())
                .toList();
    }

    private static List<String> usedBy(LaunchAnswer answer) {
        List<String> ids = answer.instances().stream().map(Instance::id).toList();
        return person.ec2().describeInstances(r -> r.instanceIds(ids)).reservations().stream()
                .flatMap(each -> each.instances().stream())
                .map(each -> String.valueOf(each.capacityReservationId()))
                .sorted()
                .toList();
    }

    @Test
    void whatIsTargetedIsOfferedOnlyToASiteThatNamesIt() throws Exception {
        String targeted = reserve(InstanceMatchCriteria.TARGETED, 2);
        Site stranger = open("stranger", Map.of());
        assertThat(reserved(stranger)).isEmpty();
        assertThat(stranger.diagnostics().check(Diagnostics.Needs.NONE))
                .filteredOn(finding -> finding.check().equals("reservations"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.WARNING);
                    assertThat(finding.detail()).contains(targeted).contains("0 of 2 in use");
                });
        assertThat(reserved(open("friend", Map.of("reservations", targeted)))).containsExactly("m7i.large");
    }

    @Test
    void namedReservationsAreFilledInTheirOrderAndCounted() throws Exception {
        String first = reserve(InstanceMatchCriteria.TARGETED, 1);
        String second = reserve(InstanceMatchCriteria.TARGETED, 2);
        String others = reserve(InstanceMatchCriteria.OPEN, 5);
        Site site = open("named", Map.of("reservations", first + ", " + second));
        LaunchAnswer two = site.compute().launch(of("named", "two", "m7i.large", 2));
        assertThat(two.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(usedBy(two)).containsExactlyInAnyOrder(first, second);
        assertThat(two.instances())
                .allSatisfy(each -> assertThat(each.offering().market()).isEqualTo(Market.RESERVED));
        // Room for one of three is left; nobody touches the open one of somebody else.
        LaunchAnswer more = site.compute().launch(of("named", "more", "m7i.large", 2));
        assertThat(more.outcome()).isInstanceOfSatisfying(LaunchOutcome.Partial.class, partial -> {
            assertThat(partial.count()).isEqualTo(1);
            assertThat(partial.reason()).isEqualTo(Reason.CAPACITY);
        });
        assertThat(usedBy(more)).containsExactly(second);
        assertThat(site.compute().launch(of("named", "none", "m7i.large", 1)).outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.CAPACITY));
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                .filteredOn(finding -> finding.check().equals("reservations"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.detail())
                        .contains(first + " (m7i.large in us-east-1a): 1 of 1 in use")
                        .contains(second + " (m7i.large in us-east-1a): 2 of 2 in use")
                        .contains("not for this site: " + others));
    }

    @Test
    void theSameLaunchAgainBuysNothingMore() throws Exception {
        String id = reserve(InstanceMatchCriteria.TARGETED, 2);
        Site site = open("again", Map.of("reservations", id));
        LaunchRequest request = of("again", "same", "m7i.large", 2);
        LaunchAnswer first = site.compute().launch(request);
        LaunchAnswer second = site.compute().launch(request);
        assertThat(second.instances())
                .extracting(Instance::id)
                .containsExactlyInAnyOrderElementsOf(
                        first.instances().stream().map(Instance::id).toList());
    }

    @Test
    void aCapacityBlockIsBoughtByItsIdAndMarket() throws Exception {
        String block = block(2);
        Site site = open("blocks", Map.of("reservations", block));
        assertThat(reserved(site)).containsExactly("p5.48xlarge");
        LaunchAnswer answer = site.compute().launch(of("blocks", "train", "p5.48xlarge", 2));
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(usedBy(answer)).containsExactly(block, block);
        assertThat(calls("RunInstances")).isNotEmpty();
        assertThat(site.compute().list())
                .extracting(each -> each.offering().market())
                .containsOnly(Market.RESERVED);
    }

    /** A launch on demand uses up no reservation of a site that says which it uses. */
    @Test
    void onDemandStaysOutOfReservations() throws Exception {
        String id = reserve(InstanceMatchCriteria.OPEN, 2);
        Site site = open("apart", Map.of("reservations", id));
        LaunchAnswer answer = site.compute().launch(request("apart", "od", "m7i.large", 1));
        assertThat(person.ec2()
                        .describeInstances(
                                r -> r.instanceIds(answer.instances().getFirst().id()))
                        .reservations()
                        .getFirst()
                        .instances()
                        .getFirst()
                        .capacityReservationSpecification()
                        .capacityReservationPreferenceAsString())
                .isEqualTo("none");
    }

    /** The emulated EC2 refuses as EC2's user guide says. */
    @Test
    void theEmulatedAccountRefusesBlocksAndTargetedOnesWithoutTheirId() {
        reserve(InstanceMatchCriteria.TARGETED, 2);
        assertThatThrownBy(() -> person.ec2()
                        .runInstances(r -> r.imageId(Planting.IMAGE)
                                .instanceType("m7i.large")
                                .minCount(1)
                                .maxCount(1)
                                .capacityReservationSpecification(
                                        s -> s.capacityReservationPreference("capacity-reservations-only"))))
                .hasMessageContaining("No open Capacity Reservation");
        block(1);
        assertThatThrownBy(() -> person.ec2()
                        .runInstances(r -> r.imageId(Planting.IMAGE)
                                .instanceType("p5.48xlarge")
                                .minCount(1)
                                .maxCount(1)
                                .instanceMarketOptions(o -> o.marketType(MarketType.CAPACITY_BLOCK))))
                .hasMessageContaining("needs the id of a Capacity Block");
    }

    @Test
    void idsAreChecked() {
        for (String bad : List.of("", "cr-1", "cr-00000000000000001,cr-00000000000000001", "cr-00000000000000001,")) {
            assertThatThrownBy(() -> AwsReservations.named(
                            SiteSettings.of("c", "s", Map.of("reservations", bad), java.nio.file.Path.of("/nowhere"))))
                    .isInstanceOf(SiteSettings.Invalid.class)
                    .hasMessageContaining("allowed: cr-...");
        }
    }
}
