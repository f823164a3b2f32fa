package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.List;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.ForwardingJournalStore;
import org.spillway.head.journal.MemoryJournalStore;

/** The disk: it outlives the head, which may be killed just before or just after a write. */
final class SimStore extends ForwardingJournalStore {
    private final Draw draw;
    private double killChance;

    SimStore(MemoryJournalStore disk, Draw draw) {
        super(disk);
        this.draw = draw;
    }

    void killChance(double probability) {
        killChance = probability;
    }

    @Override
    public void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
        boolean dies = killChance > 0 && draw.chance(killChance);
        boolean before = dies && draw.chance(0.5);
        if (before) {
            throw new HeadKilled();
        }
        super.write(at, entries, transitions);
        if (dies) {
            throw new HeadKilled();
        }
    }
}
