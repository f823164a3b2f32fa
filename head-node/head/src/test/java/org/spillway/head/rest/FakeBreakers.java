package org.spillway.head.rest;

import java.util.List;
import java.util.Map;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.BreakerView;
import org.spillway.api.CauseView;

/**
 * Breakers as {@link FakeHead} has them.
 *
 * @param changes takes what is asked
 */
record FakeBreakers(List<String> changes) implements BreakersApi {
    private static final BreakerView POOL = new BreakerView(
            "pool:east/a/small/ON_DEMAND",
            true,
            "10 nodes in a row of east/a/small/ON_DEMAND did not come up, the last: gate\u001b[2J",
            FakeHead.NOON,
            "when the cause is mended: spillway breaker close pool:east/a/small/ON_DEMAND",
            new CauseView(
                    "NODES_NOT_UP",
                    Map.of("nodes", 10),
                    "10 nodes in a row of east/a/small/ON_DEMAND did not come up, the last: gate"));

    @Override
    public List<BreakerView> list() {
        return List.of(
                POOL,
                new BreakerView("heartbeat:west", false, "the director is heard", FakeHead.NOON, "", CauseView.NONE));
    }

    @Override
    public BreakerView close(Caller caller, String name) {
        if (!name.equals(POOL.name())) {
            throw new ApiException(Code.NOT_FOUND, "no breaker '" + name + "'", "'spillway breaker list' names them");
        }
        changes.add("close " + name);
        return new BreakerView(name, false, "closed by " + caller.user(), FakeHead.NOON, "", CauseView.NONE);
    }
}
