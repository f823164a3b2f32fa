package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JournalStore.Transition;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.scaler.plan.Breakers;

/**
 * The live entries in memory over a durable store. Only the loop's thread commits; any thread may read. A commit is on
 * disk before it is seen.
 */
public final class Journal {
    private static final int LAUNCHES_KEPT = 1000;
    private static final int OUTCOMES_KEPT = 5000;
    /** By more than this no tick's time is behind that of an effect. */
    private static final Duration LONGEST_TICK = Duration.ofMinutes(1);

    private final JournalStore store;
    private final LiveJobs jobs = new LiveJobs();
    private final LiveNodes liveNodes = new LiveNodes();
    private final ConcurrentMap<String, NodeRecord> nodes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, IntentRecord> intents = new ConcurrentHashMap<>();
    private final List<LaunchRecord> launches = new ArrayList<>();
    private final LinkedHashMap<String, OutcomeEntry> outcomes = new LinkedHashMap<>();
    private final ConcurrentNavigableMap<String, Breakers.State> breakers = new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<String, ClusterRecord> clusters = new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<String, DelegatedRecord> delegations = new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<String, NoticeRecord> notices = new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<String, EgressRecord> egress = new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<String, RecoveryRecord> recoveries = new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<String, StageRecord> stages = new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<String, RolloutRecord> rollouts = new ConcurrentSkipListMap<>();
    private Consumer<JobRecord> onEnd = job -> {};
    /** Of the last commit, as its transitions bear it. */
    private Instant lastAt = Instant.MIN;

    /** @param costFrom nodes that ended before it are not kept in memory: no budget period reaches further back */
    public Journal(JournalStore store, Instant costFrom) {
        this.store = store;
        store.load(costFrom).forEach(this::remember);
    }

    /** Whom to tell of each job that ends from now on, on the thread that commits; the last one that asked. */
    public void onEnd(Consumer<JobRecord> listener) {
        onEnd = listener;
    }

    /** Makes entries durable together, then visible. */
    public void commit(Instant now, Entry... entries) {
        commit(now, Arrays.asList(entries));
    }

    /**
     * Makes entries durable together, then visible.
     *
     * @throws IllegalStateException if one of them takes a step that its states do not allow; nothing is written then
     */
    public void commit(Instant now, List<? extends Entry> entries) {
        Map<String, Entry> latest = new LinkedHashMap<>();
        List<Transition> transitions = new ArrayList<>();
        Instant at = inOrder(now);
        for (Entry entry : entries) {
            String key = entry.kind() + '/' + entry.id();
            Entry before = latest.containsKey(key) ? latest.get(key) : current(entry);
            checkStep(before, entry);
            String from = before == null ? "" : before.state();
            if (!from.equals(entry.state())) {
                transitions.add(new Transition(at, entry.kind(), entry.id(), from, entry.state(), entry.cause()));
            }
            latest.put(key, entry);
        }
        if (latest.isEmpty()) {
            return;
        }
        store.write(now, List.copyOf(latest.values()), transitions);
        lastAt = at;
        latest.values().forEach(this::remember);
        for (Entry entry : latest.values()) {
            if (entry instanceof JobRecord job && !job.isLive()) {
                onEnd.accept(job);
            }
        }
    }

    /**
     * A tick decides by the time at which it began, which is before the end of an effect that it has heard of: a
     * timeline says what was written first as no later than what was written after it. A clock that was set back is
     * another matter, and is believed.
     */
    private Instant inOrder(Instant now) {
        return now.isBefore(lastAt) && now.plus(LONGEST_TICK).isAfter(lastAt) ? lastAt : now;
    }

    /** Live jobs, in the order of their ids, as are all collections here that do not say otherwise. */
    public Collection<JobRecord> jobs() {
        return jobs.all();
    }

    /** Live jobs in that state. */
    public Collection<JobRecord> jobs(JobState state) {
        return jobs.in(state);
    }

    /** How many jobs live, of all users. Any thread. */
    public int liveJobCount() {
        return jobs.count();
    }

