package org.spillway.head.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A journal in memory that outlives a simulated head; for the simulation of faults. */
public final class MemoryJournalStore implements JournalStore {
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<Transition> transitions = new ArrayList<>();
    private long sequence;

    @Override
    public void write(Instant at, List<? extends Entry> batch, List<Transition> changes) {
        batch.forEach(entry -> entries.put(entry.kind() + '/' + entry.id(), entry));
        transitions.addAll(changes);
    }

    @Override
    public List<Entry> load(Instant costFrom) {
        return entries.values().stream()
                .filter(entry -> entry.isLive() || !(entry instanceof JobRecord))
                .toList();
    }

    @Override
    public Optional<JobRecord> job(String id) {
        return Optional.ofNullable((JobRecord) entries.get("job/" + id));
    }

    @Override
    public Optional<JobRecord> jobByKey(int uid, String idempotencyKey) {
        return jobs().stream()
                .filter(job ->
                        job.spec().uid() == uid && job.spec().idempotencyKey().equals(idempotencyKey))
                .findFirst();
    }

    @Override
    public List<JobRecord> endedJobs(int limit) {
        return jobs().stream()
                .filter(job -> !job.isLive())
                .sorted(Comparator.comparing(JobRecord::since).reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public List<JobRecord> tasks(String array) {
        return jobs().stream()
                .filter(job -> JournalStore.isTask(job, array))
                .sorted(JournalStore.BY_INDEX)
                .toList();
    }

    @Override
    public List<Transition> timeline(String kind, String id) {
        return transitions.stream()
                .filter(line -> line.kind().equals(kind) && line.id().equals(id))
                .toList();
    }

    @Override
    public long nextSequence() {
        return ++sequence;
    }

    @Override
    public void close() {}

    /** Whether an entry of this kind was ever written. */
    public boolean holds(String kind, String id) {
        return entries.containsKey(kind + '/' + id);
    }

    private List<JobRecord> jobs() {
        return entries.values().stream()
                .filter(JobRecord.class::isInstance)
                .map(JobRecord.class::cast)
                .toList();
    }
}
