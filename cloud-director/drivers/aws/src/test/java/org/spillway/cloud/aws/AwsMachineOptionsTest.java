package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.VpcEndpoint;

/** Finding C9: what sites want of their machines arrives at EC2, in a launch of one offering and of several. */
final class AwsMachineOptionsTest extends AwsCloudFixture {
    private static final Map<String, String> OPTIONS = Map.of(
            "instanceProfile", "nodes",
            "directorInstanceProfile", "arn:aws:iam::123456789012:instance-profile/directors",
            "tags", "team=hpc,cost-centre=42",
            "diskType", "io2",
            "diskIops", "5000",
            "kmsKey", "alias/scratch");

    private static software.amazon.awssdk.services.ec2.model.Instance seen(String id) {
        return person.ec2()
                .describeInstances(r -> r.instanceIds(id))
                .reservations()
                .getFirst()
                .instances()
                .getFirst();
    }

    private static void assertAsked(String id, String profile) {
        var instance = seen(id);
        assertThat(instance.iamInstanceProfile().arn()).endsWith(":instance-profile/" + profile);
        assertThat(instance.tags()).contains(tag("team", "hpc"), tag("cost-centre", "42"));
        var volume = person.ec2()
                .describeVolumes(r -> r.filters(AwsTags.filter("attachment.instance-id", id)))
                .volumes()
                .getFirst();
        assertThat(volume.volumeTypeAsString()).isEqualTo("io2");
        assertThat(volume.iops()).isEqualTo(5000);
        assertThat(volume.kmsKeyId()).isEqualTo("alias/scratch");
        assertThat(volume.encrypted()).isTrue();
        assertThat(volume.tags()).contains(tag("team", "hpc"));
    }

    private static Tag tag(String key, String value) {
        return Tag.builder().key(key).value(value).build();
    }

    private static LaunchRequest set(String site, String intent, String... types) {
        List<OfferingId> offerings = List.of(types).stream()
                .map(type -> new OfferingId(site, ZONE, type, Market.ON_DEMAND))
                .toList();
        return new LaunchRequest(
                intent,
                1,
                offerings.getFirst(),
                1,
                "",
                "",
                Map.of(),
                offerings.subList(1, offerings.size()),
                LaunchRequest.Placement.NONE);
    }

    @Test
    void aMachineIsAsTheSiteWantsIt() {
        Site site = open("wanting", OPTIONS);
        LaunchAnswer answer = site.compute().launch(request("wanting", "w-1", "m7i.large", 1));
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        assertAsked(answer.instances().getFirst().id(), "nodes");
    }

    /** CreateFleet has its machines by a template, which says the same. */
    @Test
    void soIsAMachineOfASet() throws Exception {
        Site site = open("wanting", OPTIONS);
        int fleets = calls("CreateFleet").size();
        LaunchAnswer answer = site.compute().launch(set("wanting", "w-2", "m7i.large", "t3.nano"));
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        assertThat(calls("CreateFleet")).hasSize(fleets + 1);
        assertAsked(answer.instances().getFirst().id(), "nodes");
    }

    @Test
    void aDirectorHasItsOwnProfile() {
        Site site = open("wanting", OPTIONS);
        LaunchRequest request =
                request("wanting", "w-3", "m7i.large", 1).withTags(Map.of(Instance.TAG_ROLE, "DIRECTOR"));
        LaunchAnswer answer = site.compute().launch(request);
        assertAsked(answer.instances().getFirst().id(), "directors");
    }

