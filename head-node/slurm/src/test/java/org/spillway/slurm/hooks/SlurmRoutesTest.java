package org.spillway.slurm.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.RoutePart.Handler;
import org.spillway.head.rest.RoutePart.Reply;
import org.spillway.head.rest.RoutePart.Request;
import org.spillway.slurm.hooks.SlurmApi.Stage;

final class SlurmRoutesTest {
    private static final Caller ROOT = new Caller("root", 0, 0, true);
    private static final Caller SLURM = new Caller("slurm", 64030, 64030, false);
    private static final Caller HEAD = new Caller("spillway", 990, 990, true);
    private static final Caller ALICE = new Caller("alice", 1000, 1000, false);

    private final FakeSlurm slurm = new FakeSlurm();
    private Optional<SlurmApi> hooks = Optional.of(slurm);
    private final SlurmRoutes routes = new SlurmRoutes(() -> hooks);

    @Test
    void aStepIsReadyOrWaitsOrHasFailed() {
        slurm.stages.addFirst(new Stage.Failed("may not read /home/alice/in"));
        slurm.stages.addFirst(new Stage.Wait("41 of 120 GB are there"));
        assertThat(step(ROOT, "4711", "data-in", "#SPILLWAY in=x\n"))
                .isEqualTo(new Reply(202, Map.of("state", "wait", "message", "41 of 120 GB are there")));
        var failure = refusal(() -> step(SLURM, "4711", "data-in", "#SPILLWAY in=x\n"));
        assertThat(failure.code().status()).isEqualTo(409);
        assertThat(failure).hasMessage("may not read /home/alice/in");
        assertThat(step(SLURM, "4711", "data-out", "").status()).isEqualTo(200);
        assertThat(step(ROOT, "4711", "teardown", "").status()).isEqualTo(200);
        assertThat(slurm.asked)
                .containsExactly(
                        "data-in 4711\n#SPILLWAY in=x\n",
                        "data-in 4711\n#SPILLWAY in=x\n",
                        "data-out 4711",
                        "teardown 4711");
    }

    @Test
    void onlyRootAndSlurmsUserSpeakForOthers() {
        for (var path : List.of("/slurm/jobs/{number}/{step}", "/slurm/resume", "/slurm/suspend")) {
            for (var caller : List.of(ALICE, HEAD)) {
                var failure = refusal(() -> ask(caller, path, Map.of("number", "1", "step", "data-in"), "{}"));
                assertThat(failure.code()).as(path).isEqualTo(Code.FORBIDDEN);
            }
        }
        assertThat(slurm.asked).isEmpty();
        assertThat(routes.isTrusted(SLURM)).isTrue();
        assertThat(routes.isTrusted(ALICE)).isFalse();
    }

    @Test
    void aHeadWithoutSlurmSaysSo() {
        hooks = Optional.empty();
        for (var path : List.of("/slurm/jobs/{number}/{step}", "/slurm/resume", "/slurm/suspend", "/slurm/check")) {
            var body = "{\"nodes\":\"a\",\"lines\":\"\",\"folder\":\"/x\"}";
            assertThat(refusal(() -> ask(ROOT, path, Map.of("number", "1", "step", "data-in"), body))
                            .code())
                    .isEqualTo(Code.NOT_FOUND);
        }
        assertThat(routes.isTrusted(SLURM)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "01", "12x", "1;rm", "12345678901", "-1"})
    void aJobIsANumber(String number) {
        assertThat(refusal(() -> step(ROOT, number, "data-in", "")).code()).isEqualTo(Code.BAD_REQUEST);
    }

    @Test
    void linesAreBoundedText() {
        assertThat(refusal(() -> step(ROOT, "1", "data-in", "x".repeat(65_537))).code())
                .isEqualTo(Code.TOO_LARGE);
        var latin = new byte[] {'i', 'n', '=', (byte) 0xe9};
        var call = new Request(ROOT, Map.of("number", "1", "step", "data-in"), latin);
        assertThat(refusal(() -> handler("/slurm/jobs/{number}/{step}").answer(call)))
                .hasMessageContaining("not text in UTF-8");
        assertThat(refusal(() -> step(ROOT, "1", "stage", "")).hint()).contains("data-in, pre-run, data-out, teardown");
    }

    @Test
    void anybodyMayHaveAScriptJudged() {
        var body = "{\"lines\":\"#SPILLWAY in=x\\n\",\"folder\":\"/home/alice\",\"partitions\":\"west,gpu\"}";
        assertThat(ask(ALICE, "/slurm/check", Map.of(), body).status()).isEqualTo(200);
        assertThat(slurm.asked).containsExactly("check /home/alice [west, gpu]\n#SPILLWAY in=x\n");
        slurm.wrong = "line 1: in=x: there is no such file";
        assertThat(refusal(() -> ask(ALICE, "/slurm/check", Map.of(), body)))
                .hasMessage("line 1: in=x: there is no such file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/slurm/check|[]|the body is not a JSON object",
                "/slurm/check|{|the body is not JSON in UTF-8",
                "/slurm/check|{\"folder\":\"/x\"}|lines: missing, or no text",
                "/slurm/check|{\"lines\":\"\"}|folder: missing, or no text",
                "/slurm/check|{\"lines\":\"\",\"folder\":\"/x\",\"partitions\":[]}|partitions: missing, or no text",
                "/slurm/resume|{}|nodes: missing, or no text",
                "/slurm/suspend|{\"nodes\":\"a[1-\"}|nodes: not a host list: a[1-",
            })
    void whatCannotBeReadIsRefused(String path, String body, String message) {
        assertThat(refusal(() -> ask(ROOT, path, Map.of(), body))).hasMessage(message);
    }

    @Test
    void nodesAreNamedByAHostList() {
        var answer = ask(ROOT, "/slurm/resume", Map.of(), "{\"nodes\":\"west-gpu-[1-2],onprem1\"}");
        assertThat(Json.write(answer.value()))
                .contains("\"name\":\"west-gpu-2\",\"ours\":true")
                .contains("not a node");
        ask(SLURM, "/slurm/suspend", Map.of(), "{\"nodes\":\"west-gpu-1\"}");
        assertThat(slurm.asked).containsExactly("resume [west-gpu-1, west-gpu-2, onprem1]", "suspend [west-gpu-1]");
    }

    private Reply step(Caller caller, String number, String step, String body) {
        return ask(caller, "/slurm/jobs/{number}/{step}", Map.of("number", number, "step", step), body);
    }

    private Reply ask(Caller caller, String path, Map<String, String> names, String body) {
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        return handler(path).answer(new Request(caller, names, bytes));
    }

    private Handler handler(String path) {
        return Optional.ofNullable(routes.posts().get(path)).orElseThrow();
    }

    private static ApiException refusal(Runnable question) {
        return catchThrowableOfType(ApiException.class, question::run);
    }
}
