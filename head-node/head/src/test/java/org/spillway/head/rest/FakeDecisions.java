package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.DecisionLine;
import org.spillway.api.DecisionView;
import org.spillway.api.ReplayView;
import org.spillway.policy.Money;

/** Three decisions, of which the second would be another now. */
public final class FakeDecisions implements DecisionsApi {
    @Override
    public List<DecisionLine> latest(int most) {
        return List.of(line("d3"), line("d2"), line("d1")).subList(0, Math.min(most, 3));
    }

    private static DecisionLine line(String id) {
        return new DecisionLine(id, FakeHead.NOON);
    }

    @Override
    public DecisionView decision(String id) {
        known(id);
        return DecisionView.of(view -> {
            view.id = id;
            view.at = FakeHead.NOON;
            view.policy = "queue-depth";
            view.release = "1.0";
            view.saw = List.of("2 waiting jobs in 1 shape", "no nodes", "budget: 46.50 left");
            view.steps = List.of("launch 2 x east/a/small/ON_DEMAND, at most 1.00: 2 jobs wait");
            view.limits = List.of("gpu@east: no offering of site east has 8 GPUs\u001b[2J");
            view.launches = List.of(new DecisionView.LaunchChoice(
                    "east/a/small/ON_DEMAND",
                    2,
                    Money.parse("1"),
                    List.of(new DecisionView.OtherChoice(
                            "east/a/large/ON_DEMAND", 1, Money.parse("1.2"), "it costs 0.20 more")),
                    3));
        });
    }

    @Override
    public ReplayView replay(String id) {
        known(id);
        boolean differs = id.equals("d2");
        return new ReplayView(
                id,
                FakeHead.NOON,
                "queue-depth",
                differs ? "DIFFERS" : "IDENTICAL",
                differs ? List.of("step 1: was nothing, is Release[node=east-1, reason=idle]") : List.of());
    }

    private static void known(String id) {
        if (!id.matches("d[123]")) {
            throw new ApiException(
                    Code.NOT_FOUND, "no decision '" + id + "'", "'spillway replay --last 10' names the latest");
        }
    }
}