    /** Without threads there are half as many CPUs, in what is offered as in what comes. */
    @Test
    void coresWithoutThreads() throws Exception {
        Site site = open("single", Map.of("smt", "off"));
        assertThat(site.compute().offerings())
                .filteredOn(offering -> offering.id().market() == Market.ON_DEMAND)
                .extracting(offering -> offering.id().instanceType(), AwsMachineOptionsTest::cpus)
                .contains(tuple("m7i.large", 1), tuple("p5.48xlarge", 96));
        int fleets = calls("CreateFleet").size();
        LaunchAnswer answer = site.compute().launch(set("single", "s-1", "m7i.large", "p5.48xlarge"));
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        assertThat(calls("CreateFleet")).as("one number of cores for all types").hasSize(fleets);
        var instance = seen(answer.instances().getFirst().id());
        assertThat(instance.cpuOptions().coreCount()).isEqualTo(1);
        assertThat(instance.cpuOptions().threadsPerCore()).isEqualTo(1);
    }

    /** Parts of a template of the site's own that the launch does not say reach machines; the launch stands above the others. */
    @Test
    void aTemplateOfTheSitesOwnIsBeneath() throws Exception {
        person.ec2()
                .importKeyPair(
                        r -> r.keyName("people").publicKeyMaterial(SdkBytes.fromUtf8String("ssh-ed25519 AAAA p")));
        String id = person.ec2()
                .createLaunchTemplate(r -> r.launchTemplateName("gold")
                        .launchTemplateData(d -> d.keyName("people")
                                .instanceType("p5.48xlarge")
                                .creditSpecification(c -> c.cpuCredits("standard"))
                                .metadataOptions(m -> m.httpTokens("optional"))))
                .launchTemplate()
                .launchTemplateId();
        for (String named : List.of("gold:1", id + ":1")) {
            Site site = open("mold", Map.of("launchTemplate", named));
            assertThat(check(site, "launch template").verdict()).isEqualTo(Diagnostics.Verdict.GOOD);
            int fleets = calls("CreateFleet").size();
            LaunchAnswer answer =
                    site.compute().launch(set("mold", "t-" + named.replace(':', '-'), "m7i.large", "t3.nano"));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
            assertThat(calls("CreateFleet")).as("which takes one template").hasSize(fleets);
            var instance = seen(answer.instances().getFirst().id());
            assertThat(instance.keyName()).isEqualTo("people");
            assertThat(instance.instanceTypeAsString()).isEqualTo("m7i.large");
            assertThat(instance.metadataOptions().httpTokensAsString()).isEqualTo("required");
            assertThat(instance.tags()).contains(tag("aws:ec2launchtemplate:id", id));
        }
    }

