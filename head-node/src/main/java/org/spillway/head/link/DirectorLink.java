package org.spillway.head.link;

import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.stage.transfer.Transfer;

/** How the head speaks to the director of one site. Calls block; each has a time limit and none retries by itself. */
public interface DirectorLink {
    /**
     * Tells the director what should be and learns what is. Idempotent.
     *
     * @throws LinkDownException if there was no answer; the directive may have arrived all the same
     */
    Report sync(DirectorTarget director, Directive directive) throws LinkDownException;

    /** The site's staging space, over the bulk connections. The caller closes it. */
    Transfer staging(DirectorTarget director) throws LinkDownException;

    /** Forgets connections to a director that is no more. */
    void forget(String site);
}
