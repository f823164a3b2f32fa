package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.ForwardingJournalStore;
import org.spillway.head.journal.MemoryJournalStore;

/** The disk: it outlives the head, which may be killed just before or just after a write. */
final class SimStore extends ForwardingJournalStore {
    private final Draw draw;
    private double killChance;
    private @Nullable SimPast past;
    private @Nullable Instant latest;

    SimStore(MemoryJournalStore disk, Draw draw) {
        super(disk);
        this.draw = draw;
    }

    /** As the production store says it: the time of the last step that was written. */
    @Override
    public Optional<Instant> latest() {
        return Optional.ofNullable(latest);
    }

    void killChance(double probability) {
        killChance = probability;
    }

    /** From now on its past is kept. */
    void keeps(SimPast its) {
        past = its;
    }

    @Override
    public long nextSequence() {
        long number = super.nextSequence();
        if (past != null) {
            past.gave(number);
        }
        return number;
    }

    @Override
    public void release() {
        super.release();
        if (past != null) {
            past.released();
        }
    }

    @Override
    public void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
        boolean dies = killChance > 0 && draw.chance(killChance);
        boolean before = dies && draw.chance(0.5);
        if (before) {
            throw new HeadKilled();
        }
        super.write(at, entries, transitions);
        transitions.stream()
                .map(Transition::at)
                .filter(step -> latest == null || step.isAfter(latest))
                .forEach(step -> latest = step);
        if (past != null) {
            past.wrote(at, entries);
        }
        if (dies) {
            throw new HeadKilled();
        }
    }
}
