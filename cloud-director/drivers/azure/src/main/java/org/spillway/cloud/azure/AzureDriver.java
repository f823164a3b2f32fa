package org.spillway.cloud.azure;

import java.time.InstantSource;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/** Virtual machines of one Azure subscription in one location. Loads nothing of the SDK before a site is opened. */
public final class AzureDriver implements CloudDriver {
    private final InstantSource clock;

    public AzureDriver() {
        this(InstantSource.system());
    }

    AzureDriver(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public String name() {
        return "azure";
    }

    @Override
    public Site open(SiteSettings settings) {
        return new AzureSite(settings, AzureSettings.from(settings), clock);
    }
}
