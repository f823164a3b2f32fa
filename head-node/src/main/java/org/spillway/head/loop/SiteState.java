package org.spillway.head.loop;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    final SitePlan plan;
    volatile List<Offering> offerings = List.of();

    @Nullable
    Instant offeringsAt;

    volatile String trouble = "";

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
