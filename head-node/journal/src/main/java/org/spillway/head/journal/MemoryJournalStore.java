package org.spillway.head.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.spillway.api.JobFilter;
import org.spillway.head.past.Standing;

/** A journal in memory that outlives a simulated head; for the simulation of faults. One thread. */
public final class MemoryJournalStore implements JournalStore {
    private static final int LAUNCHES_LOADED = 1000;

    private final Map<String, Written> entries = new LinkedHashMap<>();
    private final List<Transition> transitions = new ArrayList<>();
    private long sequence;
    private Standing standing = Standing.UNKEPT;
    private boolean shortOfRoom;

    private record Written(Instant at, Entry entry) {}

    @Override
    public void write(Instant at, List<? extends Entry> batch, List<Transition> changes) {
        batch.forEach(entry -> entries.put(key(entry), new Written(at, entry)));
        transitions.addAll(changes);
    }

    private static String key(Entry entry) {
        return entry.kind() + '/' + entry.id();
    }

    @Override
    public List<Entry> load(Instant costFrom) {
        Set<String> needed = new HashSet<>();
        for (Written one : entries.values()) {
            if (one.entry instanceof NodeRecord node && node.isLive()) {
                needed.add(node.intent());
            }
        }
        List<Entry> loaded = new ArrayList<>();
        for (Written one : entries.values()) {
            boolean priced = one.entry instanceof NodeRecord
                    || one.entry instanceof ClusterRecord
                    || one.entry instanceof DelegatedRecord
                    || one.entry instanceof NoticeRecord
                    || one.entry instanceof EgressRecord
                    || one.entry instanceof RecoveryRecord;
            boolean counts = priced && !one.at.isBefore(costFrom);
            boolean ofLiveNode = one.entry instanceof IntentRecord intent && needed.contains(intent.id());
            if (one.entry.isLive() || counts || ofLiveNode) {
                loaded.add(one.entry);
            }
        }
        List<Written> launches = ofKind("launch");
        launches.subList(Math.max(0, launches.size() - LAUNCHES_LOADED), launches.size())
                .forEach(launch -> loaded.add(launch.entry));
        ofKind("outcome").forEach(outcome -> loaded.add(outcome.entry));
        ofKind("breaker").forEach(breaker -> loaded.add(breaker.entry));
        return loaded;
    }

    /** Oldest first. */
    private List<Written> ofKind(String kind) {
        return new ArrayList<>(entries.values().stream()
                .filter(one -> one.entry.kind().equals(kind))
                .sorted(Comparator.comparing(Written::at))
                .toList());
    }

    @Override
    public Optional<JobRecord> job(String id) {
        return Optional.ofNullable(entries.get("job/" + id)).map(one -> (JobRecord) one.entry);
    }

    @Override
    public Optional<JobRecord> jobByKey(int uid, String idempotencyKey) {
        return entries.values().stream()
                .map(Written::entry)
                .filter(JobRecord.class::isInstance)
                .map(JobRecord.class::cast)
                .filter(job -> job.spec().uid() == uid
                        && job.spec().idempotencyKey().value().equals(idempotencyKey))
                .findFirst();
    }

    @Override
    public List<JobRecord> endedJobs(OptionalInt uid, Instant since, int limit) {
        return ofKind("job").reversed().stream()
                .filter(one -> one.at.getEpochSecond() >= since.getEpochSecond())
                .map(one -> (JobRecord) one.entry)
                .filter(job -> !job.isLive())
                .filter(job -> uid.isEmpty() || uid.getAsInt() == job.spec().uid())
                .limit(limit)
                .map(JobRecord::withoutProgram)
                .toList();
    }

    @Override
    public List<JobRecord> endedJobs(JobFilter filter) {
        return endedJobs(filter.uid(), filter.since(), Integer.MAX_VALUE).stream()
                .filter(job -> filter.queue().isEmpty()
                        || filter.queue().equals(job.spec().queue()))
                .filter(job -> filter.state().isEmpty() || filter.state().get() == job.jobState())
                .filter(job -> job.spec().submittedAt().isBefore(filter.until()))
                .limit(filter.limit())
                .toList();
    }

