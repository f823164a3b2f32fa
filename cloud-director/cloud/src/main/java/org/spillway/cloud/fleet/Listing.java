package org.spillway.cloud.fleet;

import java.time.Instant;
import java.util.List;
import org.spillway.cloud.Instance;

/** A whole listing of one site. Absence is judged by when it was <em>started</em>. */
public record Listing(Instant startedAt, List<Instance> instances) {
    public Listing {
        instances = List.copyOf(instances);
    }
}
