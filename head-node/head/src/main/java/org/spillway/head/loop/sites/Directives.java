package org.spillway.head.loop.sites;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.cloud.fleet.Intent;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.jobs.ComingInputs;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.SiteImages;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.Wanted;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;

/** The directive for a site's director now: the whole of it, from the journal and nothing else that lasts. */
public final class Directives {
    /** Of input within a region: to be undercut by nothing that works. */
    private final World world;

    private final Sites sites;
    private final LiveNodes live;
    private final ForeignJobs foreign;

    Directives(World world, Sites sites, LiveNodes live, ForeignJobs foreign) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.foreign = foreign;
    }

    /** @param now when it is sent, by the head's clock */
    static Directive sendable(Directive directive, long sequence, Directive.DirectoryGrant directory, Instant now) {
        return new Directive(
                directive.schema(),
                directive.site(),
                sequence,
                directive.leaseSeconds(),
                directive.launches().stream().map(grant -> grant.at(now)).toList(),
                directive.joins(),
                directive.nodes(),
                directive.jobs(),
                directive.programs(),
                directive.image(),
                directory,
                directive.isolation(),
                directive.mounts(),
                directive.reach(),
                directive.forwards());
    }

    Directive of(SiteState site, List<WaitFinding> found, Instant now) {
        String name = site.plan.name();
        List<Directive.LaunchGrant> grants = new ArrayList<>();
        List<Directive.JoinAnswer> joins = new ArrayList<>();
        List<Directive.NodeGrant> nodes = new ArrayList<>();
        for (NodeRecord node : live.nodes(name)) {
            if (node.isDirector()) {
                continue;
            }
            switch (node.nodeState()) {
                case LAUNCHING, BOOTING -> grant(site, node, grants);
                default -> {}
            }
            switch (node.nodeState()) {
                case BOOTING, JOINING, READY, DRAINING, RECLAIMING, REPURPOSING -> {
                    // An adopted node has a certificate that no journal knows.
                    if (!node.joinRequest().isEmpty()) {
                        nodes.add(new Directive.NodeGrant(
                                node.id(),
                                world.ports()
                                        .workload()
                                        .nodeList()
                                        .flatMap(its -> its.grant(node.id()))
                                        .orElse(null),
                                profile(site, node)));
                    }
                }
                default -> {}
            }
            switch (node.nodeState()) {
                case BOOTING, JOINING -> {
                    if (!node.certificate().isEmpty()) {
                        joins.add(
                                new Directive.JoinAnswer(node.joinRequest(), node.id(), true, node.certificate(), ""));
                    }
                }
                default -> {}
            }
        }
        boolean mayNotKnow = sites.unknowns().mayServe(name);
        nodes.replaceAll(grant -> mayNotKnow || isAdopted(grant.node()) ? grant.leftAsItIs() : grant);
        Map<String, List<Directive.Coming>> coming = ComingInputs.of(world, name);
        nodes.replaceAll(grant -> grant.with(coming.getOrDefault(grant.node(), List.of())));
        nodes.addAll(unknown(site));
        refusals(site, joins);
        joins.addAll(site.renewed.all());
        return new Directive(
                Directive.SCHEMA,
                name,
                0,
                (int) world.settings().lease().length().toSeconds(),
                grants,
                joins,
                nodes,
                orders(name, found, now),
                programs(nodes),
                image(site),
                Directive.DirectoryGrant.NONE,
                site.plan.nodes().isolation(),
                site.plan.nodes().mounts(),
                site.plan.nodes().reach().orElse(null),
                site.plan.nodes().forwards());
    }

    /** A journal that does not know its whole past does not let a node die that only the director knows. */
    private List<Directive.NodeGrant> unknown(SiteState site) {
        Report report = site.report;
        return report == null || !sites.unknowns().mayServe(site.plan.name())
                ? List.of()
                : report.nodes().stream()
                        .map(Report.NodeReport::node)
                        .filter(node -> world.journal()
                                .node(node)
                                .map(known ->
                                        known.isLive() && known.joinRequest().isEmpty())
                                .orElse(true))
                        .map(node -> new Directive.NodeGrant(node).leftAsItIs())
                        .toList();
    }

    /** Jobs on such a node may be in no journal. */
    private boolean isAdopted(String node) {
        return world.journal()
                .node(node)
                .filter(known -> known.joinRequest().equals(Adoption.REQUEST))
                .isPresent();
    }

    /** Only where a node needs it: the text is long. */
    private List<ManagerGrant.Program> programs(List<Directive.NodeGrant> nodes) {
        var workload = world.ports().workload();
        return nodes.stream().allMatch(node -> node.manager() == null)
                ? List.of()
                : workload.nodeList().stream()
                        .map(its -> new ManagerGrant.Program(workload.name(), its.nodeProgram()))
                        .toList();
    }

    private void grant(SiteState site, NodeRecord node, List<Directive.LaunchGrant> grants) {
        Optional<Intent> intent = world.journal().intent(node.intent());
        if (intent.isEmpty() || grants.stream().anyMatch(grant -> grant.intent().equals(node.intent()))) {
            return;
        }
        // A launch call may take minutes: who is named late may join as late.
        Instant named = node.since().isAfter(intent.get().createdAt())
                ? node.since()
                : intent.get().createdAt();
        Instant deadline = named.plus(site.plan.nodes().registration());
        grants.add(new Directive.LaunchGrant(
                node.intent(), world.ports().credentials().tokenSha256(node.intent()), deadline.getEpochSecond(), 0));
    }

    /** A request that can never be granted is told so; one whose instance is not listed yet waits. */
    private void refusals(SiteState site, List<Directive.JoinAnswer> joins) {
        Report report = site.report;
        if (report == null) {
            return;
        }
        for (Report.JoinRequest request : report.joins()) {
            boolean answered =
                    joins.stream().anyMatch(answer -> answer.request().equals(request.request()));
            boolean taken = world.journal().nodes().stream()
                    .anyMatch(node -> request.instance().equals(node.instance())
                            && (!node.isLive() || !node.joinRequest().isEmpty()));
            if (!answered && taken) {
                joins.add(new Directive.JoinAnswer(
                        request.request(), "", false, "", "this instance has joined already, or has ended"));
            }
        }
    }

    private List<JobOrder> orders(String site, List<WaitFinding> found, Instant now) {
        return Stream.of(JobState.RUNNING, JobState.STAGING_OUT)
                .flatMap(state -> world.journal().jobs(state).stream())
                .filter(job -> job.run().site().equals(site) && !foreign.isLetGo(job))
                .sorted(Comparator.comparing(JobRecord::id))
                .flatMap(job -> orders(job, found, now).stream())
                .toList();
    }

    /** A job that cannot be told must not keep a whole site from hearing anything. */
    private List<JobOrder> orders(JobRecord job, List<WaitFinding> found, Instant now) {
        try {
            boolean stop = sites.isOverdue(job, now) || foreign.isToStop(job, now);
            return Orders.of(job, addresses(job), stop);
        } catch (IllegalArgumentException unreadable) {
            found.add(new WaitFinding(
                    job.id(), Finder.ORDERS, new WaitCause.OrderNotMade(String.valueOf(unreadable.getMessage()))));
            return List.of();
        }
    }

    private List<String> addresses(JobRecord job) {
        return job.run().nodes().stream()
                .map(node -> world.journal().node(node).map(NodeRecord::address).orElse(""))
                .toList();
    }

    /** Null where nodes are all alike. */
    private Directive.@Nullable NodeProfile profile(SiteState site, NodeRecord node) {
        if (world.settings().roles().none() && node.profile().equals(NodeRecord.Profile.PLAIN)) {
            return null;
        }
        SiteImages images = world.ports().images();
        List<Directive.ImageGrant> overlays =
                node.profile().overlays().stream().map(images::overlay).toList();
        boolean all = overlays.stream().allMatch(overlay -> isIn(site, overlay));
        return new Directive.NodeProfile(
                node.profile().turn(),
                all ? replicated(site, Wanted.of(world, node)) : Directive.ImageGrant.NONE,
                all ? overlays : List.of(),
                node.profile().category().isEmpty()
                        ? null
                        : category(node.profile().category()));
    }

    private Directive.Category category(String name) {
        return new Directive.Category(
                name,
                world.settings()
                        .roles()
                        .drift(name)
                        .map(terms -> new Directive.Drift(terms.policy().word(), terms.periodSeconds()))
                        .orElse(null));
    }

    private Directive.ImageGrant image(SiteState site) {
        return replicated(site, world.ports().images().current());
    }

    private static Directive.ImageGrant replicated(SiteState site, Directive.ImageGrant image) {
        return isIn(site, image) ? image : Directive.ImageGrant.NONE;
    }

    private static boolean isIn(SiteState site, Directive.ImageGrant image) {
        Report report = site.report;
        return report != null && report.images().contains(image.sha256());
    }
}
