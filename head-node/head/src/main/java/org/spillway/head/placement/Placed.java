package org.spillway.head.placement;

/** What is decided about one waiting job. */
public sealed interface Placed {
    String job();

    /** What it can expect of the site that it is in from now on. */
    Prospect prospect();

    String reason();

    /** It is bound to this site from now on; what was staged for it in another is of no use any more. */
    record Bind(String job, String site, Prospect prospect, String reason) implements Placed {}

    /** It stays where it is, or unbound when no site can be expected to take it. */
    record Stay(String job, Prospect prospect, String reason) implements Placed {}
}
