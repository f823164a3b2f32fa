package org.spillway.head.service;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.DecisionLine;
import org.spillway.api.DecisionView;
import org.spillway.api.ReplayView;
import org.spillway.head.explain.DecisionStory;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.DecisionLog;
import org.spillway.head.replay.Replay;
import org.spillway.head.rest.DecisionsApi;

/** The journal's decisions as REST shows them. Any thread: nothing of it needs the loop. */
public final class DecisionDesk implements DecisionsApi {
    private final DecisionLog log;
    private final Replay replay;

    public DecisionDesk(DecisionLog log, Replay.Policies policies) {
        this.log = log;
        this.replay = new Replay(policies);
    }

    @Override
    public List<DecisionLine> latest(int most) {
        return log.latest(most).stream()
                .map(line -> new DecisionLine(line.id(), line.at()))
                .toList();
    }

    @Override
    public DecisionView decision(String id) {
        return view(find(id));
    }

    static DecisionView view(DecisionEntry decision) {
        return DecisionView.of(view -> {
            view.id = decision.id();
            view.at = decision.plan().at();
            view.policy = decision.plan().policy();
            view.version = decision.made().version();
            view.release = decision.made().release();
            view.saw = DecisionStory.saw(decision.snapshot());
            view.steps = DecisionStory.did(decision.plan());
            view.limits = DecisionStory.limits(decision.plan());
            view.launches = decision.launches().stream()
                    .map(launch -> new DecisionView.LaunchChoice(
                            launch.chosen().toString(),
                            launch.count(),
                            launch.cost(),
                            launch.others().stream()
                                    .map(other -> new DecisionView.OtherChoice(
                                            other.offering().toString(), other.count(), other.cost(), other.why()))
                                    .toList(),
                            launch.more()))
                    .toList();
            view.dry = decision.dry();
        });
    }

    @Override
    public ReplayView replay(String id) {
        Replay.Outcome outcome = replay.of(find(id));
        return new ReplayView(
                outcome.decision(),
                outcome.at(),
                outcome.policy(),
                outcome.verdict().name(),
                outcome.differences());
    }

    private DecisionEntry find(String id) {
        return log.find(id)
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "no decision '" + id + "'", "'spillway replay --last 10' names the latest"));
    }
}
