package org.spillway.localcloud.ec2;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.MachineType;
import org.spillway.localcloud.StateDirectory;
import org.spillway.policy.Market;

/**
 * Service Quotas' GetServiceQuota of the vCPUs of running instances, and CloudWatch's GetMetricStatistics of how many are used:
 * in the forms of their API references, with the metric that the first names for the second.
 */
final class Ec2Quotas {
    static final String TARGET = "ServiceQuotasV20190624.";
    static final String WATCH_VERSION = "2010-08-01";
    private static final long PLENTY = 100_000;

    /** Families that have quotas here. "Amazon EC2 service quotas" has more. */
    private static final List<Quota> ALL = List.of(
            new Quota(
                    "L-1216C47A",
                    "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
                    "Standard",
                    false),
            new Quota(
                    "L-34B43A08", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests", "Standard", true),
            new Quota("L-DB2E81BA", "Running On-Demand G and VT instances", "G", false),
            new Quota("L-3819A6DF", "All G and VT Spot Instance Requests", "G", true),
            new Quota("L-417A185B", "Running On-Demand P instances", "P", false),
            new Quota("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests", "P", true),
            new Quota("L-C4BD4855", "All P5 Spot Instance Requests", "P5", true));

    private final CloudBehind cloud;

    Ec2Quotas(CloudBehind cloud) {
        this.cloud = cloud;
    }

    /** @param family by the metric's dimension Class */
    private record Quota(String code, String name, String family, boolean spot) {
        String metricClass() {
            return family + (spot ? "/Spot" : "/OnDemand");
        }

        boolean counts(MachineType type, Market market) {
            return (market == Market.SPOT) == spot
                    && familyOf(type.name(), spot).equals(family);
        }
    }

    private static String familyOf(String type, boolean spot) {
        if (type.matches("p[0-9].*")) {
            return spot && type.startsWith("p5") ? "P5" : "P";
        }
        return type.startsWith("g") || type.startsWith("vt") ? "G" : "Standard";
    }

    private long limit(Quota quota) {
        boolean gpus = !quota.family().equals("Standard");
        boolean none = quota.spot() ? Ec2Broken.SPOT_QUOTA.is(cloud) : gpus && Ec2Broken.GPU_QUOTA.is(cloud);
        return none ? 0 : PLENTY;
    }

    private long used(Quota quota) {
        long used = 0;
        for (InstanceRecord each : cloud.list(Map.of(), "", Integer.MAX_VALUE)) {
            used += each.occupiesCapacity()
                    ? cloud.types().stream()
                            .filter(type -> type.name().equals(each.type()) && quota.counts(type, each.market()))
                            .mapToLong(type -> type.resources().cpus())
                            .sum()
                    : 0;
        }
        return used;
    }

    /** A launch that no quota leaves room for, with the words of "Error codes". */
    void check(MachineType type, boolean spot) throws Ec2Error {
        Market market = spot ? Market.SPOT : Market.ON_DEMAND;
        for (Quota quota : ALL) {
            if (quota.counts(type, market) && limit(quota) == 0) {
                throw spot
                        ? new Ec2Error("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
                        : new Ec2Error(
                                "VcpuLimitExceeded",
                                "You have requested more vCPU capacity than your current vCPU limit of 0 allows for the"
                                        + " instance bucket that the specified instance type belongs to. Please visit"
                                        + " http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this"
                                        + " limit.");
            }
        }
    }

    FrontReply answer(String target, String body, SignatureV4.Caller caller) throws Ec2Error, IOException {
        if (!target.equals(TARGET + "GetServiceQuota")) {
            throw new Ec2Error("UnknownOperationException", "there is no " + target);
        }
        Ec2Broken.checkAllowed(cloud, "servicequotas", "GetServiceQuota", caller);
        JsonNode asked = StateDirectory.JSON.readTree(body);
        Quota quota = ALL.stream()
                .filter(each -> asked.path("ServiceCode").asText().equals("ec2")
                        && each.code().equals(asked.path("QuotaCode").asText()))
                .findFirst()
                .orElseThrow(() -> new Ec2Error(
                        "NoSuchResourceException", "The request failed because the specified quota does not exist."));
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("ServiceCode", "ec2");
        told.put("ServiceName", "Amazon Elastic Compute Cloud (Amazon EC2)");
        told.put("QuotaCode", quota.code());
        told.put("QuotaName", quota.name());
        told.put("Value", (double) limit(quota));
        told.put("Unit", "None");
        told.put("Adjustable", true);
        told.put("GlobalQuota", false);
        told.put(
                "UsageMetric",
                Map.of(
                        "MetricNamespace",
                        "AWS/Usage",
                        "MetricName",
                        "ResourceCount",
                        "MetricDimensions",
                        Map.of("Class", quota.metricClass(), "Resource", "vCPU", "Service", "EC2", "Type", "Resource"),
                        "MetricStatisticRecommendation",
                        "Maximum"));
        return new FrontReply(
                200,
                Map.of("Content-Type", "application/x-amz-json-1.1"),
                StateDirectory.JSON.writeValueAsBytes(Map.of("Quota", told)),
                "GetServiceQuota " + quota.code(),
                Optional.empty());
    }

    /** No point at all where nothing is used: CloudWatch has none of a metric that nobody has written. */
    FrontReply statistics(Query query, SignatureV4.Caller caller) throws Ec2Error {
        Ec2Broken.checkAllowed(cloud, "cloudwatch", query.get("Action"), caller);
        if (!query.get("Action").equals("GetMetricStatistics")
                || !query.get("Namespace").equals("AWS/Usage")
                || !query.get("MetricName").equals("ResourceCount")
                || !query.get("Statistics.member.1").equals("Maximum")) {
            throw new Ec2Error("InvalidParameterValue", "There is no such metric here.");
        }
        String wanted = "";
        for (Query each : query.structures("Dimensions.member")) {
            wanted = each.get("Name").equals("Class") ? each.get("Value") : wanted;
        }
        String metricClass = wanted;
        long used = ALL.stream()
                .filter(quota -> quota.metricClass().equals(metricClass))
                .mapToLong(this::used)
                .sum();
        Instant now = cloud.now();
        Xml points = new Xml().open("Datapoints");
        for (long ago = 600; used > 0 && ago >= 300; ago -= 300) {
            points.open("member")
                    .leaf("Timestamp", now.minusSeconds(ago).toString())
                    .leaf("Maximum", Double.toString((double) used))
                    .leaf("Unit", "None")
                    .close("member");
        }
        points.close("Datapoints");
        return FrontReply.of(
                200,
                "text/xml",
                "<GetMetricStatisticsResponse xmlns=\"http://monitoring.amazonaws.com/doc/" + WATCH_VERSION
                        + "/\"><GetMetricStatisticsResult>" + points
                        + "<Label>ResourceCount</Label></GetMetricStatisticsResult></GetMetricStatisticsResponse>",
                "GetMetricStatistics " + metricClass + " " + used);
    }
}
