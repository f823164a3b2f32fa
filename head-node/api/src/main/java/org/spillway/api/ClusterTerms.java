package org.spillway.api;

import org.spillway.api.form.Bounds;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Matches;
import org.spillway.api.form.Usual;
import org.spillway.policy.Money;

/** Terms that a cluster on demand has from now on, as its parent says; told again until it is kept to. */
public record ClusterTerms(
        @Matches(value = "[a-z0-9][a-z0-9-]{0,39}", allowed = "a site's name") @Describes("the only one that it has")
        String site,

        @Bounds(min = 1, max = 1000) @Describes("that it keeps, and may have at most")
        int nodes,

        @Describes("for all of it, for all its time") Money budget,

        @Usual("0") @Bounds(min = 0, max = 1L << 40) @Describes("when it ends, in seconds since 1970; 0 for as it was")
        long endsAtSeconds) {}