    /** Sums over one user's live jobs. Any thread. */
    public UserLoads.Load load(int uid) {
        return jobs.load(uid);
    }

    /** Live jobs that are bound to that site. */
    public Collection<JobRecord> jobsOf(String site) {
        return jobs.of(site);
    }

    /** Jobs of which a part runs on that node; a part that is over does not. */
    public Collection<JobRecord> runningOn(String node) {
        return jobs.on(node);
    }

    /** A job that has not ended. Looks at no disk. */
    public Optional<JobRecord> liveJob(String id) {
        return Optional.ofNullable(jobs.get(id));
    }

    /** A job, whether it is live or has ended. */
    public Optional<JobRecord> job(String id) {
        JobRecord live = jobs.get(id);
        return live != null ? Optional.of(live) : store.job(id);
    }

    /** Nodes and directors: live ones, and ended ones whose cost may still count; in no order. */
    public Collection<NodeRecord> nodes() {
        return nodes.values();
    }

    public Optional<NodeRecord> node(String id) {
        return Optional.ofNullable(nodes.get(id));
    }

    /** Live nodes and directors. */
    public Collection<NodeRecord> liveNodes() {
        return liveNodes.all();
    }

    /** Live nodes and directors of that site. */
    public Collection<NodeRecord> liveNodes(String site) {
        return liveNodes.of(site);
    }

    /** Live directors of that site: one, or more while one ends. */
    public Collection<NodeRecord> liveDirectors(String site) {
        return liveNodes.directors(site);
    }

    /** Grows with each change of a node: what was reckoned from live nodes holds while it is the same. */
    public long nodeChanges() {
        return liveNodes.changes();
    }

    /** Live nodes that were launched under that intent. */
    public Collection<NodeRecord> liveNodesUnder(String intent) {
        return liveNodes.under(intent);
    }

    /** Intents that are open, or under which a node is live. */
    public Collection<Intent> intents() {
        return intents.values().stream().map(IntentRecord::intent).toList();
    }

    public Optional<Intent> intent(String id) {
        return Optional.ofNullable(intents.get(id)).map(IntentRecord::intent);
    }

    /** Why an intent is in its state; none for one that is not known. */
    public Cause whyIntent(String id) {
        IntentRecord known = intents.get(id);
        return known == null ? Cause.NONE : known.cause();
    }

    public List<LaunchRecord> launches() {
        synchronized (launches) {
            return List.copyOf(launches);
        }
    }

    /**
     * Lets go of refusals for want of a place or of quota in a site: something there has ended, or there is more to have.
     * In memory only: a head that starts again waits for its pause.
     */
    public void forgetFull(String site) {
        synchronized (launches) {
            launches.removeIf(launch -> launch.offering().site().equals(site)
                    && launch.outcome() instanceof LaunchOutcome.Refused(var reason, var said)
                    && (reason == LaunchOutcome.Reason.QUOTA || reason == LaunchOutcome.Reason.OCCUPIED));
        }
    }

    /** How far nodes have come, the latest 5,000 of which something was said, the latest word last. */
    public List<Breakers.NodeOutcome> outcomes() {
        synchronized (outcomes) {
            return outcomes.values().stream().map(OutcomeEntry::outcome).toList();
        }
    }

    /** How far that node has come; empty when it is not known, or not any more. */
    public Optional<OutcomeEntry> outcome(String node) {
        synchronized (outcomes) {
            return Optional.ofNullable(outcomes.get(node));
        }
    }

    /** Breakers that are open or were, by their ids. */
    public List<Breakers.State> breakers() {
        return List.copyOf(breakers.values());
    }

    /** Clusters on demand, live ones and those that ended so lately that their cost may still count. */
    public Collection<ClusterRecord> clusters() {
        return List.copyOf(clusters.values());
    }

    public Optional<ClusterRecord> cluster(String id) {
        return Optional.ofNullable(clusters.get(id));
    }

