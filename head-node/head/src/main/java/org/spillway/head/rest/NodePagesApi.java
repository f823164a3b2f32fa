package org.spillway.head.rest;

import java.util.Optional;
import org.spillway.api.NodePageView;

/** All that is known of nodes: for administrators. */
public interface NodePagesApi {
    /** A head that knows no nodes. */
    NodePagesApi NONE = node -> Optional.empty();

    /** Also of one that has ended, as long as the head remembers it. */
    Optional<NodePageView> of(String node);
}
