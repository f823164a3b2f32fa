package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.fleet.Listing;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.policy.Offering;

/**
 * What was seen of one site. In memory only: a head that starts again looks again. Loop thread only, but for reads by
 * REST of single references.
 */
final class SiteState {
    /** Changed on the loop's thread only. */
    volatile SitePlan plan;

    /** Null before anybody asked. */
    volatile @Nullable KeptNodes keptNodes;

    volatile List<Offering> offerings = List.of();

    @Nullable
    Instant offeringsAt;

    volatile String trouble = "";

    /** Why no director is bought; empty when one may be. Other troubles come and go with what is asked meanwhile. */
    volatile String directorObstacle = "";

    /** What its checks found broken; empty while it can be used. Neither a listing nor a director clears it. */
    volatile String broken = "";

    /** Why an administrator's order keeps it closed; empty for none. */
    volatile String closed = "";

    /** When it was last looked at as a whole; null before. */
    @Nullable
    Instant checkedAt;

    /** Looks in a row that found something broken. */
    int brokenLooks;

    @Nullable
    Instant troubleSince;

    /** Since when a director is needed and none serves. */
    @Nullable
    Instant directorMissingSince;

    /** Jobs that may go elsewhere do, until then. */
    @Nullable
    Instant sickUntil;

    /** From its launch call to its first report, as last measured. */
    Duration directorBoot = Duration.ofSeconds(30);

    @Nullable
    Listing listing;

    @Nullable
    Instant listingBegun;

    final Map<String, Instance> seen = new HashMap<>();
    volatile @Nullable Report report;

    @Nullable
    String reportFrom;

    @Nullable
    Instant syncBegun;

    volatile @Nullable Instant syncedAt;

    @Nullable
    Directive acknowledged;

    int linkFailures;

    @Nullable
    Instant installBegun;

    @Nullable
    String installed;

    @Nullable
    Instant idleSince;

    SiteState(SitePlan plan) {
        this.plan = plan;
    }

    /** Nodes that an administrator asked for and that wait for a director. */
    final Queue<Wanted> wanted = new ArrayDeque<>();

    record Wanted(NodePurchase purchase, Instant since) {}

    /** Why nothing may be bought here; empty when it may. What exists goes on. */
    String unusable() {
        String order = closed;
        return order.isEmpty() ? broken : order;
    }

    /** What is wrong with it now; empty when nothing is. */
    String ailment() {
        String why = unusable();
        return why.isEmpty() ? trouble : why;
    }

    void trouble(String what, Instant now) {
        trouble = what;
        if (troubleSince == null) {
            troubleSince = now;
        }
    }

    void well() {
        trouble = "";
        troubleSince = null;
    }

    /** Another director: nothing that the former one said holds any more. */
    void forgetDirector() {
        report = null;
        reportFrom = null;
        syncedAt = null;
        acknowledged = null;
        linkFailures = 0;
        installed = null;
        installBegun = null;
    }
}
