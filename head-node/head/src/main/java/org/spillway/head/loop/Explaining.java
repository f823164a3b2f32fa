package org.spillway.head.loop;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.explain.JobFacts;
import org.spillway.head.explain.NodeFacts;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.Egress;
import org.spillway.head.loop.state.Heard;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.supply.Supply;
import org.spillway.policy.Fabric;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.OfferingHealth;

/** Collects what is known about a job. */
public final class Explaining {
    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Purse purse;
    private final JobMemory memory;
    private final NodeMemory seen;
    private final Standings standings;
    private final Supply supply;

    Explaining(
            World world,
            Sites sites,
            LiveNodes live,
            Purse purse,
            JobMemory memory,
            NodeMemory seen,
            Standings standings,
            Supply supply) {
        this.standings = standings;
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.purse = purse;
        this.memory = memory;
        this.seen = seen;
        this.supply = supply;
    }

    JobFacts of(JobRecord job, Instant now) {
        JobRun run = job.run();
        boolean waits = job.jobState() == JobState.STAGING_IN || job.jobState() == JobState.QUEUED;
        long total = memory.transfers().inputBytes(job.id());
        long moved =
                job.jobState() == JobState.QUEUED ? total : memory.transfers().movedIn(job.id());
        Standing standing = standings.of(job);
        return new JobFacts(
                new JobFacts.Life(
                        job.jobState(), since(job), job.reason(), run.cancelled(), run.isStopping(), run.attempt()),
                run.site(),
                job.spec().nodes(),
                job.spec().walltime(),
                new JobFacts.Obstacles(
                        standing.cause().text(),
                        waits ? refused(job, now) : List.of(),
                        waits && job.spec().nodes() > 1 ? onFabrics(job) : List.of()),
                waits ? standings.coming(job).stream().map(Explaining::view).toList() : own(job),
                standing.start(),
                new JobFacts.Moved(Math.max(0, moved), total, memory.transfers().movedOut(job.id()), results(job)));
    }

    /** Where there is a part of the gang; nothing where there is all of it. */
    private List<JobFacts.OnFabric> onFabrics(JobRecord job) {
        List<String> types = job.spec().need().types();
        String category = world.settings().roles().of(job.spec().queue());
        Map<List<String>, Integer> counts = new HashMap<>();
        for (NodeView node : supply.nodes()) {
            OfferingId offering = node.offering();
            Fabric fabric = node.duty().fabric();
            boolean serves = switch (node.phase()) {
                case IDLE, IN_FLIGHT, ALLOCATED -> true;
                case DRAINING, STOPPED -> false;
            };
            if (serves
                    && offering != null
                    && !fabric.name().isEmpty()
                    && node.site().equals(job.run().site())
                    && node.duty().category().equals(category)
                    && (types.isEmpty() || types.contains(node.site() + "/" + offering.instanceType()))
                    && job.spec().resources().fitsIn(node.free())) {
                counts.merge(List.of(offering.zone(), fabric.name(), fabric.group()), 1, Integer::sum);
            }
        }
        if (counts.values().stream().anyMatch(count -> count >= job.spec().nodes())) {
            return List.of();
        }
        return counts.entrySet().stream()
                .map(place -> new JobFacts.OnFabric(
                        place.getKey().getFirst(), place.getKey().get(1), place.getValue()))
                .sorted(Comparator.comparing(JobFacts.OnFabric::nodes, Comparator.reverseOrder())
                        .thenComparing(JobFacts.OnFabric::zone)
                        .thenComparing(JobFacts.OnFabric::fabric))
                .toList();
    }

    private JobFacts.@Nullable Results results(JobRecord job) {
        if (!job.isLive() || job.run().home()) {
            return null;
        }
        Egress.Expected expected = purse.egress().of(job);
        return expected.price().isMoreThan(Money.ZERO)
                ? new JobFacts.Results(expected.bytes(), expected.price())
                : null;
    }

    NodeFacts of(NodeRecord node) {
        JournalStore.Transition first =
                world.journal().store().timeline("node", node.id()).getFirst();
        return new NodeFacts(
                node.id(),
                node.site(),
                new NodeFacts.Life(node.nodeState(), node.since(), node.reason()),
                new NodeFacts.Bought(first.at(), first.reason(), ""),
                live.runningOn(node.id()).stream().map(JobRecord::id).toList(),
                node.isLive() && live.isStanding(node),
                node.care().parked(),
                new NodeFacts.Idle(
                        live.idleSince(node), world.settings().spending().idleTime()),
                role(node.profile()),
                node.isLive() ? gate(node) : List.of());
    }

    private List<NodeFacts.Check> gate(NodeRecord node) {
        return new Heard(sites.of(node.site()).report)
                .gateOf(node.id()).stream()
                        .map(check -> new NodeFacts.Check(check.name(), check.passed(), check.detail()))
                        .toList();
    }

    private static String role(NodeRecord.Profile profile) {
        if (profile.equals(NodeRecord.Profile.PLAIN)) {
            return "";
        }
        String times = profile.turn() == 1 ? "once" : profile.turn() + " times";
        return profile.text()
                + (profile.turn() == 0 ? "" : ", repurposed " + times)
                + (profile.fixed() ? ", and fixed as that by an administrator until 'spillway node unfix'" : "");
    }

    /** A job runs from when its script began, as all say who show it. */
    private static Instant since(JobRecord job) {
        Instant begun = job.run().startedAt();
        return job.jobState() == JobState.RUNNING && begun != null ? begun : job.since();
    }

    private List<JobFacts.Refused> refused(JobRecord job, Instant now) {
        SiteState site = sites.of(job.run().site());
        Map<OfferingId, OfferingStatus> statuses =
                OfferingHealth.fold(
                                world.journal().launches(),
                                now,
                                seen.bootTimes().all())
                        .stream()
                        .collect(Collectors.toMap(OfferingStatus::id, Function.identity()));
        return site.offerings().stream()
                .filter(offering -> job.spec().resources().fitsIn(offering.resources()))
                .map(offering -> statuses.get(offering.id()))
                .filter(status -> status != null && !status.reason().isEmpty())
                .sorted(Comparator.comparing(
                                (OfferingStatus status) -> status.retryAt().orElse(Instant.MAX))
                        .thenComparing(OfferingStatus::id))
                .limit(3)
                .map(status -> new JobFacts.Refused(
                        status.id().instanceType(),
                        status.id().zone(),
                        status.reason(),
                        status.retryAt().orElse(null)))
                .toList();
    }

    private List<JobFacts.OneNode> own(JobRecord job) {
        return job.run().ranks().stream()
                .filter(rank -> !rank.isOver())
                .flatMap(rank -> world.journal().node(rank.node()).stream())
                .map(Explaining::view)
                .toList();
    }

    private static JobFacts.OneNode view(NodeRecord node) {
        return new JobFacts.OneNode(node.id(), node.offering().instanceType(), node.nodeState(), node.since());
    }
}
