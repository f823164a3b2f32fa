package org.spillway.head.service;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.BreakerView;
import org.spillway.api.CauseView;
import org.spillway.head.cause.BreakerCause;
import org.spillway.head.journal.BreakerEntry;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.rest.BreakersApi;
import org.spillway.head.rest.Caller;
import org.spillway.scaler.plan.Breakers;

/** The journal's breakers as REST shows them; a closing is journalled, so that a restart keeps it. */
final class BreakerDesk implements BreakersApi {
    private final Journal journal;
    private final LoopRunner runner;

    BreakerDesk(Journal journal, LoopRunner runner) {
        this.journal = journal;
        this.runner = runner;
    }

    @Override
    public List<BreakerView> list() {
        return Breakers.sorted(journal.breakers()).stream()
                .map(BreakerDesk::view)
                .toList();
    }

    @Override
    public BreakerView close(Caller caller, String name) {
        return runner.change("breaker " + name, now -> {
            Breakers.State known = journal.breakers().stream()
                    .filter(state -> state.id().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new ApiException(
                            Code.NOT_FOUND, "no breaker '" + name + "'", "'spillway breaker list' names them"));
            if (!known.open()) {
                return Change.none(view(known));
            }
            Breakers.State closed = known.closedBy(caller.user(), now);
            return new Change<>(List.of(new BreakerEntry(closed)), view(closed));
        });
    }

    private static BreakerView view(Breakers.State state) {
        CauseView cause = CauseViews.of(BreakerCause.of(state.seen()));
        return new BreakerView(
                state.id(),
                state.open(),
                cause.text(),
                state.since(),
                state.open() ? Breakers.remedy(state) : "",
                cause);
    }
}
