package org.spillway.localcloud.ec2;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Calls that EC2's documents call invalid. */
final class Ec2StrictTest {
    private static void refused(String action, Map<String, String> parameters, String code) {
        assertThatThrownBy(() -> Ec2Strict.check(action, Query.of(parameters)))
                .isInstanceOfSatisfying(
                        Ec2Error.class,
                        error -> org.assertj.core.api.Assertions.assertThat(error.code())
                                .isEqualTo(code));
    }

    @Test
    void tokensTagsNamesFiltersAndPages() {
        refused("RunInstances", Map.of("ClientToken", "x".repeat(65)), "InvalidParameterValue");
        refused("RunInstances", Map.of("ClientToken", "with blank"), "InvalidParameterValue");
        refused("CreateTags", Map.of("Tag.1.Key", "aws:mine", "Tag.1.Value", ""), "InvalidParameterValue");
        refused(
                "RunInstances",
                Map.of("TagSpecification.1.Tag.1.Key", "k", "TagSpecification.1.Tag.1.Value", "v".repeat(257)),
                "InvalidParameterValue");
        refused("RunInstances", Map.of("TagSpecification.1.Tag.1.Key", ""), "InvalidParameterValue");
        refused("CreateTags", Map.of("Tag.1.Key", "k", "Tag.2.Key", "k"), "InvalidParameterValue");
        Map<String, String> many = new HashMap<>();
        IntStream.rangeClosed(1, 51).forEach(i -> many.put("Tag." + i + ".Key", "k" + i));
        refused("CreateTags", many, "TagLimitExceeded");
        refused("CreateLaunchTemplate", Map.of("LaunchTemplateName", "a b"), "InvalidParameterValue");
        refused("CreateSecurityGroup", Map.of("GroupName", "sg-mine"), "InvalidParameterValue");
        Map<String, String> values = new HashMap<>(Map.of("Filter.1.Name", "instance-id"));
        IntStream.rangeClosed(1, 201).forEach(i -> values.put("Filter.1.Value." + i, "i-" + i));
        refused("DescribeInstances", values, "FilterLimitExceeded");
        refused("DescribeInstances", Map.of("InstanceId.1", "i-1", "MaxResults", "5"), "InvalidParameterCombination");
        refused("DescribeInstances", Map.of("MaxResults", "1001"), "InvalidParameterValue");
    }

    @Test
    void anOrdinaryCallIsTaken() {
        assertThatCode(() -> Ec2Strict.check(
                        "RunInstances",
                        Query.of(Map.of(
                                "ClientToken",
                                "0123456789abcdef".repeat(4),
                                "TagSpecification.1.Tag.1.Key",
                                "spillway-cluster",
                                "TagSpecification.1.Tag.1.Value",
                                "with$dollar, o'brien, {\"x\":[1]}"))))
                .doesNotThrowAnyException();
    }
}
