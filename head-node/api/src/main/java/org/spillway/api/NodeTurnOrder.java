package org.spillway.api;

import org.spillway.api.form.Describes;
import org.spillway.api.form.Matches;
import org.spillway.api.form.Usual;

/** An administrator's order to make a node another. */
public record NodeTurnOrder(
        @Usual
        @Matches(value = NodeTurnOrder.NAME, allowed = "a category's name, or nothing for none")
        @Describes("with repurpose; empty for none")
        String category,

        @Usual @Matches(value = NodeTurnOrder.NAME, allowed = "an overlay's name") @Describes("with join and leave")
        String overlay,

        @Usual("false") @Describes("whether a node with jobs changes when they are over; otherwise it is refused")
        boolean drain) {
    static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
}
