package org.spillway.cloud;

import java.util.Collection;
import java.util.Map;

/** Asking for instances by their ids: the second kind of proof that one is gone, beside a listing that lacks it. */
public interface Lookup {
    /** The most ids of one call; a caller asks for the others later. */
    int MOST_IDS = 100;

    /**
     * Harmless and may be repeated. Within the provider's {@link Compute#consistencyWindow} after a launch an id may be
     * denied although its instance exists.
     *
     * @param instanceIds at most {@link #MOST_IDS}
     * @return an answer for each of them
     * @throws CloudException if the provider did not answer; then nothing follows for any of them
     */
    Map<String, Look> look(Collection<String> instanceIds) throws CloudException;
}
