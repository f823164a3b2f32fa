package org.spillway.head.loop.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.cloud.Quota;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/**
 * Quotas of a provider's account as it told them last. What this head has there counts as of now, by its own records; what
 * others have as of that look. A provider counts late what has ended (CloudWatch by minutes), so that what this head had at the
 * look before is not taken for others'. Immutable; pure.
 *
 * @param mine what this head had then
 */
record SiteQuotas(List<Told> told, Mine mine) {
    static final SiteQuotas NONE = new SiteQuotas(List.of(), Mine.NOTHING);

    SiteQuotas {
        told = List.copyOf(told);
    }

    /** @param others what is used by somebody else */
    record Told(Quota quota, Limits.Unit unit, long others) {}

    /**
     * Machines that this head has, by families of offerings. Directors count as well.
     *
     * @param nodes how many machines, and {@code cpus} how many vCPUs
     */
    record Mine(Map<String, Long> nodes, Map<String, Long> cpus) {
        static final Mine NOTHING = new Mine(Map.of(), Map.of());

        Mine {
            nodes = Map.copyOf(nodes);
            cpus = Map.copyOf(cpus);
        }

        static Mine of(Collection<NodeRecord> live, Collection<Offering> offerings) {
            Map<OfferingId, String> families = new HashMap<>();
            offerings.forEach(each -> families.put(each.id(), each.quotaFamily()));
            Map<String, Long> nodes = new HashMap<>();
            Map<String, Long> cpus = new HashMap<>();
            for (NodeRecord node : live) {
                String family = families.getOrDefault(node.offering(), "");
                if (!family.isEmpty()) {
                    nodes.merge(family, 1L, Long::sum);
                    cpus.merge(family, (long) node.resources().cpus(), Long::sum);
                }
            }
            return new Mine(nodes, cpus);
        }

        long of(Told told) {
            return of(told.quota().family(), told.unit());
        }

        private long of(String family, Limits.Unit unit) {
            return (unit == Limits.Unit.NODES ? nodes : cpus).getOrDefault(family, 0L);
        }
    }

    /** As told now. Quotas in units that no limit has are left to the provider, and so are those of nothing that is offered. */
    SiteQuotas next(List<Quota> quotas, Mine now, Collection<Offering> offerings) {
        List<Told> all = new ArrayList<>();
        for (Quota quota : quotas) {
            Optional<Limits.Unit> unit = switch (quota.unit()) {
                case INSTANCES -> Optional.of(Limits.Unit.NODES);
                case CPUS -> Optional.of(Limits.Unit.CPUS);
                case MEMORY_MIB -> Optional.empty();
            };
            if (unit.isPresent()
                    && offerings.stream().anyMatch(each -> each.quotaFamily().equals(quota.family()))) {
                long known = Math.max(now.of(quota.family(), unit.get()), mine.of(quota.family(), unit.get()));
                all.add(new Told(quota, unit.get(), Math.max(0, quota.used() - known)));
            }
        }
        return new SiteQuotas(all, now);
    }

    /** A quota with what is used of it now. */
    record Now(Told told, String site, long own) {
        Limits.Limit limit() {
            return new Limits.Limit(
                    Limits.Scope.QUOTA_FAMILY,
                    site + "/" + told.quota().family(),
                    told.unit(),
                    told.quota().most(),
                    told.others() + own);
        }

        boolean fits(Offering offering) {
            long needed =
                    told.unit() == Limits.Unit.NODES ? 1 : offering.resources().cpus();
            return !told.quota().family().equals(offering.quotaFamily()) || needed <= limit().left();
        }

        Cause cause() {
            Quota quota = told.quota();
            return new WaitCause.QuotaFull(
                    site, quota.name(), quota.title(), told.unit(), told.others() + own, quota.most(), quota.raise());
        }
    }

    /** @param has what this head has now */
    List<Now> now(String site, Mine has) {
        return told.stream().map(each -> new Now(each, site, has.of(each))).toList();
    }
}