    @Override
    public List<JobRecord> tasks(String array) {
        return ofKind("job").stream()
                .map(one -> (JobRecord) one.entry)
                .filter(job -> JournalStore.isTask(job, array))
                .sorted(JournalStore.BY_INDEX)
                .toList();
    }

    @Override
    public List<ClusterRecord> endedClusters(int limit) {
        return ofKind("cluster").reversed().stream()
                .map(one -> (ClusterRecord) one.entry)
                .filter(cluster -> !cluster.isLive())
                .limit(limit)
                .toList();
    }

    @Override
    public List<NoticeRecord> notices(String cluster) {
        return ofKind("notice").stream()
                .map(one -> (NoticeRecord) one.entry)
                .filter(notice -> notice.cluster().equals(cluster))
                .sorted(JournalStore.BY_TIME)
                .toList();
    }

    @Override
    public List<Transition> timeline(String kind, String id) {
        return transitions.stream()
                .filter(line -> line.kind().equals(kind) && line.id().equals(id))
                .toList();
    }

    @Override
    public DecisionLog decisions() {
        return new DecisionLog() {
            @Override
            public Optional<DecisionEntry> find(String id) {
                return Optional.ofNullable(entries.get("decision/" + id)).map(one -> (DecisionEntry) one.entry);
            }

            @Override
            public Optional<DecisionEntry> at(Instant time) {
                return ofKind("decision").stream()
                        .filter(one -> one.at.equals(time))
                        .map(one -> (DecisionEntry) one.entry)
                        .findFirst();
            }

            @Override
            public List<Line> latest(int most) {
                return ofKind("decision").reversed().stream()
                        .limit(most)
                        .map(one -> new Line(one.entry.id(), one.at))
                        .toList();
            }
        };
    }

    @Override
    public long nextSequence() {
        return ++sequence;
    }

    /** From now on it says that of itself. */
    public void stands(Standing now) {
        standing = now;
    }

    /** As a full disk makes it, whose reserved room is used. */
    public void fill(boolean full) {
        shortOfRoom = full;
    }

    @Override
    public boolean isShortOfRoom() {
        return shortOfRoom;
    }

    @Override
    public Standing standing() {
        return standing;
    }

    @Override
    public void settle() {
        standing = standing.settled();
    }

    @Override
    public void release() {
        standing = standing.released();
    }

    @Override
    public int prune(Instant before, int most) {
        int deleted = 0;
        for (String kind : List.of("decision", "launch", "outcome")) {
            List<Written> all = ofKind(kind);
            for (int i = 0; i < all.size(); i++) {
                Written one = all.get(i);
                if (one.at.isBefore(before) || i < all.size() - most) {
                    entries.remove(key(one.entry));
                    transitions.removeIf(
                            line -> line.kind().equals(kind) && line.id().equals(one.entry.id()));
                    deleted++;
                }
            }
        }
        return deleted;
    }

    @Override
    public void close() {}

    /** All that a copy of the file would hold. */
    public record Copy(List<Entry> entries, List<Instant> at, List<Transition> transitions, long sequence) {
        /** A file without a byte. */
        public static final Copy EMPTY = new Copy(List.of(), List.of(), List.of(), 0);

        public Copy {
            entries = List.copyOf(entries);
            at = List.copyOf(at);
            transitions = List.copyOf(transitions);
        }
    }

    public Copy copy() {
        return new Copy(
                entries.values().stream().map(Written::entry).toList(),
                entries.values().stream().map(Written::at).toList(),
                transitions,
                sequence);
    }

    /** Puts a copy in the place of what there is. No head has it open. */
    public void restore(Copy copy) {
        entries.clear();
        transitions.clear();
        for (int i = 0; i < copy.entries.size(); i++) {
            entries.put(key(copy.entries.get(i)), new Written(copy.at.get(i), copy.entries.get(i)));
        }
        transitions.addAll(copy.transitions);
        sequence = copy.sequence;
    }

    /** Up to here numbers may have been given. */
    public long sequence() {
        return sequence;
    }

    /** Numbers up to that one are not given again. */
    public void skipTo(long last) {
        sequence = Math.max(sequence, last);
    }

    /** Whether an entry of this kind was ever written. */
    public boolean holds(String kind, String id) {
        return entries.containsKey(kind + '/' + id);
    }
}
