package org.spillway.slurm.hooks;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.RoutePart;
import org.spillway.slurm.manager.HostList;
import org.spillway.slurm.manager.StagingLines;

/** The questions of Slurm's hooks; see {@link SlurmApi}. */
public final class SlurmRoutes implements RoutePart {
    private final Supplier<Optional<SlurmApi>> slurm;

    /** @param slurm empty while another manager is this head's */
    public SlurmRoutes(Supplier<Optional<SlurmApi>> slurm) {
        this.slurm = slurm;
    }

    @Override
    public boolean isTrusted(Caller caller) {
        return slurm.get().filter(hooks -> hooks.mayAct(caller)).isPresent();
    }

    @Override
    public Map<String, Handler> posts() {
        return Map.of(
                "/slurm/jobs/{number}/{step}", this::step,
                "/slurm/check", this::check,
                "/slurm/resume", this::resume,
                "/slurm/suspend", this::suspend);
    }

    private SlurmApi hooks() {
        return slurm.get()
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "this head has no Slurm", "workload.manager in its configuration is embedded"));
    }

    private SlurmApi trusted(Request call) {
        var hooks = hooks();
        if (!hooks.mayAct(call.caller())) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + call.caller().user() + " may not speak for Slurm",
                    "only root and the user of workload.slurm.user may");
        }
        return hooks;
    }

    private Reply step(Request call) {
        var hooks = trusted(call);
        var number = call.path().getOrDefault("number", "");
        if (!number.matches("[1-9][0-9]{0,9}")) {
            throw bad("number: found '" + number + "'", "allowed: the digits of a job's id");
        }
        var step = call.path().getOrDefault("step", "");
        return answer(
                switch (step) {
                    case "data-in" -> hooks.dataIn(number, lines(call.body()));
                    case "pre-run" -> hooks.preRun(number);
                    case "data-out" -> hooks.dataOut(number);
                    case "teardown" -> hooks.teardown(number);
                    default -> throw bad("step: found '" + step + "'", "allowed: data-in, pre-run, data-out, teardown");
                });
    }

    private static Reply answer(SlurmApi.Stage stage) {
        return switch (stage) {
            case SlurmApi.Stage.Ready ready -> new Reply(200, Map.of("state", "ready", "message", ""));
            case SlurmApi.Stage.Wait wait -> new Reply(202, Map.of("state", "wait", "message", wait.why()));
            case SlurmApi.Stage.Failed failed -> throw new ApiException(Code.CONFLICT, failed.why(), "");
        };
    }

    private static String lines(byte[] body) {
        if (body.length > StagingLines.MOST_BYTES) {
            throw new ApiException(
                    Code.TOO_LARGE,
                    "the #SPILLWAY lines have more than " + StagingLines.MOST_BYTES / 1024 + " KiB",
                    "put what belongs together into a folder");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw bad("the #SPILLWAY lines are not text in UTF-8", "write names in UTF-8");
        }
    }

    private Reply check(Request call) {
        var body = body(call.body());
        var lines = text(body, "lines", StagingLines.MOST_BYTES);
        var partitions = body.path("partitions").isMissingNode() ? "" : text(body, "partitions", 4096);
        var script = new SlurmScript(
                lines,
                text(body, "folder", 4096),
                Stream.of(partitions.split(",", -1))
                        .filter(name -> !name.isEmpty())
                        .toList());
        hooks().check(call.caller(), script);
        return new Reply(200, Map.of("state", "ready", "message", ""));
    }

    private Reply resume(Request call) {
        var hooks = trusted(call);
        return new Reply(200, Map.of("nodes", hooks.resume(names(call))));
    }

    private Reply suspend(Request call) {
        var hooks = trusted(call);
        return new Reply(200, Map.of("nodes", hooks.suspend(names(call))));
    }

    private static List<String> names(Request call) {
        var list = text(body(call.body()), "nodes", 1024 * 1024);
        try {
            return HostList.names(list);
        } catch (NumberFormatException malformed) {
            throw bad("nodes: " + malformed.getMessage(), "allowed: a host list of Slurm, such as west-gpu-[1-4]");
        }
    }

    private static JsonNode body(byte[] bytes) {
        try {
            var body = Json.tree(bytes);
            if (body.isObject()) {
                return body;
            }
        } catch (IOException malformed) {
            throw bad("the body is not JSON in UTF-8", "send one JSON object");
        }
        throw bad("the body is not a JSON object", "send one JSON object");
    }

    private static String text(JsonNode body, String field, int most) {
        var value = body.path(field);
        if (!value.isTextual() || value.textValue().length() > most) {
            throw bad(field + ": missing, or no text", "allowed: a text of at most " + most + " characters");
        }
        return value.textValue();
    }

    private static ApiException bad(String message, String hint) {
        return new ApiException(Code.BAD_REQUEST, message, hint);
    }
}
