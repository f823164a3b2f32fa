package org.spillway.head.rest;

import org.spillway.api.RecoveryOrder;
import org.spillway.api.RequestReader;
import org.spillway.head.rest.Routes.Answer;
import org.spillway.head.rest.Routes.Call;

/** Machines that the journal does not know: for administrators. */
record RecoveryRoutes(HeadApi head) {
    Answer look(Call call) {
        needAdmin(call);
        return Answer.ok(head.recovery().look());
    }

    Answer choose(Call call) {
        needAdmin(call);
        return Answer.ok(head.recovery().choose(call.caller(), RequestReader.read(call.body(), RecoveryOrder.class)));
    }

    private static void needAdmin(Call call) {
        Routes.needAdmin(call.caller(), "see or change what the journal does not know");
    }
}
