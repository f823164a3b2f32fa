package org.spillway.api;

import org.spillway.api.form.Describes;

/** Calls to a site's provider in the minute before the answer, each page by itself; 0 where nobody counts. */
public record CallsView(
        int reads,

        int changes,

        @Describes("that the provider allows the account in a minute, as published; 0 where nobody counts")
        int readsAllowed,

        @Describes("as readsAllowed") int changesAllowed,

        @Describes("as readsAllowed, of the calls that listings of machines are made of")
        int listingsAllowed) {
    public static final CallsView NONE = new CallsView(0, 0, 0, 0, 0);
}
