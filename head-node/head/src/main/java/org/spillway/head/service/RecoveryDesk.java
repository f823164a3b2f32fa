package org.spillway.head.service;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.RecoveryOrder;
import org.spillway.api.RecoveryView;
import org.spillway.head.cause.RecoveryCause;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.head.journal.RecoveryRecord.State;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.loop.sites.Recovering;
import org.spillway.head.past.Standing;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.RecoveryApi;
import org.spillway.policy.Money;

/** Machines that the journal does not know, as REST shows them, and the choices of administrators. */
final class RecoveryDesk implements RecoveryApi {
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;

    RecoveryDesk(Journal journal, Loop loop, LoopRunner runner) {
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
    }

    @Override
    public RecoveryView look() {
        return runner.ask(this::view);
    }

    private RecoveryView view(Instant now) {
        List<RecoveryView.Machine> machines = loop.recovering().all(now).stream()
                .map(found -> machine(found, now))
                .toList();
        Money accrued = Money.ZERO;
        for (RecoveryView.Machine one : machines) {
            accrued = accrued.plus(one.accrued());
        }
        Standing standing = journal.store().standing();
        return new RecoveryView(standing.quarantined(), standing.tag(), accrued, machines);
    }

    private static RecoveryView.Machine machine(Recovering.Found found, Instant now) {
        RecoveryRecord record = found.record();
        RecoveryRecord.Machine its = record.machine();
        return new RecoveryView.Machine(
                record.id(),
                its.role(),
                its.offering().zone() + "/" + its.offering().instanceType() + "/"
                        + its.offering().market(),
                record.state(),
                its.epoch(),
                its.owner(),
                its.launchedAt(),
                its.pricePerHour(),
                record.costSince(Instant.EPOCH, now),
                found.adopted().orElse(""),
                CauseViews.of(found.obstacle()),
                CauseViews.of(record.cause()));
    }

    @Override
    public RecoveryView choose(Caller caller, RecoveryOrder order) {
        return runner.ask(now -> {
            if (order.choice().equals("release")) {
                release(caller, now);
            } else {
                choose(caller, order, now);
            }
            return view(now);
        });
    }

    private void release(Caller caller, Instant now) {
        if (!loop.recovering().release(new RecoveryCause.ChosenBy(caller.user()), now)) {
            throw new ApiException(
                    Code.CONFLICT,
                    "the quarantine goes on: a site was not listed yet, nobody has chosen for a machine, or a node runs a job"
                            + " that the journal does not know",
                    "'spillway recover' lists machines: adopt, keep or end each, let such jobs end, then release again");
        }
    }

    private void choose(Caller caller, RecoveryOrder order, Instant now) {
        RecoveryRecord record = journal.recovery(order.machine())
                .filter(RecoveryRecord::isLive)
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND,
                        "no machine '" + order.machine() + "' that the journal does not know",
                        "'spillway recover' lists them"));
        State choice = switch (order.choice().toLowerCase(Locale.ROOT)) {
            case "adopt" -> State.ADOPTED;
            case "keep" -> State.KEPT;
            default -> State.ENDING;
        };
        try {
            journal.commit(now, loop.recovering().choose(record, choice, caller.user(), now));
        } catch (Recovering.NotAdopted refused) {
            throw new ApiException(
                    Code.CONFLICT,
                    record.id() + " cannot be adopted"
                            + (refused.why().isNone()
                                    ? ""
                                    : ": " + refused.why().text()),
                    "'spillway recover' shows what can");
        }
    }
}
