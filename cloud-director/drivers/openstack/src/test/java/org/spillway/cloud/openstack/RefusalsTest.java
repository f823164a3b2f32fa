package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.cloud.ErrorTable;
import org.spillway.policy.LaunchOutcome.Reason;

/** Meanings of statuses, faults and their words. */
final class RefusalsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "401|The request you have made requires authentication.|CREDENTIALS",
                "403|Policy doesn't allow os_compute_api:servers:create to be performed.|CREDENTIALS",
                "403|Quota exceeded for cores: Requested 8, but already used 40 of 40 cores|QUOTA",
                "403|Maximum number of ports exceeded|QUOTA",
                "409|Quota exceeded for resources: ['port'].|QUOTA",
                "409|Port 5 is still in use.|INVALID",
                "413|Quota exceeded for instances|QUOTA",
                "413|This request was rate-limited.|THROTTLED",
                "429|Too Many Requests|THROTTLED",
                "400|Invalid imageRef provided.|INVALID",
                "404|Flavor could not be found.|INVALID",
                "406|Version 2.61 is not supported by the API.|INVALID"
            })
    void ofACall(int status, String message, Reason reason) {
        assertThat(Refusals.of(status, message)).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "500|No valid host was found. There are not enough hosts available.|CAPACITY",
                "500|Exceeded maximum number of retries. Exhausted all hosts available for retrying|CAPACITY",
                "403|Quota exceeded for instances|QUOTA",
                "500|Maximum number of ports exceeded|QUOTA",
                "400|Image is not acceptable: it is not active|INVALID",
                "500|Build of instance aborted: unexpected|CAPACITY"
            })
    void ofAServerThatNeverRan(int code, String message, Reason reason) {
        assertThat(Refusals.ofFault(code, message)).isEqualTo(reason);
    }

    static List<ErrorTable.Row> rows() {
        return ErrorTable.beside(Refusals.class, "error-codes.txt").rows();
    }

    /** Each row is what the driver makes of it; a star stands for any text. */
    @ParameterizedTest
    @MethodSource("rows")
    void everyRowIsClassifiedSo(ErrorTable.Row row) {
        String words = row.words().isEmpty() ? "said" : row.words().getFirst();
        int code = Integer.parseInt(
                row.code().replace("ERROR-", "").replace("4*", "444").replace("*", "500"));
        Reason reason = row.code().startsWith("ERROR-") ? Refusals.ofFault(code, words) : Refusals.of(code, words);
        assertThat(reason).isEqualTo(row.meaning().reason().orElseThrow());
    }

    @Test
    void theWordsAreFoundWhereverAServicePutsThem() {
        assertThat(Refusals.message(403, "{\"forbidden\": {\"code\": 403, \"message\": \"no\"}}"))
                .isEqualTo("403: no");
        assertThat(Refusals.message(409, "{\"NeutronError\": {\"type\": \"T\", \"message\": \"in use\"}}"))
                .isEqualTo("409: in use");
        assertThat(Refusals.message(401, "{\"error\": {\"message\": \"who\", \"title\": \"Unauthorized\"}}"))
                .isEqualTo("401: who");
        assertThat(Refusals.message(400, "{\"message\": \"bad\"}")).isEqualTo("400: bad");
        assertThat(Refusals.message(502, "<html><body>Bad Gateway</body></html>"))
                .isEqualTo("502");
        assertThat(Refusals.message(404, "")).isEqualTo("404");
    }

    @Test
    void wordsOfAStrangerStayOneShortLine() {
        assertThat(Refusals.line("a\n\u001b[31mb\r" + "x".repeat(1000)))
                .doesNotContain("\n", "\u001b", "\r")
                .hasSizeLessThan(310);
    }
}
