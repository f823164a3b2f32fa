package org.spillway.head.ondemand;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Power;
import org.spillway.cloud.Site;
import org.spillway.cloud.fleet.FleetRules;
import org.spillway.cloud.fleet.Sighting;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.ondemand.ClusterTable.Progress;
import org.spillway.head.ondemand.Clusters.Seen;
import org.spillway.policy.Money;

/**
 * Stops clusters on demand and brings them back: nodes end, the head's machine is off, and its disk stays. A pass at a
 * time; each may be begun again after a crash. Where the driver cannot switch machines off, the head's runs on, with
 * nothing on it that works.
 */
final class ClusterPower {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterPower.class);
    /** After so long a head that does not answer is switched off as it is: its journal is made for that. */
    private static final Duration HEARD_OUT = Duration.ofMinutes(2);

    private static final Duration REST = Duration.ofMinutes(1);
    private static final int MOST_TRIES = 5;

    private final Clusters clusters;
    private final Journal journal;
    private final Effects effects;
    private final Children children;
    private final ChildSites sites;
    private final Estate estate;
    private final Clusters.StoppedPrices prices;
    private final Supplier<Instant> clock;

    ClusterPower(
            Clusters clusters,
            Journal journal,
            Effects effects,
            Children children,
            ChildSites sites,
            Estate estate,
            Clusters.StoppedPrices prices,
            Supplier<Instant> clock) {
        this.clusters = clusters;
        this.journal = journal;
        this.effects = effects;
        this.children = children;
        this.sites = sites;
        this.estate = estate;
        this.prices = prices;
        this.clock = clock;
    }

    /** The cluster is off: its price from now on, where that is known. */
    ClusterRecord stopped(ClusterRecord child, Instant now) {
        var request = child.head().request();
        Money price = request == null || site(child).power().isEmpty()
                ? null
                : prices.of(child.spec().site(), request.offering().instanceType())
                        .orElse(null);
        return child.stopped(price, now);
    }

    void off(ClusterRecord child, Seen its, Instant now) {
        // Whatever may still start its head, or its machine, comes to its end first.
        boolean moving = Stream.of("keep", "install", "start", "on")
                .anyMatch(what -> effects.isUnderWay(Clusters.key(child, what)));
        if (moving || !clusters.isDue(child, "off", its, Clusters.LOOK, now)) {
            return;
        }
        boolean heardOut = now.isAfter(child.since().plus(HEARD_OUT));
        effects.begin(
                Clusters.key(child, "off"),
                () -> offPass(child, heardOut, now),
                pass -> clusters.inStage(child, (current, still) -> {
                    boolean missing = pass.sighting().alive().isEmpty() && !isGone(current, still, pass.sighting());
                    still.why = pass.toCome().isNone() && missing ? ClusterFact.HEAD_NOT_LISTED : pass.toCome();
                    if (still.why.isNone()) {
                        still.progress = Progress.DONE;
                    }
                }),
                failure -> clusters.inStage(child, (current, still) -> {
                    still.why = new ClusterCause.StopDelayed(Clusters.said(failure));
                    LOG.warn("cluster {}: {}", child.id(), still.why.text());
                }));
    }

    /** @param toCome what is still to come; none when its nodes are gone and its head is off, or not seen */
    private record OffPass(Cause toCome, Sighting sighting) {}

    private OffPass offPass(ClusterRecord child, boolean heardOut, Instant begun) throws Exception {
        Site site = site(child);
        Sighting sighting = sighting(child, site, begun);
        return new OffPass(offPass(child, site, sighting.alive(), heardOut), sighting);
    }

    private Cause offPass(ClusterRecord child, Site site, Optional<Instance> machine, boolean heardOut)
            throws Exception {
        boolean on = machine.isPresent() && machine.get().state() == Instance.State.RUNNING;
        Cause toCome = on ? quiesced(child) : Cause.NONE;
        if (!toCome.isNone() && !heardOut) {
            return toCome;
        }
        children.close(child.id());
        // By its name and not as listed: a head that a listing lacks once is spared like any other.
        Cause left = estate.emptied(
                child.id(), child.spec().site(), String.valueOf(child.head().instance()));
        if (!left.isNone()) {
            return left;
        }
        Optional<Power> power = site.power();
        if (power.isEmpty()) {
            // Nothing but its own end ends its head: one that went on would not know that it is started again.
            return toCome;
        }
        if (machine.isEmpty() || machine.get().state() == Instance.State.STOPPED) {
            return Cause.NONE;
        }
        if (machine.get().state() != Instance.State.STOPPING) {
            power.get().stop(List.of(machine.get().id()));
        }
        return ClusterFact.HEAD_SWITCHED_OFF;
    }

    private Cause quiesced(ClusterRecord child) {
        try {
            return children.quiesce(child);
        } catch (IOException away) {
            return new ClusterCause.HeadSilent(Clusters.said(away));
        }
    }

    /** Nobody else switches it on unseen, and nobody wonders where it is. */
    void rest(ClusterRecord child, Seen its, Instant now) {
        if (!clusters.isDue(child, "rest", its, REST, now)) {
            return;
        }
        effects.begin(
                Clusters.key(child, "rest"),
                () -> restPass(child, now),
                found -> clusters.inStage(child, (current, still) -> rested(current, still, found)),
                failure -> clusters.inStage(
                        child, (current, still) -> still.why = new ClusterCause.SiteNotListed(Clusters.said(failure))));
    }

    private Sighting restPass(ClusterRecord child, Instant begun) throws CloudException {
        Site site = site(child);
        Sighting sighting = sighting(child, site, begun);
        Optional<Instance> machine = sighting.alive();
        if (machine.isPresent()
                && machine.get().state() == Instance.State.RUNNING
                && site.power().isPresent()) {
            site.power().get().stop(List.of(machine.get().id()));
        }
        return sighting;
    }

    private void rested(ClusterRecord child, Seen its, Sighting sighting) {
        Instance machine = sighting.alive().orElse(null);
        boolean proven = isGone(child, its, sighting);
        if (machine == null) {
            boolean gone = child.head().goneAt() != null;
            if (!gone && proven) {
                gone = true;
                journal.commit(clock.get(), child.withHead(child.head().gone(clock.get())));
            }
            its.why = gone ? ClusterFact.HEAD_LOST : ClusterFact.HEAD_NOT_LISTED;
            return;
        }
        if (child.head().goneAt() != null) {
            journal.commit(clock.get(), child.withHead(Clusters.named(child, machine)));
        }
        its.why =
                machine.state() == Instance.State.RUNNING && site(child).power().isPresent()
                        ? ClusterFact.HEAD_OFF_AGAIN
                        : Cause.NONE;
    }

    /** As {@link org.spillway.cloud.fleet.FleetDiff} has it: nothing ends on one look. */
    private boolean isGone(ClusterRecord child, Seen its, Sighting sighting) {
        its.lapse = sighting.after(its.lapse);
        return its.lapse != null && its.lapse.isProven(FleetRules.of(site(child).compute()));
    }

    /** The cluster's head does not answer while it runs: this looks whether its machine is there at all. */
    void seek(ClusterRecord child) {
        Instant begun = clock.get();
        effects.begin(
                Clusters.key(child, "seek"),
                () -> sighting(child, site(child), begun),
                found -> clusters.inStage(child, (current, still) -> sought(current, still, found)),
                failure -> LOG.warn("cluster {}: its site cannot be listed: {}", child.id(), failure.getMessage()));
    }

    private void sought(ClusterRecord child, Seen its, Sighting sighting) {
        Instance machine = sighting.alive().orElse(null);
        boolean proven = isGone(child, its, sighting);
        if (machine != null && machine.state() != Instance.State.STOPPED) {
            return;
        }
        if (machine != null) {
            its.progress = Progress.FAILED;
            its.why = ClusterFact.HEAD_OFF;
        } else if (proven) {
            its.progress = Progress.FAILED;
            its.machineGone = true;
            its.why = ClusterFact.HEAD_GONE;
        }
    }

    void on(ClusterRecord child, Seen its, Instant now) {
        if (effects.isUnderWay(Clusters.key(child, "rest")) || !clusters.isDue(child, "on", its, Clusters.LOOK, now)) {
            return;
        }
        effects.begin(
                Clusters.key(child, "on"),
                () -> onPass(child, now),
                found -> clusters.inStage(child, (current, still) -> listed(current, still, found)),
                failure -> clusters.inStage(child, (current, still) -> {
                    still.why = new ClusterCause.WorkFailed(Clusters.said(failure));
                    LOG.warn("cluster {}: its head is not switched on: {}", child.id(), still.why.text());
                    still.tries += Verdicts.counts(failure) ? 1 : 0;
                    if (still.tries >= MOST_TRIES) {
                        still.progress = Progress.FAILED;
                    }
                }));
    }

    private Sighting onPass(ClusterRecord child, Instant begun) throws CloudException {
        Site site = site(child);
        Sighting sighting = sighting(child, site, begun);
        Optional<Instance> machine = sighting.alive();
        if (machine.isPresent()
                && machine.get().state() == Instance.State.STOPPED
                && site.power().isPresent()) {
            site.power().get().start(List.of(machine.get().id()));
        }
        return sighting;
    }

    private void listed(ClusterRecord child, Seen its, Sighting sighting) {
        Instance machine = sighting.alive().orElse(null);
        boolean proven = isGone(child, its, sighting);
        if (machine == null && proven) {
            its.progress = Progress.FAILED;
            its.why = ClusterFact.HEAD_GONE;
        } else if (machine == null) {
            its.why = ClusterFact.HEAD_NOT_LISTED;
        } else if (machine.state() == Instance.State.RUNNING
                && !machine.address().isEmpty()) {
            journal.commit(clock.get(), child.withHead(Clusters.named(child, machine)));
            its.progress = Progress.DONE;
        } else {
            its.why = new ClusterCause.HeadMachine(machine.state().name());
        }
    }

    private static Sighting sighting(ClusterRecord child, Site site, Instant begun) throws CloudException {
        return Sighting.of(site.compute(), String.valueOf(child.head().instance()), begun);
    }

    private Site site(ClusterRecord child) {
        return sites.of(child.id(), child.spec().site());
    }
}
