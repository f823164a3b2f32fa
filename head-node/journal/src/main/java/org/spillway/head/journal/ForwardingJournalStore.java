package org.spillway.head.journal;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.spillway.api.JobFilter;
import org.spillway.head.past.Standing;

/** Another journal with something around its calls: a simulation or a test says what happens at a write, and no more. */
public abstract class ForwardingJournalStore implements JournalStore {
    private final JournalStore store;

    protected ForwardingJournalStore(JournalStore store) {
        this.store = store;
    }

    @Override
    public void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
        store.write(at, entries, transitions);
    }

    @Override
    public List<Entry> load(Instant costFrom) {
        return store.load(costFrom);
    }

    @Override
    public Optional<JobRecord> job(String id) {
        return store.job(id);
    }

    @Override
    public Optional<JobRecord> jobByKey(int uid, String idempotencyKey) {
        return store.jobByKey(uid, idempotencyKey);
    }

    @Override
    public List<JobRecord> endedJobs(OptionalInt uid, Instant since, int limit) {
        return store.endedJobs(uid, since, limit);
    }

    @Override
    public List<JobRecord> endedJobs(JobFilter filter) {
        return store.endedJobs(filter);
    }

    @Override
    public List<JobRecord> tasks(String array) {
        return store.tasks(array);
    }

    @Override
    public List<ClusterRecord> endedClusters(int limit) {
        return store.endedClusters(limit);
    }

    @Override
    public List<NoticeRecord> notices(String cluster) {
        return store.notices(cluster);
    }

    @Override
    public List<Transition> timeline(String kind, String id) {
        return store.timeline(kind, id);
    }

    @Override
    public Optional<Instant> latest() {
        return store.latest();
    }

    @Override
    public DecisionLog decisions() {
        return store.decisions();
    }

    @Override
    public long nextSequence() {
        return store.nextSequence();
    }

    @Override
    public void reserve(int count) {
        store.reserve(count);
    }

    @Override
    public Standing standing() {
        return store.standing();
    }

    @Override
    public void settle() {
        store.settle();
    }

    @Override
    public void release() {
        store.release();
    }

    @Override
    public boolean isShortOfRoom() {
        return store.isShortOfRoom();
    }

    @Override
    public int prune(Instant before, int most) {
        return store.prune(before, most);
    }

    @Override
    public int archive(Instant jobsBefore, Instant pricedBefore, int decisions) {
        return store.archive(jobsBefore, pricedBefore, decisions);
    }

    @Override
    public int forgetArchived(Instant before, Instant decisionsBefore) {
        return store.forgetArchived(before, decisionsBefore);
    }

    @Override
    public void close() {
        store.close();
    }
}
