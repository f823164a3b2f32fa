package org.spillway.head.doctor;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Needs;
import org.spillway.cloud.Quota;
import org.spillway.cloud.Site;
import org.spillway.head.loop.port.SiteCheck;

/**
 * A site that is open, examined again and again by a head that runs.
 *
 * @param limit for the driver's own checks
 */
public record SiteExam(Site site, Needs needs, Duration limit) implements SiteCheck {
    @Override
    public List<Finding> findings() throws InterruptedException {
        return SiteLook.at(site, needs, limit);
    }

    @Override
    public Optional<Callable<List<Quota>>> quotas() {
        return site.quotas().map(quotas -> () -> quotas.read(needs.markets()));
    }
}
