package org.spillway.cloud.catalogue;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.Offering;

/** A site's offerings at a time. */
public record Catalogue(Instant readAt, List<Offering> offerings) {
    public Catalogue {
        offerings = List.copyOf(offerings);
    }
}
