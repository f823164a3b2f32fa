package org.spillway.head.placement;

import org.spillway.head.cause.Cause;

/** A decision about one waiting job. */
public sealed interface Placed {
    String job();

    /** The job's prospect in the site that it is in from now on. */
    Prospect prospect();

    Cause cause();

    /** The job is bound to this site from now on; what was staged for it in another is of no use any more. */
    record Bind(String job, String site, Prospect prospect, Cause cause) implements Placed {}

    /** The job stays where it is, or unbound when no site can be expected to take it. */
    record Stay(String job, Prospect prospect, Cause cause) implements Placed {}
}
