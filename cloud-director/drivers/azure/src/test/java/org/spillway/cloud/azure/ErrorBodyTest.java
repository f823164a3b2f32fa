package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.policy.LaunchOutcome.Reason;

/** Finding C2: an error was read in one of its forms only. */
final class ErrorBodyTest {
    private static ErrorBody of(String body) {
        return ErrorBody.of(body.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"error\":{\"code\":\"ScopeLocked\",\"message\":\"locked\"}} | ScopeLocked | locked",
                "{\"code\":\"ScopeLocked\",\"message\":\"locked\"} | ScopeLocked | locked",
                "{\"error\":{\"code\":\"DeploymentFailed\",\"message\":\"at least one\",\"details\":[{\"code\":\"Conflict\","
                        + "\"details\":[{\"code\":\"AllocationFailed\",\"message\":\"full\"}]}]}} | AllocationFailed | full",
                "{\"error\":{\"code\":\"New\",\"message\":\"of next year\",\"details\":[{\"code\":\"Newer\"}]}} | New | of next year",
                "<?xml version=\"1.0\"?><Error><Code>AuthorizationFailed</Code><Message>no</Message></Error> | AuthorizationFailed | no",
                "<html><head><title>502 Bad Gateway</title></head></html> | `` | 502 Bad Gateway",
                "<html></html> | `` | ``",
                "upstream connect error | `` | upstream connect error",
                "{\"error\":\"invalid_token\"} | `` | ``",
                "null | `` | ``",
                "`` | `` | ``"
            })
    void eachFormIsRead(String body, String code, String message) {
        assertThat(of(body)).isEqualTo(new ErrorBody(code, message));
    }

    @Test
    void aMarkOfByteOrderIsNoError() {
        assertThat(of("\uFEFF{\"code\":\"ScopeLocked\",\"message\":\"x\"}").code())
                .isEqualTo("ScopeLocked");
    }

    /** The compute provider's 429 says OperationNotAllowed, which without that status is about the request. */
    @ParameterizedTest
    @CsvSource({
        "429, OperationNotAllowed, THROTTLED",
        "429, QuotaExceeded, THROTTLED",
        "429, '', THROTTLED",
        "409, OperationNotAllowed, INVALID",
        "409, TooManyRequests, THROTTLED",
        "409, ScopeLocked, CREDENTIALS",
        "409, MissingSubscriptionRegistration, CREDENTIALS",
        "400, AllocationFailed, CAPACITY",
        "404, AuthorizationFailed, CREDENTIALS"
    })
    void theStatusSpeaksBeforeTheCode(int status, String code, Reason reason) {
        assertThat(ArmErrors.answer(status, code, "The server rejected the request"))
                .isInstanceOfSatisfying(
                        Answer.Refused.class, no -> assertThat(no.reason()).isEqualTo(reason));
    }

    /** Finding C8: the list lacked the addresses of directors. */
    @Test
    void doctorAsksForAddressesWhereDirectorsHaveThem() {
        assertThat(AzureAccountChecks.needed(true)).contains("Microsoft.Network/publicIPAddresses/write");
        assertThat(AzureAccountChecks.needed(false)).noneMatch(action -> action.contains("publicIP"));
    }

    @Test
    void whatAnAdministratorCanMendSaysHow() {
        assertThat(ArmErrors.answer(
                        409,
                        "MissingSubscriptionRegistration",
                        "The subscription is not registered to use namespace 'Microsoft.Network'."))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        no -> assertThat(no.message())
                                .endsWith("register it: az provider register --namespace Microsoft.Network"));
        assertThat(ArmAdvice.of("ScopeLocked", "")).contains("remove the lock");
        assertThat(ArmAdvice.of("AllocationFailed", "")).isEmpty();
    }
}
