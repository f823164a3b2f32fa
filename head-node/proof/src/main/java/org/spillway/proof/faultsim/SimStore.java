package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.spillway.head.journal.DecisionLog;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.MemoryJournalStore;

/** The disk: it outlives the head, which may be killed just before or just after a write. */
final class SimStore implements JournalStore {
    private final MemoryJournalStore disk;
    private final Draw draw;
    private double killChance;

    SimStore(MemoryJournalStore disk, Draw draw) {
        this.disk = disk;
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
        disk.write(at, entries, transitions);
        if (dies) {
            throw new HeadKilled();
        }
    }

    @Override
    public List<Entry> load(Instant costFrom) {
        return disk.load(costFrom);
    }

    @Override
    public Optional<JobRecord> job(String id) {
        return disk.job(id);
    }

    @Override
    public Optional<JobRecord> jobByKey(int uid, String idempotencyKey) {
        return disk.jobByKey(uid, idempotencyKey);
    }

    @Override
    public List<JobRecord> endedJobs(OptionalInt uid, int limit) {
        return disk.endedJobs(uid, limit);
    }

    @Override
    public List<JobRecord> tasks(String array) {
        return disk.tasks(array);
    }

    @Override
    public List<Transition> timeline(String kind, String id) {
        return disk.timeline(kind, id);
    }

    @Override
    public DecisionLog decisions() {
        return disk.decisions();
    }

    @Override
    public long nextSequence() {
        return disk.nextSequence();
    }

    @Override
    public int prune(Instant before, int most) {
        return disk.prune(before, most);
    }

    @Override
    public void close() {}
}
