package org.spillway.api;

import org.spillway.api.form.Describes;

/** Why a node is there. */
public record NodeExplainView(
        String id,

        NodeState state,

        String sentence,

        @Describes("that bought it; empty for one that the scaler did not buy, or that is not kept any more")
        String decision) {}
