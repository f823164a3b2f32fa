package org.spillway.api;

import org.spillway.api.form.Bounds;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Matches;
import org.spillway.api.form.OneOf;
import org.spillway.api.form.Usual;

/** Nodes that an administrator asks for. */
public record NodeOrder(
        @Matches(value = "[a-z0-9][a-z0-9-]{0,39}", allowed = "a site's name")
        String site,

        @Matches(value = "\\S{1,100}", allowed = "an instance type of the provider")
        String type,

        @Usual
        @Matches(value = "\\S{1,100}", allowed = "a zone of the provider, or nothing")
        @Describes("empty for the cheapest")
        String zone,

        @Usual("on-demand") @OneOf({"on-demand", "spot", "reserved"})
        String market,

        @Usual("1") @Bounds(min = 1, max = 1000) int count,

        @Usual("false") @Describes("they are not released by the policy")
        boolean keep) {}
