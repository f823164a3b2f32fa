package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.ForeignQueue;
import org.spillway.head.workload.JobIntake;
import org.spillway.head.workload.JoinedNode;
import org.spillway.head.workload.NodeIntake;
import org.spillway.head.workload.NodeList;
import org.spillway.head.workload.ReleasedJob;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.head.workload.WorkloadView;
import org.spillway.slurm.manager.SlurmGrant;
import org.spillway.slurm.manager.SlurmTurn;

/**
 * How one life of the head sees {@link SimSlurm}: what it wants is said a while later, what it hears is a while old, and
 * both end with it.
 */
final class SimSlurmPort implements WorkloadManager, NodeIntake, JobIntake, NodeList, ForeignQueue {
    private final SimSlurm slurm;
    private final SimClock clock;
    private final Draw draw;
    private final List<Runnable> unsaid = new ArrayList<>();
    private final Map<String, JoinedNode> joined = new LinkedHashMap<>();
    private Set<String> vacant = new HashSet<>();
    private final Map<String, SlurmTurn> turns = new LinkedHashMap<>();
    private final Map<String, Instant> absent = new LinkedHashMap<>();
    private Instant nextTurn;
    private @Nullable WorkloadView view;

    SimSlurmPort(SimSlurm slurm, SimClock clock, Draw draw) {
        this.slurm = slurm;
        this.clock = clock;
        this.draw = draw;
        this.nextTurn = clock.now();
    }

    /** Says what is wanted, then looks. */
    void step() {
        if (clock.now().isBefore(nextTurn)) {
            return;
        }
        nextTurn = clock.now().plusMillis(draw.between(200, 1500));
        if (slurm.isAway()) {
            view = null;
            return;
        }
        unsaid.forEach(Runnable::run);
        unsaid.clear();
        vacant = new HashSet<>(joined.keySet());
        vacant.removeIf(node -> !slurm.isVacant(node));
        lookAtNodes();
        view = new WorkloadView(
                List.of(),
                slurm.jobs.values().stream()
                        .map(job -> new ForeignJob(job.key, job.number, job.facts, status(job)))
                        .toList());
    }

    private void lookAtNodes() {
        turns.clear();
        absent.clear();
        for (String node : joined.keySet()) {
            slurm.nodes.absentSince(node).ifPresent(since -> absent.put(node, since));
            SlurmTurn turn = slurm.nodes.turn(node);
            if (turn != null) {
                turns.put(node, turn);
            }
        }
    }

    private Status status(SimSlurmJob job) {
        return job.status instanceof Status.Ended end ? end.withLasting(slurm.isWritten(job)) : job.status;
    }

    @Override
    public String name() {
        return "slurm";
    }

    @Override
    public WorkloadView poll(Instant now) throws WorkloadUnavailable {
        WorkloadView last = view;
        if (last == null) {
            throw new WorkloadUnavailable("slurmctld does not answer", new IllegalStateException("away"));
        }
        return last;
    }

    @Override
    public NodeIntake nodes() {
        return this;
    }

    @Override
    public JobIntake jobs() {
        return this;
    }

    @Override
    public Optional<NodeList> nodeList() {
        return Optional.of(this);
    }

    @Override
    public Optional<ForeignQueue> foreignQueue() {
        return Optional.of(this);
    }

    @Override
    public int room(String site, String type) {
        return slurm.declared;
    }

    @Override
    public void join(JoinedNode node) {
        joined.put(node.id(), node);
        unsaid.add(() -> slurm.nodes.join(node));
    }

    @Override
    public void drain(String node, String reason) {
        // Earlier sightings say nothing any more.
        vacant.remove(node);
        unsaid.add(() -> slurm.nodes.drain(node));
    }

    @Override
    public void leave(String node) {
        joined.remove(node);
        unsaid.add(() -> slurm.leave(node));
    }

    @Override
    public void release(ReleasedJob job) {
        if (job.nodes().isEmpty()) {
            unsaid.add(() -> {
                SimSlurmJob known = slurm.jobs.get(job.foreign());
                if (known != null) {
                    known.site = job.site();
                }
            });
        }
    }

    @Override
    public void withdraw(String job) {}

    @Override
    public Optional<ManagerGrant> grant(String node) {
        return joined.containsKey(node)
                ? Optional.of(new SlurmGrant(
                                node, "10.0.0.1:6817", "slurm", "/run/munge/socket", List.of(), "a2V5", turns.get(node))
                        .onTheWire())
                : Optional.empty();
    }

    @Override
    public String nodeProgram() {
        return SlurmGrant.PROGRAM;
    }

    @Override
    public Optional<Instant> absentSince(String node) {
        return view == null ? Optional.empty() : Optional.ofNullable(absent.get(node));
    }

    /** Nobody but the head. */
    @Override
    public Optional<String> withheld(String node) {
        return Optional.of("");
    }

    @Override
    public boolean isVacant(String node) {
        return !joined.containsKey(node) || vacant.contains(node);
    }

    @Override
    public void tell(String key, String sentence) {
        unsaid.add(() -> slurm.told.put(key, sentence));
    }

    @Override
    public void end(String key, String why) {
        unsaid.add(() -> slurm.end(key));
    }

    @Override
    public void again(String key, String why) {
        unsaid.add(() -> slurm.again(key));
    }
}
