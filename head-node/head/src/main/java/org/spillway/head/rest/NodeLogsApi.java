package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.NodeLogsView;

/** Logs of nodes, for administrators: jobs of several users may have been on one. */
public interface NodeLogsApi {
    /** A head that keeps none. */
    NodeLogsApi NONE = (node, boot, sources) -> {
        throw new ApiException(ApiException.Code.UNAVAILABLE, "this head keeps no logs of nodes", "");
    };

    /**
     * Logs of a node, also of one that is gone.
     *
     * @param boot its number; 0 for the latest
     * @param sources empty for all
     * @throws ApiException NOT_FOUND when nothing is kept of it, or of that boot
     */
    NodeLogsView of(String node, int boot, List<String> sources);
}
