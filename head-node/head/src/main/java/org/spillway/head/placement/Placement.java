package org.spillway.head.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.cause.PlaceCause.PlaceFact;
import org.spillway.policy.Money;

/**
 * Which site each waiting job is bound to.
 *
 * <p><b>Rules.</b> Jobs are looked at in the order in which they are served, and each takes from its site what it needs, so
 * that "room" is what those before it leave. A job with one site is bound to it. One with several goes home while home
 * can serve it now, or is expected to no later than another site could, which has to boot and to be given its input
 * first; else to the cheapest site that can (of those of the highest priority; the price of its share of the
 * nodes for its walltime; equal ones by its preference); else to the one that can be expected first; and is left unbound when nothing can be expected
 * of any.
 *
 * <p>It is bound anew, until a node has it, after {@link #SETTLED} at the earliest and only when its site cannot serve it
 * now and another can, or when home can and its own site would have to buy for it: a node that was launched for it, or
 * has room, keeps it.
 *
 * <p><b>Stable.</b> With equal input the same is decided, and applying a decision leads to no other: what a job gets depends
 * on those before it and on its own site, it is moved only to a site that can serve it now, and such a site keeps it.
 *
 * <p><b>Complexity.</b> j jobs, n nodes, o offerings, s sites per job: O(j log j + j s + served (n + o)); a shape that found
 * no room is not tried again until something is bought.
 */
public final class Placement {
    /** A job that was just bound stays for this long. */
    public static final Duration SETTLED = Duration.ofSeconds(5);

    private final Map<String, SitePool> pools = new HashMap<>();

    private final Instant now;

    private Placement(Collection<SiteOutlook> sites, Money budgetLeft, Instant now) {
        this.now = now;
        Purse purse = new Purse(budgetLeft);
        sites.forEach(site -> pools.put(site.name(), new SitePool(site, purse, now)));
    }

    /** @param sites all that a job may name; a site that is missing can do nothing */
    public static List<Placed> decide(
            Collection<WaitingJob> jobs, Collection<SiteOutlook> sites, Money budgetLeft, Instant now) {
        Placement placement = new Placement(sites, budgetLeft, now);
        List<Placed> placed = new ArrayList<>(jobs.size());
        jobs.stream().sorted(WaitingJob.SERVED).forEach(job -> placed.add(placement.place(job)));
        return placed;
    }

    private Placed place(WaitingJob job) {
        if (job.sites().size() == 1) {
            return only(job, job.sites().getFirst());
        }
        return job.isBound() ? again(job) : first(job);
    }

    private Placed only(WaitingJob job, String site) {
        SitePool.Option option = option(job, site);
        Prospect prospect = option == null ? expected(job, site) : take(job, option);
        if (option == null) {
            wait(job, site);
        }
        return job.site().equals(site)
                ? new Placed.Stay(job.id(), prospect, prospect.obstacle())
                : new Placed.Bind(job.id(), site, prospect, Cause.NONE);
    }

    private Placed first(WaitingJob job) {
        SitePool.Option best = best(job);
        Prospect sooner = best == null ? null : soonerAtHome(job, best);
        if (best != null && sooner != null) {
            wait(job, sooner.site());
            return new Placed.Bind(job.id(), sooner.site(), sooner, soonerThan(job, best, sooner));
        }
        if (best != null) {
            Cause why = isHome(best.site())
                    ? PlaceFact.HOME_HAS_ROOM
                    : new PlaceCause.SiteChosen(
                            best.site(),
                            priority(best.site()) == 0,
                            job.sites().stream().anyMatch(this::isHome),
                            best.egress());
            return new Placed.Bind(job.id(), best.site(), take(job, best), why);
        }
        return job.sites().stream()
                .map(site -> expected(job, site))
                .filter(prospect -> prospect.start() != null)
                .min(Comparator.comparing(prospect -> prospect.start() == null ? Instant.MAX : prospect.start()))
                .<Placed>map(soonest -> {
                    wait(job, soonest.site());
                    return new Placed.Bind(
                            job.id(), soonest.site(), soonest, new PlaceCause.SiteExpected(soonest.site()));
                })
                .orElseGet(() -> nowhere(job));
    }

