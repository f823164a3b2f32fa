package org.spillway.head.loop.waits;

/**
 * The part of a tick that found something out about a waiting job. The later constant wins: who decides later in a tick
 * knows what those before have decided, and says what is in the way now.
 */
public enum Finder {
    /** A copy of input or results that has ended since the last tick. */
    COPY,
    /** Orders for a site's director. */
    ORDERS,
    /** Other jobs, the limit of its array, and the choice of its site. */
    PLACE,
    /** The turn of its input, and the way home of its results. */
    STAGING,
    /** Licences that others have. */
    LICENCE,
    /** The workload manager that it was given to. */
    MANAGER,
    /** Nodes that it was given: it begins there, or may not. */
    START,
    /** A step of the plan that could not be taken for jobs like it. */
    SHORTAGE,
    /** A node that comes for jobs like it. */
    SUPPLY,
    /** The plan, which does nothing for jobs like it. */
    PLAN
}
