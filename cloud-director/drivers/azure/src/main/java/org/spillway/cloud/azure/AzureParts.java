package org.spillway.cloud.azure;

import java.time.InstantSource;
import org.spillway.cloud.SiteSettings;

/** The parts that every role of a site is made of. */
record AzureParts(
        SiteSettings site,
        AzureSettings settings,
        Names names,
        Arm arm,
        Operations operations,
        Catalogue catalogue,
        InstantSource clock) {}
