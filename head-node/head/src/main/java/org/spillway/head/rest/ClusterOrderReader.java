package org.spillway.head.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterOrder;
import org.spillway.api.Json;
import org.spillway.policy.Money;

/** Reads the body of an order for a cluster, with every bound checked. */
public final class ClusterOrderReader {
    static final int MOST_NODES = 1000;
    private static final int MOST_USERS = 50;
    private static final long LEAST_SECONDS = 30;
    static final long MOST_SECONDS = 30L * 24 * 3600;

    private ClusterOrderReader() {}

    /** @throws ApiException BAD_REQUEST naming the field */
    public static ClusterOrder read(byte[] bytes) {
        JsonNode body;
        try {
            body = Json.tree(bytes);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
        return new ClusterOrder(
                word(
                        body,
                        "name",
                        "[a-z][a-z0-9-]{0,29}",
                        "a letter, then lower-case letters, digits and dashes, 30 at most"),
                word(body, "site", "[a-z0-9][a-z0-9-]{0,39}", "a site's name"),
                (int) number(body, "nodes", 1, MOST_NODES),
                (int) number(body, "gpus", 0, 1000),
                word(body, "type", "\\S{0,100}", "an instance type of the provider"),
                number(body, "ttlSeconds", LEAST_SECONDS, MOST_SECONDS),
                budget(body),
                users(body.path("users")),
                word(body, "results", "(/[^\\p{Cntrl}]{1,1000})?", "an absolute path, or nothing"),
                word(body, "image", "[a-z0-9-]{0,40}", "an image's name, or nothing"),
                word(body, "workload", "(embedded|slurm)?", "embedded, slurm"));
    }

    static String word(JsonNode body, String field, String pattern, String allowed) {
        var text = body.path(field).asText("");
        if (!text.matches(pattern)) {
            throw bad(field + ": found '" + text.replaceAll("\\p{Cntrl}", "?") + "'", allowed);
        }
        return text;
    }

    static long number(JsonNode body, String field, long least, long most) {
        var value = body.path(field);
        boolean usual = value.isMissingNode() && least == 0;
        if (!usual && !value.isIntegralNumber()) {
            throw bad(field + ": found '" + value.asText("") + "'", "a whole number from " + least + " to " + most);
        }
        long number = value.asLong(0);
        if (number < least || number > most) {
            throw bad(field + ": found " + number, least + " to " + most);
        }
        return number;
    }

    static Money budget(JsonNode body) {
        var text = body.path("budget").asText("");
        try {
            var budget = Money.parse(text);
            if (budget.isMoreThan(Money.ZERO)) {
                return budget;
            }
        } catch (RuntimeException malformed) {
            throw bad("budget: found '" + text.replaceAll("\\p{Cntrl}", "?") + "'", "an amount such as 50 or 2.50");
        }
        throw bad("budget: found '" + text + "'", "more than 0");
    }

    private static List<String> users(JsonNode list) {
        if (!list.isMissingNode() && !list.isArray()) {
            throw bad("users: not a list", "a list of login names");
        }
        if (list.size() > MOST_USERS) {
            throw bad("users: found " + list.size(), "at most " + MOST_USERS);
        }
        var users = new ArrayList<String>();
        for (var item : list) {
            var user = item.asText("");
            if (!user.matches("[A-Za-z0-9_][A-Za-z0-9_.@-]{0,254}")) {
                throw bad("users: found '" + user.replaceAll("\\p{Cntrl}", "?") + "'", "login names");
            }
            users.add(user);
        }
        return users;
    }

    static ApiException bad(String found, String allowed) {
        return new ApiException(Code.BAD_REQUEST, found, "allowed: " + allowed);
    }
}
