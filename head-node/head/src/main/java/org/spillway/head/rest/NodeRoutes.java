package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.NodeLogsView;

/** Answers about single nodes. */
record NodeRoutes(HeadApi head) {
    private static final int MOST_BOOT = 999_999;

    Routes.Answer show(Routes.Call call) {
        Routes.needAdmin(call.caller(), "see all of a node");
        String id = call.path().getOrDefault("id", "");
        return Routes.Answer.ok(head.nodePages()
                .of(id)
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "no node '" + id + "'", "'spillway nodes --all' lists nodes")));
    }

    Routes.Answer logs(Routes.Call call) {
        Routes.needAdmin(call.caller(), "read what nodes said");
        Routes.onlyQuery(call, List.of("boot", "source"));
        String source = call.query().getOrDefault("source", "");
        if (!source.isEmpty() && !NodeLogsView.SOURCES.contains(source)) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "source: found '" + source + "'",
                    "allowed: " + String.join(", ", NodeLogsView.SOURCES));
        }
        return Routes.Answer.ok(head.nodeLogs()
                .of(
                        call.path().getOrDefault("id", ""),
                        (int) Routes.number(call, "boot", 0, MOST_BOOT),
                        source.isEmpty() ? List.of() : List.of(source)));
    }
}
