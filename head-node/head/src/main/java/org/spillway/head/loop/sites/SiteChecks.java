package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.limits.Places;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.head.loop.state.ProviderQuotas;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;

/**
 * Finds out which sites cannot be used, and why. The first look at a broken site is enough to call it so; one that was
 * good is looked at twice, since a provider may be away for a moment. Nothing that exists is touched: nodes and jobs of
 * such a site go on.
 */
public final class SiteChecks {
    private static final Logger LOG = LoggerFactory.getLogger(SiteChecks.class);
    private static final Duration WHEN_GOOD = Duration.ofMinutes(5);
    private static final Duration WHEN_BROKEN = Duration.ofSeconds(30);
    private static final Duration SECOND_LOOK = Duration.ofSeconds(5);
    /** Of one check's detail. */
    private static final int MOST_CHARS = 300;

    private static final int MOST_CHECKS = 10;

    private final World world;
    private final Sites sites;
    private final QuotaLooks quotas;
    private final Places places = new Places();

    public SiteChecks(World world, Sites sites, ProviderQuotas account) {
        this.world = world;
        this.sites = sites;
        this.quotas = new QuotaLooks(world, sites, account);
    }

    public void advance(Instant now) {
        quotas.advance(now);
        places.freed(world.journal().liveNodes(), world.journal().delegations()).forEach(world.journal()::forgetFull);
        List<LaunchRecord> launches = world.journal().launches();
        // The rest of a full disk is for the ends of what runs.
        Cause unwritable = world.journal().store().isShortOfRoom() ? SiteCause.SiteFact.HEAD_DISK_FULL : Cause.NONE;
        for (SiteState site : sites.all()) {
            site.unwritable = unwritable;
            site.plan.provider().check().ifPresent(check -> {
                if (isDue(site, launches, now)
                        && world.calls().mayAskAgain("check:" + site.plan.name(), now, SECOND_LOOK)) {
                    begin(site, check, now);
                }
            });
        }
    }

    private static boolean isDue(SiteState site, List<LaunchRecord> launches, Instant now) {
        Instant last = site.checkedAt;
        if (last == null || wasRefusedSince(site, launches, last)) {
            return true;
        }
        Duration pause = site.brokenLooks == 0 ? WHEN_GOOD : site.broken.isNone() ? SECOND_LOOK : WHEN_BROKEN;
        return !now.isBefore(last.plus(pause));
    }

    /** A launch that was refused for what no other try makes good. */
    private static boolean wasRefusedSince(SiteState site, List<LaunchRecord> launches, Instant last) {
        for (LaunchRecord launch : launches.reversed()) {
            if (!launch.at().isAfter(last)) {
                return false;
            }
            if (launch.offering().site().equals(site.plan.name())
                    && launch.outcome() instanceof LaunchOutcome.Refused(var reason, var message)
                    && (reason == LaunchOutcome.Reason.CREDENTIALS || reason == LaunchOutcome.Reason.INVALID)) {
                return true;
            }
        }
        return false;
    }

    private void begin(SiteState site, SiteCheck check, Instant now) {
        world.ports()
                .effects()
                .begin(
                        "check:" + site.plan.name(),
                        check::findings,
                        findings -> judge(site, now, broken(findings)),
                        failure -> judge(site, now, new SiteCause.NotChecked(String.valueOf(failure.getMessage()))));
    }

    /** @param begun what happened later is news to it */
    private static void judge(SiteState site, Instant begun, Cause broken) {
        boolean first = site.checkedAt == null;
        site.checkedAt = begun;
        site.brokenLooks = broken.isNone() ? 0 : site.brokenLooks + 1;
        Cause before = site.broken;
        if (broken.isNone()) {
            site.broken = Cause.NONE;
        } else if (first || site.brokenLooks > 1) {
            site.broken = broken;
        }
        if (!site.broken.equals(before)) {
            if (site.broken.isNone()) {
                LOG.info("site {} can be used again", site.plan.name());
            } else {
                LOG.warn(
                        "site {} cannot be used: {}; 'spillway doctor' says more",
                        site.plan.name(),
                        site.broken.text());
            }
        }
    }

    /** The broken checks; none when there are none. A provider's own words are text to show and no more. */
    static Cause broken(List<Finding> findings) {
        List<Cause> failed = findings.stream()
                // A full quota is of one family, and often of what already runs here; a launch is told so by itself.
                .filter(finding ->
                        finding.verdict() == Verdict.BROKEN && !finding.check().startsWith("quota"))
                .limit(MOST_CHECKS)
                .<Cause>map(finding -> new SiteCause.CheckFailed(finding.check(), shown(finding.detail())))
                .toList();
        return failed.isEmpty() ? Cause.NONE : new SiteCause.ChecksFailed(failed);
    }

    private static String shown(String detail) {
        String line = detail.replaceAll("\\p{Cntrl}", "?");
        return line.length() <= MOST_CHARS ? line : line.substring(0, MOST_CHARS) + "...";
    }
}
