package org.spillway.head.link;

import java.util.Optional;
import org.spillway.director.wire.PullOrder;
import org.spillway.director.wire.PullState;

/** Inputs from other ends that a region pulls by itself. Calls are short, and may be repeated. */
public interface RegionPulls {
    /**
     * An order of a job's.
     *
     * @param uid whose store they go to
     * @param name of the order, letters and digits
     */
    record Name(String job, int uid, String name) {}

    /** Gives an order. Another of that name that is being carried out goes on as it is. */
    void begin(Name name, PullOrder order) throws LinkDownException;

    /**
     * How far it is.
     *
     * @param from place of the first result that is wanted
     * @return empty when the director knows of none, as one that was restarted
     */
    Optional<PullState> state(Name name, int from) throws LinkDownException;

    /** Ends it, and forgets its results; none there is success. */
    void end(Name name) throws LinkDownException;
}
