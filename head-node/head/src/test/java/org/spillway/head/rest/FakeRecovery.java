package org.spillway.head.rest;

import java.util.List;
import java.util.Map;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.CauseView;
import org.spillway.api.RecoveryOrder;
import org.spillway.api.RecoveryView;
import org.spillway.policy.Money;

/** Two machines that a journal does not know, of which one can be adopted; what is chosen is noted. */
record FakeRecovery(List<String> changes) implements RecoveryApi {
    @Override
    public RecoveryView look() {
        return new RecoveryView(
                true,
                "0123456789ab.2.c0ffee00",
                Money.parse("0.75"),
                List.of(
                        machine(
                                "east/i-1",
                                "DIRECTOR",
                                "FOUND",
                                "east-director-7",
                                CauseView.NONE,
                                new CauseView(
                                        "NOT_IN_JOURNAL",
                                        Map.of(),
                                        "no node of the journal has it, and the journal does not know all of its past")),
                        machine(
                                "east/i-2",
                                "NODE",
                                "FOUND",
                                "",
                                new CauseView(
                                        "NODE_UNHEARD", Map.of(), "no director of the journal reports it\u001b[2J"),
                                new CauseView("NOT_IN_JOURNAL", Map.of(), "no node of the journal has it"))));
    }

    private static RecoveryView.Machine machine(
            String id, String role, String state, String adoptable, CauseView obstacle, CauseView cause) {
        return new RecoveryView.Machine(
                id,
                role,
                "a/small/ON_DEMAND",
                state,
                1,
                "spillway",
                FakeHead.NOON,
                Money.parse("0.5"),
                Money.parse("0.375"),
                adoptable,
                obstacle,
                cause);
    }

    @Override
    public RecoveryView choose(Caller caller, RecoveryOrder order) {
        if (order.machine().equals("east/i-2") && order.choice().equals("adopt")) {
            throw new ApiException(Code.CONFLICT, "east/i-2 cannot be adopted", "'spillway recover' shows what can");
        }
        changes.add((order.choice() + " " + order.machine()).strip());
        return look();
    }
}
