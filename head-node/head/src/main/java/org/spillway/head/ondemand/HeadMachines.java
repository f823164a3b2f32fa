package org.spillway.head.ondemand;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.fleet.FleetRules;
import org.spillway.cloud.fleet.Sighting;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.cause.LaunchCause;
import org.spillway.head.cause.LaunchText;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.ClusterMachine;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.ondemand.ClusterTable.Progress;
import org.spillway.head.ondemand.Clusters.Seen;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;

/** Buys the machine of a cluster's head, and looks for it until it is there. May be begun again after a crash. */
final class HeadMachines {
    private static final Logger LOG = LoggerFactory.getLogger(HeadMachines.class);

    private final Clusters clusters;
    private final StageWork stages;
    private final Journal journal;
    private final Effects effects;
    private final Children children;
    private final ChildSites sites;
    private final Shop shop;
    private final Supplier<Instant> clock;

    /** Offers, and secrets for the requests. */
    record Shop(Clusters.Offers offers, Clusters.Rendering rendering) {}

    HeadMachines(
            Clusters clusters,
            StageWork stages,
            Journal journal,
            Effects effects,
            Children children,
            ChildSites sites,
            Shop shop,
            Supplier<Instant> clock) {
        this.clusters = clusters;
        this.stages = stages;
        this.journal = journal;
        this.effects = effects;
        this.children = children;
        this.sites = sites;
        this.shop = shop;
        this.clock = clock;
    }

    /** The order is the point: the request is on disk, then that it is about to be made, then it is made. */
    void buy(ClusterRecord child, Seen its, Instant now) {
        ClusterMachine head = child.head();
        LaunchRequest request = head.request();
        if (request == null) {
            shop.offers()
                    .head(child.spec().site())
                    .ifPresentOrElse(
                            offer -> journal.commit(
                                    now,
                                    child.withHead(head.planned(
                                            request(child, offer),
                                            offer.offering().pricePerHour()))),
                            () -> its.why = ClusterFact.NO_MACHINE_OFFERED);
        } else if (head.calledAt() == null && !its.hasNetwork) {
            network(child, its, now);
        } else if (head.calledAt() == null) {
            journal.commit(now, child.withHead(head.called(now)));
            call(child, request);
        } else if (!effects.isUnderWay(Clusters.key(child, "call"))) {
            look(child, its, now);
        }
    }

    /**
     * The wall between the cluster and its neighbours, before its first machine. It bears the child's name, and may be
     * made again.
     */
    private void network(ClusterRecord child, Seen its, Instant now) {
        stages.work(
                child,
                "network",
                its,
                now,
                () -> {
                    var network = sites.of(child.id(), child.spec().site()).network();
                    if (network.isPresent()) {
                        network.get().create();
                    }
                    return true;
                },
                still -> still.hasNetwork = true);
    }

    /** The machine is this state's, as all that this head buys: another state's cluster may have the same name. */
    private LaunchRequest request(ClusterRecord child, Clusters.HeadOffer offer) {
        Map<String, String> tags = new HashMap<>(Map.of(
                Instance.TAG_ROLE,
                "HEAD",
                Instance.TAG_OWNER,
                child.spec().owner().name().replaceAll("[^A-Za-z0-9._@-]", "-")));
        String state = journal.store().standing().tag();
        if (!state.isEmpty()) {
            tags.put(Instance.TAG_STATE, state);
        }
        return LaunchRequest.of(child.id() + "-head", 1, offer.offering().id(), 1)
                .withImage(offer.image())
                .withUserData(children.userData(child))
                .withTags(tags);
    }

    private void call(ClusterRecord child, LaunchRequest request) {
        effects.begin(
                Clusters.key(child, "call"),
                () -> sites.of(child.id(), child.spec().site())
                        .compute()
                        .launch(shop.rendering().render(request)),
                answer -> clusters.inStage(child, (current, its) -> answered(current, its, answer)),
                failure -> LOG.warn(
                        "cluster {}: no certain answer to its head's launch: {}", child.id(), failure.getMessage()));
    }

