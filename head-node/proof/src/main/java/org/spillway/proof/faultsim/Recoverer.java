package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.cause.RecoveryCause;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.head.journal.RecoveryRecord.State;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.nodes.OrderRefused;
import org.spillway.head.loop.sites.Recovering;

/**
 * The administrator after the journal was put back: adopts, keeps and ends what it does not know, now this and now that, releases
 * the quarantine when nothing is left to choose for, and ends in the end what was kept. Draws from a stream of its own.
 */
final class Recoverer {
    private static final Duration AT_LAST = Duration.ofMinutes(6);

    private final SimWorld world;
    private final Restored restored;
    private final Draw draw;
    private final Map<String, State> wishes = new HashMap<>();
    private final int comesAfterSeconds;

    Recoverer(SimWorld world, Restored restored, Draw draw) {
        this.world = world;
        this.restored = restored;
        this.draw = draw;
        this.comesAfterSeconds = draw.between(5, 300);
    }

    void step(Loop loop, Journal journal) {
        Instant now = world.clock.now();
        Instant comes = restored.putBackAt().plusSeconds(comesAfterSeconds);
        if (!restored.isPutBack() || now.isBefore(comes) || !draw.chance(0.1)) {
            return;
        }
        boolean last = now.isAfter(comes.plus(AT_LAST));
        for (Recovering.Found found : loop.recovering().all(now)) {
            RecoveryRecord record = found.record();
            State wish = wishes.computeIfAbsent(record.id(), any -> drawn());
            State choice = last && !isBusy(record) ? State.ENDING : wish;
            boolean may = choice != State.ADOPTED || found.adopted().isPresent();
            boolean anew = record.found() != choice && record.found() != State.ENDING;
            if (may && anew) {
                journal.commit(now, loop.recovering().choose(record, choice, "ada", now));
                world.drew("machine chosen for: " + choice.name().toLowerCase(java.util.Locale.ROOT));
            }
        }
        if (draw.chance(0.2)) {
            loop.recovering().release(new RecoveryCause.ChosenBy("ada"), now);
        }
        if (last) {
            List<NodeRecord> adopted = journal.liveNodes().stream()
                    .filter(node -> !node.isDirector() && node.care().keep())
                    .toList();
            adopted.stream().filter(node -> !isBusy(node)).forEach(node -> told(loop, node, now));
        }
    }

    private State drawn() {
        return draw.chance(0.5) ? State.ADOPTED : draw.chance(0.5) ? State.KEPT : State.ENDING;
    }

    private boolean isBusy(RecoveryRecord record) {
        SimSite site = world.site(record.machine().site());
        SimProvider.Machine machine =
                site.provider.machines.get(record.machine().instance());
        return machine != null && restored.isBusy(site, machine);
    }

    private boolean isBusy(NodeRecord node) {
        SimSite site = world.site(node.site());
        SimProvider.Machine machine = site.provider.machines.get(node.instance());
        return machine != null && restored.isBusy(site, machine);
    }

    private static void told(Loop loop, NodeRecord node, Instant now) {
        try {
            loop.changeNode(node.id(), NodeAction.UNKEEP, now);
            loop.changeNode(node.id(), NodeAction.REMOVE, now);
        } catch (OrderRefused refused) {
            // The next look tells it again.
        }
    }
}
