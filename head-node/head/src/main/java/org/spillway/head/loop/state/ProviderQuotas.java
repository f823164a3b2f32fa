package org.spillway.head.loop.state;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.spillway.cloud.Quota;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Limits;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** Quotas of all providers, as limits that nothing is planned above. Loop thread only. */
public final class ProviderQuotas {
    private final Sites sites;
    private final LiveNodes live;

    ProviderQuotas(Sites sites, LiveNodes live) {
        this.sites = sites;
        this.live = live;
    }

    /** A provider has answered. */
    public void told(SiteState site, List<Quota> quotas) {
        site.quotas = site.quotas.next(quotas, mine(site), site.offerings());
    }

    private SiteQuotas.Mine mine(SiteState site) {
        return SiteQuotas.Mine.of(live.nodes(site.plan.name()), site.offerings());
    }

    private List<SiteQuotas.Now> now(SiteState site) {
        return site.quotas.told().isEmpty() ? List.of() : site.quotas.now(site.plan.name(), mine(site));
    }

    private Stream<SiteQuotas.Now> all() {
        return sites.all().stream().flatMap(site -> now(site).stream());
    }

    List<Limits.Limit> limits() {
        return all().map(SiteQuotas.Now::limit).toList();
    }

    /** Offerings of which another machine would be refused, each with its quota. */
    Map<OfferingId, Cause> full(Collection<Offering> offerings) {
        Map<String, List<SiteQuotas.Now>> bySite = new HashMap<>();
        Map<OfferingId, Cause> full = new HashMap<>();
        for (Offering offering : offerings) {
            List<SiteQuotas.Now> quotas = bySite.computeIfAbsent(offering.id().site(), name -> now(sites.of(name)));
            quotas.stream()
                    .filter(each -> !each.fits(offering))
                    .findFirst()
                    .ifPresent(each -> full.put(offering.id(), each.cause()));
        }
        return full;
    }

    /** Of the quota by which the planner held. @param bound as the planner names it: scope and name */
    Optional<Cause> named(String bound) {
        return all().filter(each -> (each.limit().scope() + " " + each.limit().name()).equals(bound))
                .min((one, other) ->
                        Long.compare(one.limit().left(), other.limit().left()))
                .map(SiteQuotas.Now::cause);
    }
}
