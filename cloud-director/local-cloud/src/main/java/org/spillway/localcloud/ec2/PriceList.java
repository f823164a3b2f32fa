package org.spillway.localcloud.ec2;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.MachineType;
import org.spillway.localcloud.StateDirectory;

/** The price list's GetProducts, in its JSON 1.1: one product a type, on demand. */
final class PriceList {
    private static final int PAGE = 100;
    private final CloudBehind cloud;

    PriceList(CloudBehind cloud) {
        this.cloud = cloud;
    }

    FrontReply answer(String target, String body) throws Ec2Error, IOException {
        if (!target.equals("AWSPriceListService.GetProducts")) {
            throw new Ec2Error("UnknownOperationException", "there is no " + target);
        }
        JsonNode query = StateDirectory.JSON.readTree(body);
        if (!query.path("ServiceCode").asText().equals("AmazonEC2")) {
            throw new Ec2Error("InvalidParameterException", "there is no such service");
        }
        String region = "";
        for (JsonNode filter : query.path("Filters")) {
            if (filter.path("Field").asText().equals("regionCode")) {
                region = filter.path("Value").asText();
            }
        }
        int from = query.path("NextToken").asInt(0);
        List<MachineType> types = cloud.types();
        List<String> products = new ArrayList<>();
        for (MachineType type : types.subList(Math.min(from, types.size()), Math.min(from + PAGE, types.size()))) {
            products.add(StateDirectory.JSON.writeValueAsString(product(type, region)));
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("FormatVersion", "aws_v1");
        answer.put("PriceList", products);
        if (from + PAGE < types.size()) {
            answer.put("NextToken", Integer.toString(from + PAGE));
        }
        return json(200, answer, "GetProducts " + products.size());
    }

    private static Map<String, Object> product(MachineType type, String region) {
        String price =
                BigDecimal.valueOf(type.pricePerHour().micros(), 6).setScale(10).toPlainString();
        Map<String, Object> dimension = Map.of("unit", "Hrs", "pricePerUnit", Map.of("USD", price));
        Map<String, Object> term = Map.of("priceDimensions", Map.of("D", dimension));
        return Map.of(
                "product",
                Map.of(
                        "productFamily",
                        "Compute Instance",
                        "attributes",
                        Map.of(
                                "instanceType",
                                type.name(),
                                "regionCode",
                                region,
                                "operatingSystem",
                                "Linux",
                                "tenancy",
                                "Shared",
                                "preInstalledSw",
                                "NA",
                                "capacitystatus",
                                "Used")),
                "serviceCode",
                "AmazonEC2",
                "terms",
                Map.of("OnDemand", Map.of("T", term)));
    }

    static FrontReply refusal(Ec2Error refused) {
        Map<String, Object> body = Map.of("__type", refused.code(), "message", String.valueOf(refused.getMessage()));
        try {
            return json(refused.status(), body, "GetProducts " + refused.code());
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static FrontReply json(int status, Map<String, Object> body, String note) throws IOException {
        return new FrontReply(
                status,
                Map.of("Content-Type", "application/x-amz-json-1.1"),
                StateDirectory.JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8),
                note,
                Optional.empty());
    }
}
