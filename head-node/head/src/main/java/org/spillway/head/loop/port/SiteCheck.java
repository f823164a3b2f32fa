package org.spillway.head.loop.port;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Quota;

/** Looks at what a site needs of its provider, as {@code spillway doctor} does. */
@FunctionalInterface
public interface SiteCheck {
    /** Ends within a bounded time; a provider that is away is a finding. */
    List<Finding> findings() throws InterruptedException;

    /** Reads the quotas that the site's offerings count against; empty where the provider tells none. */
    default Optional<Callable<List<Quota>>> quotas() {
        return Optional.empty();
    }
}
