package org.spillway.head.rest;

import java.util.List;
import java.util.Map;
import org.spillway.api.RequestReader;
import org.spillway.api.StageOrder;
import org.spillway.head.rest.Routes.Call;

/** Files that are brought to sites ahead of any job. */
record StageRoutes(HeadApi head) {
    Routes.Answer list(Call call) {
        Routes.onlyQuery(call, List.of("site"));
        return Routes.Answer.ok(Map.of(
                "stages", head.stages().list(call.caller(), call.query().getOrDefault("site", ""))));
    }

    Routes.Answer one(Call call) {
        return Routes.Answer.ok(head.stages().get(call.caller(), id(call)));
    }

    Routes.Answer begin(Call call) {
        return new Routes.Answer(
                202, head.stages().begin(call.caller(), RequestReader.read(call.body(), StageOrder.class)));
    }

    Routes.Answer remove(Call call) {
        return new Routes.Answer(202, head.stages().remove(call.caller(), id(call)));
    }

    private static String id(Call call) {
        return call.path().getOrDefault("id", "");
    }
}