    private Placed again(WaitingJob job) {
        SitePool.Option present = option(job, job.site());
        boolean settled = job.binding().age().compareTo(SETTLED) >= 0;
        if (present != null) {
            SitePool.Option home = settled && present.buys() && !isHome(job.site()) ? atHome(job) : null;
            if (home != null) {
                return new Placed.Bind(job.id(), home.site(), take(job, home), PlaceFact.HOME_HAS_ROOM_NOW);
            }
            return new Placed.Stay(job.id(), take(job, present), Cause.NONE);
        }
        Prospect expected = expected(job, job.site());
        SitePool.Option better = settled ? best(job) : null;
        if (better != null && isHome(job.site()) && soonerAtHome(job, better) instanceof Prospect sooner) {
            wait(job, job.site());
            return new Placed.Stay(job.id(), sooner, soonerThan(job, better, sooner));
        }
        if (better != null) {
            Cause obstacle = job.stuck() ? PlaceFact.INPUT_STUCK : expected.obstacle();
            Cause why = new PlaceCause.SiteBetter(better.site(), job.site(), obstacle);
            return new Placed.Bind(job.id(), better.site(), take(job, better), why);
        }
        wait(job, job.site());
        return new Placed.Stay(job.id(), expected, expected.obstacle());
    }

    /** Home if it can serve the job now, else the cheapest that can. */
    private SitePool.@Nullable Option best(WaitingJob job) {
        SitePool.Option home = atHome(job);
        if (home != null) {
            return home;
        }
        SitePool.Option best = null;
        for (String site : job.sites()) {
            SitePool.Option option = option(job, site);
            if (option != null && (best == null || isBetter(option, best))) {
                best = option;
            }
        }
        return best;
    }

    /**
     * Home's promise to a job for which it has no room now, when that is no later than elsewhere; null when it is
     * later, or nothing is known. Home's promise is by walltimes, so it is kept.
     */
    private @Nullable Prospect soonerAtHome(WaitingJob job, SitePool.Option elsewhere) {
        SitePool there = pools.get(elsewhere.site());
        if (isHome(elsewhere.site()) || there == null) {
            return null;
        }
        Instant start = there.start(job, elsewhere);
        return job.sites().stream()
                .filter(site -> isHome(site) && !(job.stuck() && site.equals(job.site())))
                .map(site -> expected(job, site))
                .filter(prospect -> prospect.start() instanceof Instant at && !at.isAfter(start))
                .min(Comparator.comparing(prospect -> prospect.start() == null ? Instant.MAX : prospect.start()))
                .orElse(null);
    }

    private Cause soonerThan(WaitingJob job, SitePool.Option elsewhere, Prospect home) {
        SitePool there = pools.get(elsewhere.site());
        Instant start = there == null ? now : there.start(job, elsewhere);
        Instant at = home.start() == null ? now : home.start();
        return new PlaceCause.SoonerAtHome(home.site(), seconds(at), elsewhere.site(), seconds(start));
    }

    private long seconds(Instant at) {
        return Math.max(0, Math.ceilDiv(Duration.between(now, at).toMillis(), 1000));
    }

    private boolean isBetter(SitePool.Option one, SitePool.Option other) {
        int more = Integer.compare(priority(one.site()), priority(other.site()));
        return more > 0 || (more == 0 && one.costMicros() < other.costMicros());
    }

    private int priority(String site) {
        SitePool pool = pools.get(site);
        return pool == null ? 0 : pool.priority();
    }

    private SitePool.@Nullable Option atHome(WaitingJob job) {
        for (String site : job.sites()) {
            SitePool.Option option = isHome(site) ? option(job, site) : null;
            if (option != null) {
                return option;
            }
        }
        return null;
    }

    private SitePool.@Nullable Option option(WaitingJob job, String site) {
        SitePool pool = pools.get(site);
        boolean avoided = job.stuck() && site.equals(job.site()) && job.sites().size() > 1;
        return pool == null || avoided ? null : pool.option(job);
    }

    private Prospect take(WaitingJob job, SitePool.Option option) {
        SitePool pool = pools.get(option.site());
        return pool == null ? Prospect.none(option.site(), Cause.NONE) : pool.take(job, option);
    }

    private void wait(WaitingJob job, String site) {
        SitePool pool = pools.get(site);
        if (pool != null) {
            pool.wait(job);
        }
    }

    private Prospect expected(WaitingJob job, String site) {
        SitePool pool = pools.get(site);
        return pool == null ? Prospect.none(site, new PlaceCause.SiteUnknown(site)) : pool.expected(job);
    }

    private boolean isHome(String site) {
        SitePool pool = pools.get(site);
        return pool != null && pool.isHome();
    }

    private Placed nowhere(WaitingJob job) {
        Cause none = new PlaceCause.NoSite(job.sites().stream()
                .map(site -> expected(job, site).obstacle())
                .distinct()
                .toList());
        return new Placed.Stay(job.id(), Prospect.none("", none), none);
    }

    /** Money that may still be spent, by all sites together. */
    static final class Purse {
        private Money left;

        Purse(Money left) {
            this.left = left;
        }

        Money left() {
            return left;
        }

        void take(Money amount) {
            left = left.minus(amount);
        }
    }
}
