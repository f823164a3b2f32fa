package org.spillway.cloud.catalogue;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.Offering;

/** What a site sold at a time. */
public record Catalogue(Instant readAt, List<Offering> offerings) {
    public Catalogue {
        offerings = List.copyOf(offerings);
    }
}
