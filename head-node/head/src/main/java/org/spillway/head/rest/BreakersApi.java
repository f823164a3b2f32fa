package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.BreakerView;

/** Breakers, which stop launches because something went wrong too often. */
public interface BreakersApi {
    /** The open breakers, the longest open first, then those that were open. */
    List<BreakerView> list();

    /**
     * Closes one; from then on it counts anew. For administrators. Idempotent.
     *
     * @throws ApiException NOT_FOUND for one that never opened
     */
    BreakerView close(Caller caller, String name);
}
