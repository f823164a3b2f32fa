package org.spillway.head.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterChange;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterTerms;
import org.spillway.api.Json;
import org.spillway.policy.Money;

/** Reads what is to be changed of a cluster on demand, with every bound checked. */
public final class ClusterChangeReader {
    private static final int MOST_WORDS = 100;
    private static final int MOST_CHARACTERS = 4000;
    private static final int MOST_REASON = 300;

    private ClusterChangeReader() {}

    /** @throws ApiException NOT_FOUND for another action, BAD_REQUEST naming the field */
    public static ClusterChange read(String action, byte[] bytes) {
        return switch (action) {
            case "scale" ->
                new ClusterChange.Scale(
                        (int) ClusterOrderReader.number(body(bytes), "nodes", 1, ClusterOrderReader.MOST_NODES));
            case "extend" -> extend(body(bytes));
            case "stop" -> stop(bytes);
            case "start" -> new ClusterChange.Start();
            case "approve" -> new ClusterChange.Approve();
            case "reject" -> reject(body(bytes));
            default ->
                throw new ApiException(
                        Code.NOT_FOUND,
                        "a cluster has no action " + action,
                        "scale, extend, stop, start, approve, reject and delete");
        };
    }

    private static ClusterChange extend(JsonNode body) {
        long seconds = ClusterOrderReader.number(body, "ttlSeconds", 0, ClusterOrderReader.MOST_SECONDS);
        Money budget = body.has("budget") ? ClusterOrderReader.budget(body) : Money.ZERO;
        if (seconds == 0 && budget.equals(Money.ZERO)) {
            throw ClusterOrderReader.bad(
                    "neither ttlSeconds nor budget", "one of them, by how much there is to be more");
        }
        return new ClusterChange.Extend(seconds, budget);
    }

    private static ClusterChange reject(JsonNode body) {
        String why = body.path("why").asText("").strip();
        if (why.isEmpty() || why.length() > MOST_REASON || !why.equals(why.replaceAll("[\\p{Cc}\\p{Cf}]", "?"))) {
            throw ClusterOrderReader.bad("why: not usable", "one line of 1 to " + MOST_REASON + " characters");
        }
        return new ClusterChange.Reject(why);
    }

    private static ClusterChange stop(byte[] bytes) {
        if (bytes.length == 0) {
            return new ClusterChange.Stop(false);
        }
        JsonNode now = body(bytes).path("now");
        if (!now.isMissingNode() && !now.isBoolean()) {
            throw ClusterOrderReader.bad("now: found '" + now.asText("") + "'", "true, false");
        }
        return new ClusterChange.Stop(now.asBoolean(false));
    }

    /** @throws ApiException BAD_REQUEST naming the field */
    static ClusterTerms terms(byte[] bytes) {
        JsonNode body = body(bytes);
        return new ClusterTerms(
                ClusterOrderReader.word(body, "site", "[a-z0-9][a-z0-9-]{0,39}", "a site's name"),
                (int) ClusterOrderReader.number(body, "nodes", 1, ClusterOrderReader.MOST_NODES),
                ClusterOrderReader.budget(body));
    }

    /** @throws ApiException BAD_REQUEST naming the field */
    static ClusterRun run(byte[] bytes) {
        JsonNode words = body(bytes).path("command");
        if (!words.isArray() || words.isEmpty() || words.size() > MOST_WORDS) {
            throw ClusterOrderReader.bad("command: not usable", "a list of 1 to " + MOST_WORDS + " words");
        }
        var command = new ArrayList<String>();
        for (JsonNode word : words) {
            String text = word.asText("");
            if (!word.isTextual() || text.length() > MOST_CHARACTERS || text.matches("(?s).*[\\x00\\r\\n].*")) {
                throw ClusterOrderReader.bad(
                        "command: a word that is not usable",
                        "at most " + MOST_CHARACTERS + " characters, no line ends");
            }
            command.add(text);
        }
        return new ClusterRun(command);
    }

    private static JsonNode body(byte[] bytes) {
        try {
            return Json.tree(bytes);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
    }
}
