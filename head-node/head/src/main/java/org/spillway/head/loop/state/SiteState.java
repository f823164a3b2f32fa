package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.fleet.FleetMemory;
import org.spillway.cloud.fleet.FleetRules;
import org.spillway.cloud.fleet.Listing;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.Offering;

/**
 * Sightings of one site. In memory only: a head that starts again looks again. Loop thread only, but for reads by REST
 * of single references.
 */
public final class SiteState {
    /** For so long a director's price is reserved when it is bought. */
    public static final Duration FIRST_COMMITMENT = Duration.ofMinutes(15);

    /** Changed on the loop's thread only. */
    public volatile SitePlan plan;

    /** Null before anybody asked. */
    volatile @Nullable StandingNodes standingNodes;

    private volatile List<Offering> offerings = List.of();

    @Nullable
    public Instant offeringsAt;

    public volatile Cause trouble = Cause.NONE;

    /** Why no director is bought; none when one may be. Other troubles come and go with what is asked meanwhile. */
    public volatile Cause directorObstacle = Cause.NONE;

    /** Why its director does not come up, or the last one did not; none while one serves. No listing clears it. */
    public volatile Cause directorTrouble = Cause.NONE;

    /** The broken checks of the site; none while it can be used. Neither a listing nor a director clears it. */
    public volatile Cause broken = Cause.NONE;

    /** Why the head may write nothing of a purchase; none while it may. */
    public volatile Cause unwritable = Cause.NONE;

    /** Why another head of this state may buy here; none when no machine tells of one. */
    public volatile Cause twin = Cause.NONE;

    /** Why an administrator's order keeps it closed; none while it does not. */
    public volatile Cause closed = Cause.NONE;

    /** Ends that its provider was asked for. */
    public final Unended unended = new Unended();

    /** Why machines have not ended; none when none was refused. No listing clears it. */
    public volatile Cause endings = Cause.NONE;

    /** When it was last looked at as a whole; null before. */
    @Nullable
    public Instant checkedAt;

    /** As its provider told them last. */
    SiteQuotas quotas = SiteQuotas.NONE;

    /** When it was last asked for them; null before. */
    @Nullable
    public Instant quotasAsked;

    /** Looks in a row that found something broken. */
    public int brokenLooks;

    @Nullable
    public Instant troubleSince;

    /** Since when a director is needed and none serves. */
    @Nullable
    public Instant directorMissingSince;

    /** Jobs that may go elsewhere do, until then. */
    @Nullable
    public Instant sickUntil;

    /** From its launch call to its first report, as last measured. */
    public Duration directorBoot = Duration.ofSeconds(30);

    public volatile @Nullable Listing listing;

    @Nullable
    public Instant listingBegun;

    /** Calls that the last whole listing was made of. */
    public long callsOfListing = 1;

    /** Listings in a row that failed. */
    public int failedListings;

    /** Owned instances that a listing lacks stay as they were last seen, until they are proven gone. */
    private final Map<String, Instance> seen = new HashMap<>();

    /** Looks so far from which something may follow. */
    public FleetMemory fleet = FleetMemory.NONE;

    public volatile @Nullable Report report;

    @Nullable
    public String reportFrom;

    @Nullable
    public Instant syncBegun;

    public volatile @Nullable Instant syncedAt;

    @Nullable
    public Directive acknowledged;

    public int linkFailures;

    public final RenewedCertificates renewed = new RenewedCertificates();

    @Nullable
    Instant installBegun;

    @Nullable
    public String installed;

    @Nullable
    public Instant idleSince;

    SiteState(SitePlan plan) {
        this.plan = plan;
    }

    /** Nodes that an administrator asked for and that wait for a director. */
    private final Queue<Wanted> wanted = new ArrayDeque<>();

    public record Wanted(NodePurchase purchase, Instant since) {}

    public FleetRules fleetRules() {
        return FleetRules.of(plan.provider().compute());
    }

    /** As last read; empty before. Any thread. */
    public List<Offering> offerings() {
        return offerings;
    }

    public void offers(List<Offering> all) {
        offerings = List.copyOf(all);
    }

    /** An instance as it was last seen; null for one that was not. */
    public @Nullable Instance seen(String instance) {
        return seen.get(instance);
    }

    /** Of what was seen before, only the instances of that name are kept. */
    public void seesOnly(Set<String> instances) {
        seen.keySet().retainAll(instances);
    }

    public void sees(Instance instance) {
        seen.put(instance.id(), instance);
    }

    public void want(Wanted nodes) {
        wanted.add(nodes);
    }

    /** The order that is served next; null for none. */
    public @Nullable Wanted nextWanted() {
        return wanted.peek();
    }

    /** The next order needs no further look. */
    public void endWanted() {
        wanted.remove();
    }

    /** The offering of the site's director. */
    public Optional<Offering> directorOffering() {
        return offerings.stream()
                .filter(one -> one.id().instanceType().equals(plan.director().type())
                        && one.id().market() == plan.director().market()
                        && (plan.director().zone().isEmpty()
                                || one.id().zone().equals(plan.director().zone())))
                .min(Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id));
    }

    /** Why nothing may be bought here; none when it may. What exists goes on. */
    public Cause unusable() {
        return closed.or(unwritable).or(twin).or(broken);
    }

    /**
     * Whether machines of this head's own journal may be ended. Where another head of its state has bought, and no director
     * has answered this one, that one may know better what serves.
     */
    public boolean mayEnd() {
        return twin.isNone() || report != null;
    }

    /** The trouble of the site now; none when there is none. */
    public Cause ailment() {
        return unusable().or(directorAilment()).or(endings).or(trouble);
    }

    /** Why it has no director; none when it has one, or may have. */
    public Cause directorAilment() {
        return directorObstacle.or(
                directorTrouble.isNone() ? Cause.NONE : new SiteCause.DirectorNotUp(directorTrouble));
    }

    public void trouble(Cause what, Instant now) {
        trouble = what;
        if (troubleSince == null) {
            troubleSince = now;
        }
    }

    public void well() {
        trouble = Cause.NONE;
        troubleSince = null;
    }

    /** Another director: nothing that the former one said holds any more. */
    public void forgetDirector() {
        report = null;
        reportFrom = null;
        syncedAt = null;
        acknowledged = null;
        linkFailures = 0;
        installed = null;
        installBegun = null;
        renewed.keep(node -> false);
    }
}
