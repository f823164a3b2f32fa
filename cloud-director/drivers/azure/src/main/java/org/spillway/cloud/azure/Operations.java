package org.spillway.cloud.azure;

import com.azure.core.http.HttpMethod;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Locale;
import org.spillway.policy.LaunchOutcome.Reason;

/** Follows what the resource manager has accepted, for a bounded time. */
final class Operations {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(25);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(5);
    private final Arm arm;

    Operations(Arm arm) {
        this.arm = arm;
    }

    /**
     * Outcome of an accepted operation.
     *
     * @return {@code Done} when it has succeeded, {@code Refused} with the operation's own error when it has failed,
     *     {@code Unclear} when the time is over or nobody can say
     */
    Answer<JsonNode> follow(Answer<JsonNode> accepted, Duration patience) {
        if (!(accepted instanceof Answer.Done<JsonNode> done)
                || done.operation().isEmpty()) {
            return accepted;
        }
        long deadline = System.nanoTime() + patience.toNanos();
        Duration pause = done.pauseSeconds() > 0 ? Duration.ofSeconds(done.pauseSeconds()) : FIRST_PAUSE;
        String trouble = "still at work after " + patience.toSeconds() + " s";
        while (true) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return new Answer.Unclear<>(trouble);
            }
            if (!sleep(Duration.ofNanos(Math.min(left, Math.min(pause.toNanos(), MAX_PAUSE.toNanos()))))) {
                return new Answer.Unclear<>("interrupted while following an operation");
            }
            pause = pause.multipliedBy(2);
            switch (arm.raw(HttpMethod.GET, done.operation())) {
                case Answer.Done<JsonNode> look -> {
                    if (look.pauseSeconds() > 0) {
                        pause = Duration.ofSeconds(look.pauseSeconds());
                    }
                    String status =
                            look.body().path("status").asText(look.status() == 202 ? "InProgress" : "Succeeded");
                    switch (status.toLowerCase(Locale.ROOT)) {
                        case "succeeded" -> {
                            return done;
                        }
                        case "failed", "canceled" -> {
                            return failed(look.body().path("error"), status);
                        }
                        default -> trouble = status + " after " + patience.toSeconds() + " s";
                    }
                }
                case Answer.Refused<JsonNode> no when no.status() == 429 -> trouble = no.message();
                case Answer.Refused<JsonNode> no -> {
                    return new Answer.Unclear<>("the operation cannot be followed: " + no.message());
                }
                // Looking again does no harm, and the time is bounded.
                case Answer.Unsent<JsonNode> unsent -> trouble = unsent.message();
                case Answer.Unclear<JsonNode> unclear -> trouble = unclear.message();
            }
        }
    }

    /** A failed operation has an error's code and sentence. */
    private static Answer<JsonNode> failed(JsonNode error, String status) {
        ErrorBody said = ErrorBody.of(error);
        Reason reason = ArmErrors.reason(said.code(), said.message()).orElse(Reason.INVALID);
        String code = said.code().isEmpty() ? status : said.code();
        return new Answer.Refused<>(409, said.code(), reason, code + ": " + said.message());
    }

    static boolean sleep(Duration time) {
        try {
            Thread.sleep(time);
            return true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