    /**
     * Launches that children have asked for: for those that exist all of them, for others what may count in a budget's
     * period.
     */
    public Collection<DelegatedRecord> delegations() {
        return Collections.unmodifiableCollection(delegations.values());
    }

    /** Launches of that child. */
    public List<DelegatedRecord> delegations(String cluster) {
        return delegations.values().stream()
                .filter(one -> one.cluster().equals(cluster))
                .toList();
    }

    public Optional<DelegatedRecord> delegation(String id) {
        return Optional.ofNullable(delegations.get(id));
    }

    /** Notices that owners of clusters on demand were or are to be told, as far back as clusters are known. */
    public Collection<NoticeRecord> notices() {
        return Collections.unmodifiableCollection(notices.values());
    }

    /** Notices to the owner of that cluster, oldest first. */
    public List<NoticeRecord> notices(String cluster) {
        return notices.values().stream()
                .filter(one -> one.cluster().equals(cluster))
                .sorted(JournalStore.BY_TIME)
                .toList();
    }

    public boolean hasNotice(String id) {
        return notices.containsKey(id);
    }

    /** Costs of bringing results home, as far back as a budget's period may reach. */
    public Collection<EgressRecord> egress() {
        return Collections.unmodifiableCollection(egress.values());
    }

    public Optional<EgressRecord> egress(String id) {
        return Optional.ofNullable(egress.get(id));
    }

    /** Machines that no node owned when they were seen, as far back as a budget's period may reach. */
    public Collection<RecoveryRecord> recoveries() {
        return Collections.unmodifiableCollection(recoveries.values());
    }

    public Optional<RecoveryRecord> recovery(String id) {
        return Optional.ofNullable(recoveries.get(id));
    }

    /** Files that users have brought to sites ahead of jobs, and what of them has failed in this head's life; by id. */
    public Collection<StageRecord> stages() {
        return Collections.unmodifiableCollection(stages.values());
    }

    public Optional<StageRecord> stage(String id) {
        return Optional.ofNullable(stages.get(id));
    }

    /** The versions of categories whose nodes live in one, by category. */
    public Collection<RolloutRecord> rollouts() {
        return Collections.unmodifiableCollection(rollouts.values());
    }

    public Optional<RolloutRecord> rollout(String category) {
        return Optional.ofNullable(rollouts.get(category));
    }

    /** All intents of a site that are PLANNED or CALLED, oldest first. */
    public List<Intent> open(String site) {
        return intents.values().stream()
                .filter(IntentRecord::isLive)
                .map(IntentRecord::intent)
                .filter(intent -> intent.site().equals(site))
                .sorted(Comparator.comparing(Intent::createdAt).thenComparing(Intent::id))
                .toList();
    }

    /** The store, for what is not live: ended jobs, timelines, keys. */
    public JournalStore store() {
        return store;
    }

    private @Nullable Entry current(Entry entry) {
        return switch (entry) {
            // An ended job is on disk only, and must not begin again.
            case JobRecord job -> job(job.id()).orElse(null);
            case NodeRecord node -> nodes.get(node.id());
            case IntentRecord intent -> intents.get(intent.id());
            case LaunchEntry launch -> null;
            case DecisionEntry decision -> null;
            case OutcomeEntry outcome -> outcome(outcome.id()).orElse(null);
            case ClusterRecord cluster -> clusters.get(cluster.id());
            case BreakerEntry breaker -> {
                Breakers.State known = breakers.get(breaker.id());
                yield known == null ? null : new BreakerEntry(known);
            }
            case DelegatedRecord delegated -> delegations.get(delegated.id());
            case NoticeRecord notice -> notices.get(notice.id());
            case EgressRecord brought -> egress.get(brought.id());
            case RecoveryRecord recovery -> recoveries.get(recovery.id());
            case StageRecord stage -> stages.get(stage.id());
            case RolloutRecord rollout -> rollouts.get(rollout.id());
        };
    }

