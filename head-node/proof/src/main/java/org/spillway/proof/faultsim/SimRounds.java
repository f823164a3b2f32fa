package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.head.loop.jobs.Orders;

/** Outputs of runs that go on, as their nodes send them: a byte a second on standard output, and rounds. The next round begins when the head has dealt with the last one. */
final class SimRounds {
    private SimRounds() {}

    static void step(JobOrder order, SimNode.Run run, SimDirector director, Instant now) {
        run.written = run.ended
                ? null
                : new Report.Written(
                        1 + Math.max(0, Duration.between(run.startedAt, now).toSeconds()), 0);
        JobOrder.Sync sync = order.sync();
        if (sync == null || run.ended) {
            run.synced = null;
            return;
        }
        Instant next = run.nextRound == null ? now.plusSeconds(sync.seconds()) : run.nextRound;
        Report.Synced last = run.synced;
        if (last != null && sync.done() < last.round()) {
            if (director.sealed.contains(key(order, last.round()))) {
                return;
            }
            // A round is gone with its director, and a later one has what was in it.
            director.sealed.add(key(order, last.round() + 1));
            run.synced = new Report.Synced(last.round() + 1, 1, SimStager.DIGEST);
            next = now.plusSeconds(sync.seconds());
        } else if (!now.isBefore(next)) {
            int round = (last == null ? 0 : last.round()) + 1;
            director.sealed.removeIf(key -> key.startsWith(key(order, 0).replaceAll("0$", "")));
            director.sealed.add(key(order, round));
            run.synced = new Report.Synced(round, 1, SimStager.DIGEST);
            next = now.plusSeconds(sync.seconds());
        }
        run.nextRound = next;
    }

    private static String key(JobOrder order, int round) {
        return Orders.syncKey(order.job(), order.attempt(), order.rank(), round);
    }
}
