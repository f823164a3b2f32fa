package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.Quota;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.head.loop.state.ProviderQuotas;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;

/** Asks providers for their quotas: now and then, and soon after a launch was refused for one. */
final class QuotaLooks {
    private static final Logger LOG = LoggerFactory.getLogger(QuotaLooks.class);
    private static final Duration PACE = Duration.ofMinutes(5);
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(30);

    private final World world;
    private final Sites sites;
    private final ProviderQuotas quotas;

    QuotaLooks(World world, Sites sites, ProviderQuotas quotas) {
        this.world = world;
        this.sites = sites;
        this.quotas = quotas;
    }

    void advance(Instant now) {
        for (SiteState site : sites.all()) {
            site.plan
                    .provider()
                    .check()
                    .flatMap(SiteCheck::quotas)
                    .filter(read -> !site.offerings().isEmpty() && isDue(site, now))
                    .ifPresent(read -> begin(site, read, now));
        }
    }

    private boolean isDue(SiteState site, Instant now) {
        Instant last = site.quotasAsked;
        return last == null
                || !now.isBefore(last.plus(PACE))
                || (!now.isBefore(last.plus(AFTER_REFUSAL)) && wasRefusedSince(site, last));
    }

    private boolean wasRefusedSince(SiteState site, Instant last) {
        for (LaunchRecord launch : world.journal().launches().reversed()) {
            if (!launch.at().isAfter(last)) {
                return false;
            }
            boolean quota = launch.outcome() instanceof LaunchOutcome.Refused(var reason, var message)
                    && reason == LaunchOutcome.Reason.QUOTA;
            if (quota && launch.offering().site().equals(site.plan.name())) {
                return true;
            }
        }
        return false;
    }

    private void begin(SiteState site, Callable<List<Quota>> read, Instant now) {
        site.quotasAsked = now;
        world.ports()
                .effects()
                .begin(
                        "quotas:" + site.plan.name(),
                        read,
                        told -> quotas.told(site, told),
                        // Doctor says it; launches meet their quotas themselves.
                        failed ->
                                LOG.info("quotas of site {} are not told: {}", site.plan.name(), failed.getMessage()));
    }
}
