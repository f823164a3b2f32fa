package org.spillway.head.rest;

import java.util.List;
import java.util.Map;
import org.spillway.api.ApiException;
import org.spillway.api.RequestReader;
import org.spillway.api.RolloutOrder;
import org.spillway.head.rest.Routes.Call;

/** Versions of root file systems on the nodes of categories. */
record RolloutRoutes(HeadApi head) {
    Routes.Answer list(Call call) {
        Routes.needAdmin(call.caller(), "see rollouts");
        return Routes.Answer.ok(Map.of("rollouts", head.rollouts().list()));
    }

    Routes.Answer begin(Call call) {
        Routes.needAdmin(call.caller(), "begin rollouts");
        return new Routes.Answer(
                202,
                head.rollouts()
                        .begin(call.caller(), category(call), RequestReader.read(call.body(), RolloutOrder.class)));
    }

    Routes.Answer change(Call call) {
        Routes.needAdmin(call.caller(), "change rollouts");
        return new Routes.Answer(
                202,
                head.rollouts()
                        .change(call.caller(), category(call), call.path().getOrDefault("action", "")));
    }

    Routes.Answer drift(Call call) {
        Routes.needAdmin(call.caller(), "look at the roots of nodes");
        Routes.onlyQuery(call, List.of("look", "whole"));
        String look = call.query().getOrDefault("look", "");
        if (!look.matches("[0-9a-f]{16}")) {
            throw new ApiException(
                    ApiException.Code.BAD_REQUEST,
                    "look: found '" + look + "'",
                    "allowed: 16 hexadecimal digits, drawn for each look");
        }
        return Routes.Answer.ok(
                head.rollouts().drift(call.path().getOrDefault("id", ""), look, Routes.flag(call, "whole")));
    }

    private static String category(Call call) {
        return call.path().getOrDefault("category", "");
    }
}
