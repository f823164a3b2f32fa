package org.spillway.head.loop.port;

import java.util.List;
import org.spillway.cloud.Diagnostics.Finding;

/** Looks at what a site needs of its provider, as {@code spillway doctor} does. */
@FunctionalInterface
public interface SiteCheck {
    /** Ends within a bounded time; a provider that is away is a finding. */
    List<Finding> findings() throws InterruptedException;
}