    private void answered(ClusterRecord child, Seen its, LaunchAnswer answer) {
        if (!answer.instances().isEmpty()) {
            Instance instance = answer.instances().getFirst();
            journal.commit(clock.get(), child.withHead(Clusters.named(child, instance)));
        } else if (answer.outcome() instanceof LaunchOutcome.Refused(var reason, String message)) {
            its.progress = Progress.FAILED;
            its.why = new NodeCause.LaunchRefused(reason, message);
            log(child, answer);
        }
        // Anything else is not known: a listing tells.
    }

    private void log(ClusterRecord child, LaunchAnswer answer) {
        LaunchRequest request = child.head().request();
        if (request != null) {
            var asked = new LaunchRecord(clock.get(), request.offering(), request.count(), answer.outcome());
            LaunchText.lines(request.intent(), List.of(asked)).forEach(line -> LOG.warn("{}", line));
        }
    }

    private void look(ClusterRecord child, Seen its, Instant now) {
        if (its.unknownSince == null) {
            its.unknownSince = now;
        }
        if (!clusters.isDue(child, "look", its, Clusters.LOOK, now)) {
            return;
        }
        effects.begin(
                Clusters.key(child, "look"),
                () -> glance(child, now),
                glance -> clusters.inStage(child, (current, still) -> listed(current, still, glance)),
                failure -> clusters.inStage(
                        child, (current, still) -> still.why = new ClusterCause.SiteNotListed(Clusters.said(failure))));
    }

    /** Nothing ends on one look, and none is proof before the provider's window has passed. */
    private void missed(ClusterRecord child, Seen its, Sighting sighting) {
        Compute compute = sites.of(child.id(), child.spec().site()).compute();
        Instant since = its.unknownSince;
        boolean named = child.head().instance() != null;
        if (since == null || sighting.startedAt().isBefore(since.plus(compute.consistencyWindow()))) {
            return;
        }
        its.lapse = sighting.after(its.lapse);
        boolean asked = named && compute.lookup().isPresent();
        if (its.lapse != null && its.lapse.isProven(FleetRules.of(compute.consistencyWindow(), asked))) {
            its.progress = Progress.FAILED;
            its.why = named ? ClusterFact.HEAD_GONE : ClusterFact.HEAD_NOT_APPEARED;
        }
    }

    /** A listing, and what became of the head's machine where it is named. */
    private record Glance(List<Instance> listing, Sighting sighting) {}

    private Glance glance(ClusterRecord child, Instant begun) throws CloudException {
        Compute compute = sites.of(child.id(), child.spec().site()).compute();
        List<Instance> listing = compute.list();
        String id = child.head().instance();
        return new Glance(listing, Sighting.of(compute, listing, id == null ? "" : id, begun));
    }

    /**
     * Bought by a head of another state, or by one that was started with a copy of this journal: both may give a launch the
     * same name, and not the same tag.
     */
    private boolean isStrange(Instance one, @Nullable LaunchRequest request) {
        String bought = one.tags().getOrDefault(Instance.TAG_STATE, "");
        String asked = request == null ? "" : request.tags().getOrDefault(Instance.TAG_STATE, "");
        return journal.store().standing().isStrange(bought)
                || !(bought.isEmpty() || asked.isEmpty() || bought.equals(asked));
    }

    private void listed(ClusterRecord child, Seen its, Glance glance) {
        LaunchRequest request = child.head().request();
        String intent = request == null ? "" : request.intent();
        Optional<Instance> found = glance.listing().stream()
                .filter(one -> one.intent().equals(intent) && one.state().isLive() && !isStrange(one, request))
                .findFirst()
                .or(glance.sighting()::alive);
        if (found.isEmpty()) {
            missed(child, its, glance.sighting());
            return;
        }
        its.lapse = null;
        Instance instance = found.get();
        if (instance.failure() != null) {
            its.progress = Progress.FAILED;
            its.why = LaunchCause.of(instance.failure());
        } else if (instance.state() == Instance.State.STOPPED) {
            its.progress = Progress.FAILED;
            its.why = ClusterFact.HEAD_OFF;
        } else if (instance.state() == Instance.State.RUNNING
                && !instance.address().isEmpty()) {
            journal.commit(clock.get(), child.withHead(Clusters.named(child, instance)));
            its.progress = Progress.DONE;
        }
    }
}
