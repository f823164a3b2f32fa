package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.ApiException;
import org.spillway.api.Json;
import org.spillway.api.ManySubmissions.Ahead;
import org.spillway.api.ManySubmissions.Mode;
import org.spillway.api.ManySubmitted;
import org.spillway.api.ManySubmitted.SubmissionAnswer;

/** Many submissions of one request: what is read of them, and which answer belongs to which. */
final class SubmitRoutesTest {
    private final FakeHead head = new FakeHead();
    private final Caller bob = new Caller("bob", 1002, 1002, false);

    private static String one(String key, String more) {
        return "{\"key\":\"" + key + "\",\"job\":{\"script\":\"echo hi\",\"folder\":\"/w\"" + more + "}}";
    }

    private List<SubmissionAnswer> many(String mode, String... submissions) {
        var body = "{\"mode\":\"" + mode + "\",\"submissions\":[" + String.join(",", submissions) + "]}";
        return many(body);
    }

    private List<SubmissionAnswer> many(String body) {
        var call = new Routes.Call(bob, Map.of(), Map.of(), Map.of(), body.getBytes(StandardCharsets.UTF_8));
        var answer = new SubmitRoutes(head).many(call);
        assertThat(answer.status()).isEqualTo(200);
        return ((ManySubmitted) answer.value()).answers();
    }

    @Test
    void eachIsSubmittedUnderItsKeyOnce() {
        assertThat(many("all", one("a", ""), one("b", ",\"cpus\":2")))
                .extracting(SubmissionAnswer::id)
                .containsExactly("1", "2");
        assertThat(many("all", one("b", ",\"cpus\":2"), one("c", "")))
                .extracting(SubmissionAnswer::id)
                .containsExactly("2", "3");
        assertThat(head.submissions.get("2").cpus()).isEqualTo(2);
    }

    @Test
    void aMistakeInOneKeepsAllOfThemOrOnlyItself() {
        var asked = new String[] {one("a", ""), one("b", ",\"cpus\":0"), one("c", ",\"queue\":\"nowhere\"")};
        assertThat(many("all", asked))
                .extracting(SubmissionAnswer::code)
                .containsExactly("", "BAD_REQUEST", "UNKNOWN_QUEUE");
        assertThat(head.jobs).isEmpty();
        var each = many("each", asked);
        assertThat(each).extracting(SubmissionAnswer::id).containsExactly("1", "", "");
        assertThat(each.get(1).message()).startsWith("job.cpus: found 0");
        assertThat(head.jobs).hasSize(1);
    }

    @Test
    void aCheckSubmitsNothingAndIsToldWhatCameBefore() {
        assertThat(many("{\"mode\":\"check\",\"ahead\":{\"jobs\":7,\"characters\":9},\"submissions\":[" + one("a", "")
                        + "]}"))
                .containsExactly(SubmissionAnswer.ACCEPTABLE);
        assertThat(head.jobs).isEmpty();
        assertThat(head.batches).containsExactly(Mode.CHECK);
        assertThat(head.aheads).containsExactly(new Ahead(7, 9));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]|the body is not a JSON object",
                "{|the body is not JSON",
                "{\"submissions\":[]}|submissions: found 0",
                "{\"mode\":\"some\",\"submissions\":[1]}|mode: found 'some'",
                "{\"how\":\"all\",\"submissions\":[1]}|how: unknown field",
                "{\"ahead\":{\"jobs\":-1},\"submissions\":[1]}|ahead.jobs: found -1",
            })
    void aMistakeOfTheWholeRequestIsRefused(String body, String message) {
        assertThatThrownBy(() -> many(body)).isInstanceOf(ApiException.class).hasMessageContaining(message);
    }

    @Test
    void aKeyStandsOnceAndIsUsable() {
        assertThatThrownBy(() -> many("all", one("a", ""), one("a", "")))
                .hasMessage("submissions.key: found 'a' twice");
        assertThat(many("each", one("a b", ""), "7", "{\"key\":\"x\"}"))
                .extracting(SubmissionAnswer::message)
                .containsExactly("key: found 'a b'", "*: found 7", "job.*: found nothing");
    }

    @Test
    void aThousandJobsAreARequestAndTasksCount() {
        var all = new ArrayList<String>();
        IntStream.range(0, 1000).forEach(i -> all.add(one("k" + i, "")));
        assertThat(many("all", all.toArray(String[]::new))).hasSize(1000).noneMatch(SubmissionAnswer::isRefused);
        all.set(0, one("array", ",\"array\":{\"first\":0,\"last\":1}"));
        assertThatThrownBy(() -> many("all", all.toArray(String[]::new)))
                .hasMessage("submissions: 1001 jobs, tasks of arrays counted");
        all.add(one("more", ""));
        assertThatThrownBy(() -> many("all", all.toArray(String[]::new))).hasMessage("submissions: found 1001");
    }

    @Test
    void anAnswerSaysNoMoreThanItsFields() {
        assertThat(Json.write(new ManySubmitted(List.of(SubmissionAnswer.submitted("7")))))
                .isEqualTo("{\"answers\":[{\"id\":\"7\",\"code\":\"\",\"message\":\"\",\"hint\":\"\"}]}");
    }
}
