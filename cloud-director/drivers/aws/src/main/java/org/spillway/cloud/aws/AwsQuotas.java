package org.spillway.cloud.aws;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Quota;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Quotas of running instances, in vCPUs of a group of families in one market: the limit by Service Quotas' GetServiceQuota, what
 * is used by the metric of CloudWatch that its answer names ("Service Quotas API reference", MetricInfo). CloudWatch has a point
 * in five minutes, so what is used is never quite of now.
 */
final class AwsQuotas {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration WINDOW = Duration.ofMinutes(20);
    private static final Pattern POINT = Pattern.compile("<member>(.*?)</member>", Pattern.DOTALL);
    private static final Pattern WHEN = Pattern.compile("<Timestamp>([^<]+)</Timestamp>");
    private static final Pattern VALUE = Pattern.compile("<Maximum>([0-9.Ee+]{1,30})</Maximum>");
    private final AwsSettings settings;
    private final AwsSigned signed;
    private final InstantSource clock;

    AwsQuotas(AwsSettings settings, AwsSigned signed, InstantSource clock) {
        this.settings = settings;
        this.signed = signed;
        this.clock = clock;
    }

    /**
     * The code of the quota that a type counts against ("Amazon EC2 endpoints and quotas"; "Spot Instance quotas"). Empty for
     * what is reserved, which was counted when it was reserved, and for families that a market does not have.
     */
    static Optional<String> code(String type, Market market) {
        return switch (market) {
            case ON_DEMAND -> Optional.of(onDemand(type));
            case SPOT -> spot(type);
            case RESERVED -> Optional.empty();
        };
    }

    private static String onDemand(String type) {
        if (type.matches("p[0-9].*")) {
            return "L-417A185B";
        }
        if (type.startsWith("g") || type.startsWith("vt")) {
            return "L-DB2E81BA";
        }
        return switch (family(type)) {
            case "hpc" -> "L-F7808C92";
            case "trn" -> "L-2C3B7624";
            case "inf" -> "L-1945791B";
            case "x" -> "L-7295265B";
            case "f" -> "L-74FC7D96";
            case "dl" -> "L-6E869C2A";
            case "u" -> "L-43DA4232";
            default -> "L-1216C47A";
        };
    }

    private static Optional<String> spot(String type) {
        if (type.matches("p[0-9].*")) {
            return Optional.of(type.startsWith("p5") ? "L-C4BD4855" : "L-7212CCBC");
        }
        if (type.startsWith("g") || type.startsWith("vt")) {
            return Optional.of("L-3819A6DF");
        }
        return switch (family(type)) {
            case "hpc", "u" -> Optional.empty();
            case "trn" -> Optional.of("L-6B0D517C");
            case "inf" -> Optional.of("L-B5D1601B");
            case "x" -> Optional.of("L-E3A00192");
            case "f" -> Optional.of("L-88CF9481");
            case "dl" -> Optional.of("L-85EED4F7");
            default -> Optional.of("L-34B43A08");
        };
    }

    private static String family(String type) {
        return type.replaceFirst("[0-9.-].*$", "");
    }

    /** Of all types that the site may offer. @param bought in which markets; empty for all */
    List<Quota> of(AwsCatalogue catalogue, Set<Market> bought) throws CloudException {
        Set<String> codes = new TreeSet<>();
        try {
            for (AwsType type : catalogue.offered().values()) {
                for (Market market : Market.values()) {
                    boolean sold = market == Market.SPOT ? type.spot() : type.onDemand();
                    if (sold && (bought.isEmpty() || bought.contains(market))) {
                        code(type.name(), market).ifPresent(codes::add);
                    }
                }
            }
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("DescribeInstanceTypes", failed);
        }
        List<Quota> all = new ArrayList<>();
        for (String code : codes) {
            all.add(ask(code));
        }
        return all;
    }

    /** @throws CloudException without the right, or without an answer */
    Quota ask(String code) throws CloudException {
        String answer = signed.post(
                "servicequotas",
                Map.of(
                        "Content-Type",
                        "application/x-amz-json-1.1",
                        "X-Amz-Target",
                        "ServiceQuotasV20190624.GetServiceQuota"),
                "{\"ServiceCode\":\"ec2\",\"QuotaCode\":\"" + code + "\"}");
        try {
            JsonNode quota = JSON.readTree(answer).path("Quota");
            if (!quota.path("Value").isNumber()) {
                throw new CloudException(Reason.THROTTLED, "servicequotas: the answer has no value of " + code);
            }
            return new Quota(
                    code,
                    code,
                    AwsErrors.printable(quota.path("QuotaName").asText()),
                    Quota.Unit.CPUS,
                    used(quota.path("UsageMetric")),
                    quota.path("Value").asLong(),
                    "aws service-quotas request-service-quota-increase --region " + settings.region()
                            + " --service-code ec2 --quota-code " + code + " --desired-value VCPUS");
        } catch (JsonProcessingException unreadable) {
            throw new CloudException(Reason.THROTTLED, "servicequotas: the answer cannot be read", unreadable);
        }
    }

    /** A metric that nobody has written has no points: nothing was used. */
    private long used(JsonNode metric) {
        if (!metric.path("MetricNamespace").asText().equals("AWS/Usage")) {
            return Quota.UNTOLD;
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        Map<String, String> form = new TreeMap<>();
        form.put("Action", "GetMetricStatistics");
        form.put("Version", "2010-08-01");
        form.put("Namespace", "AWS/Usage");
        form.put("MetricName", metric.path("MetricName").asText());
        form.put("StartTime", now.minus(WINDOW).toString());
        form.put("EndTime", now.toString());
        form.put("Period", "300");
        form.put("Statistics.member.1", "Maximum");
        int index = 1;
        for (Map.Entry<String, JsonNode> each : metric.path("MetricDimensions").properties()) {
            form.put("Dimensions.member." + index + ".Name", each.getKey());
            form.put("Dimensions.member." + index + ".Value", each.getValue().asText());
            index++;
        }
        StringBuilder body = new StringBuilder();
        form.forEach((key, value) -> body.append(body.isEmpty() ? "" : "&")
                .append(key)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        try {
            return latest(signed.post(
                    "monitoring", Map.of("Content-Type", "application/x-www-form-urlencoded"), body.toString()));
        } catch (CloudException unseen) {
            return Quota.UNTOLD;
        }
    }

    /** Points come in any order ("GetMetricStatistics": "not guaranteed to be in chronological order"). */
    static long latest(String answer) {
        String when = "";
        double value = 0;
        Matcher points = POINT.matcher(answer);
        while (points.find()) {
            Matcher at = WHEN.matcher(points.group(1));
            Matcher most = VALUE.matcher(points.group(1));
            if (at.find() && most.find() && at.group(1).compareTo(when) > 0) {
                when = at.group(1);
                value = Double.parseDouble(most.group(1));
            }
        }
        return (long) Math.ceil(value);
    }
}
