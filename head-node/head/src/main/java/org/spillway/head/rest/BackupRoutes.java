package org.spillway.head.rest;

import java.util.Map;
import org.spillway.api.BackupOrder;
import org.spillway.api.RequestReader;
import org.spillway.head.rest.Routes.Call;

/** Copies of the journal: they hold everybody's scripts. */
record BackupRoutes(HeadApi head) {
    private static final String WHAT = "see or make backups";

    Routes.Answer list(Call call) {
        Routes.needAdmin(call.caller(), WHAT);
        return Routes.Answer.ok(Map.of("backups", head.backups().latest()));
    }

    Routes.Answer begin(Call call) {
        Routes.needAdmin(call.caller(), WHAT);
        return new Routes.Answer(202, head.backups().begin(RequestReader.read(call.body(), BackupOrder.class)));
    }
}