    /** A machine that the head would not know the price of, or could not end, is not made. */
    @Test
    void aTemplateThatWouldBuyOrKeepSomethingIsRefused() {
        person.ec2()
                .createLaunchTemplate(r -> r.launchTemplateName("greedy")
                        .launchTemplateData(d -> d.instanceMarketOptions(m -> m.marketType("spot"))
                                .disableApiTermination(true)
                                .placement(p -> p.tenancy("dedicated"))
                                .blockDeviceMappings(
                                        b -> b.deviceName("/dev/sdf").ebs(e -> e.volumeSize(500)))));
        Site site = open("greedy", Map.of("launchTemplate", "greedy:1"));
        Finding found = check(site, "launch template");
        assertThat(found.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN);
        assertThat(found.detail())
                .contains("a market", "protection against being ended", "a placement", "disks")
                .doesNotContain("user data", "accelerators");
        LaunchAnswer answer = site.compute().launch(request("greedy", "t-1", "m7i.large", 1));
        assertThat(answer.outcome()).isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(LaunchOutcome.Reason.INVALID);
            assertThat(refused.message()).contains("greedy:1", "protection against being ended");
        });
        assertThat(open("absent", Map.of("launchTemplate", "absent:1"))
                        .compute()
                        .launch(request("absent", "t-2", "m7i.large", 1))
                        .outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(LaunchOutcome.Reason.INVALID));
        assertThat(check(open("later", Map.of("launchTemplate", "greedy:2")), "launch template")
                        .detail())
                .contains("InvalidLaunchTemplateId.VersionNotFound");
    }

    private static int cpus(Offering offering) {
        return offering.resources().cpus();
    }

    @Test
    void theNewestImageOfItsNameIsTaken() throws Exception {
        Site plain = open("plain", Map.of());
        String first = plain.compute()
                .launch(request("plain", "n-0", "m7i.large", 1))
                .instances()
                .getFirst()
                .id();
        String older = image(first, "gold-1");
        String gold = image(first, "gold-2");
        while (made(gold).equals(made(older))) {
            gold = image(first, "gold-2"); // both were made within one millisecond
        }
        person.ec2().createImage(r -> r.instanceId(first).name("other-3"));
        Site site = open("newest", Map.of("image", "newest:self/gold-*"));
        LaunchAnswer answer = site.compute().launch(request("newest", "n-1", "m7i.large", 1));
        assertThat(seen(answer.instances().getFirst().id()).imageId()).isEqualTo(gold);
        assertThat(check(site, "image").detail()).startsWith(gold);
        // There is none for arm64.
        assertThat(site.compute().offerings())
                .extracting(offering -> offering.id().instanceType())
                .contains("m7i.large")
                .doesNotContain("c7g.large");
        assertThat(site.compute()
                        .launch(request("newest", "n-2", "c7g.large", 1))
                        .outcome())
                .isEqualTo(new LaunchOutcome.Refused(
                        LaunchOutcome.Reason.INVALID, "no image is newest:self/gold-* for type c7g.large"));
        Finding none = check(open("none", Map.of("image", "newest:amazon/gold-*")), "image");
        assertThat(none.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN);
        assertThat(none.repair()).contains("--owners amazon --filters 'Name=name,Values=gold-*'");
    }

    /** A gateway endpoint is made, kept, led to a table that it misses, found and removed. */
    @Test
    void aMadeNetworkHasAWayToS3() throws Exception {
        Map<String, String> made = Map.of("subnets", "", "securityGroup", "", "s3Endpoint", "on", "tags", "team=hpc");
        Site site = open("storage", made);
        var network = site.network().orElseThrow();
        network.create();
        var endpoint = endpoints().getFirst();
        assertThat(endpoint.routeTableIds()).hasSize(2);
        assertThat(endpoint.serviceName()).isEqualTo("com.amazonaws.us-east-1.s3");
        assertThat(endpoint.tags()).contains(tag("team", "hpc"));
        network.create();
        assertThat(endpoints()).hasSize(1);
        // Somebody has deleted it, and made one that leads one table.
        person.ec2().deleteVpcEndpoints(r -> r.vpcEndpointIds(endpoint.vpcEndpointId()));
        String half = person.ec2()
                .createVpcEndpoint(r -> r.vpcEndpointType("Gateway")
                        .vpcId(endpoint.vpcId())
                        .serviceName(endpoint.serviceName())
                        .routeTableIds(endpoint.routeTableIds().getFirst())
                        .tagSpecifications(
                                each -> each.resourceType("vpc-endpoint").tags(endpoint.tags())))
                .vpcEndpoint()
                .vpcEndpointId();
        assertThat(network.create())
                .filteredOn(each -> each.kind().equals("endpoint"))
                .extracting(Billable::id)
                .containsExactly(half);
        assertThat(endpoints().getFirst().routeTableIds()).hasSize(2);
        network.delete();
        assertThat(endpoints()).isEmpty();
        assertThat(site.inventory().orElseThrow().all()).isEmpty();
    }

    private static List<VpcEndpoint> endpoints() {
        return person.ec2().describeVpcEndpoints().vpcEndpoints();
    }

    private static String image(String instance, String name) {
        return person.ec2().createImage(r -> r.instanceId(instance).name(name)).imageId();
    }

    private static String made(String image) {
        return person.ec2()
                .describeImages(r -> r.imageIds(image))
                .images()
                .getFirst()
                .creationDate();
    }

    private static Finding check(Site site, String check) {
        return site.diagnostics().check(new Diagnostics.Needs(Set.of("m7i.large"), "")).stream()
                .filter(finding -> finding.check().equals(check))
                .findFirst()
                .orElseThrow();
    }
}