    private static void checkStep(@Nullable Entry before, Entry after) {
        boolean allowed = switch (after) {
            case JobRecord job ->
                !(before instanceof JobRecord old)
                        || old.jobState() == job.jobState()
                        || old.jobState().next().contains(job.jobState());
            case NodeRecord node ->
                !(before instanceof NodeRecord old)
                        || old.nodeState() == node.nodeState()
                        || old.nodeState().next().contains(node.nodeState());
            case ClusterRecord cluster ->
                !(before instanceof ClusterRecord old)
                        || old.clusterState() == cluster.clusterState()
                        || old.clusterState().next().contains(cluster.clusterState());
            case DelegatedRecord delegated ->
                !(before instanceof DelegatedRecord old)
                        || old.status() == delegated.status()
                        || old.status().next().contains(delegated.status());
            // A notice that is over stays so: a letter that was sent is not sent again.
            case NoticeRecord notice -> !(before instanceof NoticeRecord old) || old.isLive();
            case IntentRecord _, LaunchEntry _, DecisionEntry _, OutcomeEntry _, BreakerEntry _ -> true;
            case EgressRecord _, RecoveryRecord _, StageRecord _, RolloutRecord _ -> true;
        };
        if (!allowed && before != null) {
            throw new IllegalStateException(
                    after.kind() + " " + after.id() + " cannot go from " + before.state() + " to " + after.state());
        }
    }

    private void remember(Entry entry) {
        switch (entry) {
            case JobRecord job -> jobs.put(job);
            case NodeRecord node -> {
                nodes.put(node.id(), node);
                liveNodes.put(node);
            }
            case IntentRecord intent -> intents.put(intent.id(), intent);
            case DecisionEntry decision -> {
                // On disk only: nothing but a replay reads it.
            }
            case OutcomeEntry outcome -> {
                synchronized (outcomes) {
                    // Out and in again: the latest word last.
                    outcomes.remove(outcome.id());
                    outcomes.put(outcome.id(), outcome);
                    if (outcomes.size() > OUTCOMES_KEPT) {
                        outcomes.pollFirstEntry();
                    }
                }
            }
            case BreakerEntry breaker -> breakers.put(breaker.id(), breaker.breaker());
            case ClusterRecord cluster -> clusters.put(cluster.id(), cluster);
            case DelegatedRecord delegated -> delegations.put(delegated.id(), delegated);
            case NoticeRecord notice -> notices.put(notice.id(), notice);
            case EgressRecord brought -> egress.put(brought.id(), brought);
            case RecoveryRecord recovery -> recoveries.put(recovery.id(), recovery);
            case RolloutRecord rollout -> rollouts.put(rollout.id(), rollout);
            case StageRecord stage when stage.status() == StageRecord.Status.GONE -> stages.remove(stage.id());
            case StageRecord stage -> stages.put(stage.id(), stage);
            case LaunchEntry launch -> {
                synchronized (launches) {
                    launches.add(launch.launch());
                    if (launches.size() > LAUNCHES_KEPT) {
                        launches.removeFirst();
                    }
                }
            }
        }
    }

    /** Lets go of what ended and no budget period can count any more, and of intents without a live node. */
    public void forgetBefore(Instant costFrom) {
        clusters.values()
                .removeIf(cluster -> !cluster.isLive() && cluster.since().isBefore(costFrom));
        nodes.values()
                .removeIf(node -> !node.isLive()
                        && (node.costTo() == null || node.costTo().isBefore(costFrom)));
        notices.values().removeIf(one -> !one.isLive() && !clusters.containsKey(one.cluster()));
        egress.values().removeIf(one -> one.quarter().isBefore(costFrom));
        recoveries.values().removeIf(one -> !one.isLive() && one.since().isBefore(costFrom));
        stages.values().removeIf(one -> !one.isLive() && one.since().isBefore(costFrom));
        delegations.values().removeIf(one -> !one.isLive() && one.since().isBefore(costFrom));
        intents.values()
                .removeIf(intent ->
                        !intent.isLive() && liveNodes.under(intent.id()).isEmpty());
    }
}
