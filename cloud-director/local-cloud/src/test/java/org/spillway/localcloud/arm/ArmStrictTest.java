package org.spillway.localcloud.arm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Machines that the resource manager's documents call invalid. */
final class ArmStrictTest {
    private static void refused(String name, String body, String code) {
        assertThatThrownBy(() -> ArmStrict.check(name, new ObjectMapper().readTree(body)))
                .isInstanceOfSatisfying(
                        ArmFault.class, fault -> assertThat(fault.code()).isEqualTo(code));
    }

    @Test
    void spotTagsNamesAndData() {
        refused(
                "m",
                "{\"properties\": {\"priority\": \"Spot\", \"availabilitySet\": {\"id\": \"x\"}}}",
                "AzureSpotVMNotSupportedInAvailabilitySet");
        refused(
                "m",
                "{\"properties\": {\"evictionPolicy\": \"Delete\"}}",
                "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines");
        refused("m", "{\"tags\": {\"a/b\": \"v\"}}", "BadRequest");
        refused("m", "{\"tags\": {\"a\": \"" + "v".repeat(257) + "\"}}", "BadRequest");
        refused("m".repeat(65), "{}", "InvalidParameter");
        refused("m-", "{}", "InvalidParameter");
        refused(
                "m",
                "{\"properties\": {\"osProfile\": {\"customData\": \"" + "A".repeat(87_381) + "\"}}}",
                "InvalidParameter");
        assertThatCode(() ->
                        ArmStrict.check("m1", new ObjectMapper().readTree("{\"tags\": {\"spillway-cluster\": \"c\"}}")))
                .doesNotThrowAnyException();
    }
}
