package org.spillway.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.policy.Money;

/** The fields of a record are read as it says, and nothing else is. */
final class RequestReaderTest {
    private static final String CLUSTER =
            "{\"name\":\"c\",\"site\":\"east\",\"nodes\":1,\"ttlSeconds\":60,\"budget\":\"5\"%s}";

    private static <R extends Record> R read(String body, Class<R> type) {
        return RequestReader.read(body.getBytes(StandardCharsets.UTF_8), type);
    }

    @Test
    void whatIsLeftOutIsAsUsual() {
        assertThat(read(CLUSTER.formatted(""), ClusterOrder.class))
                .isEqualTo(new ClusterOrder("c", "east", 1, 0, "", 60, Money.parse("5"), List.of(), "", "", ""));
        assertThat(read("{\"script\":\"true\",\"folder\":\"/w\"}", JobSubmission.class))
                .isEqualTo(JobSubmission.of(job -> {
                    job.script = "true";
                    job.folder = "/w";
                }));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                ",\"gpus\":1001|gpus: found 1001|allowed: a whole number from 0 to 1000",
                ",\"gpus\":\"1\"|gpus: found '1'|allowed: a whole number from 0 to 1000",
                ",\"users\":[\"a b\"]|users: found 'a b'|allowed: login names",
                ",\"users\":\"ada\"|users: found 'ada'|allowed: a list of at most 50",
                ",\"workload\":\"a b\"|workload: found 'a b'|allowed: a workload manager's name, or nothing",
                ",\"results\":\"here\\u0007\"|results: found 'here?'|allowed: an absolute path, or nothing",
                ",\"uid\":0|uid: unknown field|allowed: name, site, nodes, gpus, type, ttlSeconds, budget, users, results, image, workload",
            })
    void whatTheRecordDoesNotAllowIsRefusedByItsName(String more, String message, String hint) {
        assertThatThrownBy(() -> read(CLUSTER.formatted(more), ClusterOrder.class))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.hint()).isEqualTo(hint))
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}|neither ttlSeconds nor budget",
                "{\"budget\":\"-1\"}|budget: found '-1'",
                "{\"budget\":\"much\"}|budget: found 'much'",
                "{\"ttlSeconds\":2592001}|ttlSeconds: found 2592001",
            })
    void moreOfNothingIsNoChange(String body, String message) {
        assertThatThrownBy(() -> read(body, ClusterChange.Extend.class)).hasMessage(message);
    }

    @Test
    void onePathsPatternIsForAllThatIsAbsolute() {
        for (String path : List.of("/a/..", "/a/./b", "a", "/a/", "/", "")) {
            assertThatThrownBy(() -> read("{\"script\":\"x\",\"folder\":\"" + path + "\"}", JobSubmission.class))
                    .hasMessageContaining("folder: found '" + path + "'");
        }
        assertThat(read("{\"script\":\"x\",\"folder\":\"/a/..b/.c\"}", JobSubmission.class)
                        .folder())
                .isEqualTo("/a/..b/.c");
    }
}
