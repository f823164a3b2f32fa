package org.spillway.head.rest;

import java.io.IOException;
import java.util.Set;
import org.spillway.api.Json;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.RequestReader;

/** Reads what a node is to be. */
final class NodeTurnReader {
    private static final Set<String> ACTIONS = Set.of("repurpose", "join", "leave");

    private NodeTurnReader() {}

    /** Whether an action has a body. */
    static boolean reads(String action) {
        return ACTIONS.contains(action);
    }

    /** @throws org.spillway.api.ApiException BAD_REQUEST naming the field */
    static NodeTurnOrder read(String action, byte[] bytes) {
        NodeTurnOrder order = RequestReader.read(bytes, NodeTurnOrder.class);
        if (!action.equals("repurpose")) {
            if (order.overlay().isEmpty()) {
                throw RequestReader.refuse("overlay", "found ''", "an overlay's name");
            }
            return new NodeTurnOrder("", order.overlay(), order.drain());
        }
        if (!says(bytes, "category")) {
            throw RequestReader.refuse("category", "found nothing", "a category's name, or nothing for none");
        }
        return new NodeTurnOrder(order.category(), "", order.drain());
    }

    /** No category is a wish, too, and so is not what is meant where it was forgotten. */
    private static boolean says(byte[] bytes, String field) {
        try {
            return Json.tree(bytes).hasNonNull(field);
        } catch (IOException wasReadBefore) {
            throw new IllegalStateException(wasReadBefore);
        }
    }
}
