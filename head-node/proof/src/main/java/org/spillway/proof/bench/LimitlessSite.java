package org.spillway.proof.bench;

import org.spillway.cloud.ForwardingSite;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.Site;

/** A site whose provider is an emulation on this machine, which limits nothing: the vendor's buckets are not its. */
final class LimitlessSite extends ForwardingSite {
    LimitlessSite(Site site) {
        super(site);
    }

    @Override
    public RateLimits rateLimits() {
        return RateLimits.NONE;
    }
}
