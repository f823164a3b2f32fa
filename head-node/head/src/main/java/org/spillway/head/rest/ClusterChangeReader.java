package org.spillway.head.rest;

import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterChange;
import org.spillway.api.RequestReader;

/** Reads what is to be changed of a cluster on demand, with every bound checked. */
public final class ClusterChangeReader {
    private ClusterChangeReader() {}

    /** @throws ApiException NOT_FOUND for another action, BAD_REQUEST naming the field */
    public static ClusterChange read(String action, byte[] bytes) {
        return switch (action) {
            case "scale" -> RequestReader.read(bytes, ClusterChange.Scale.class);
            case "extend" -> RequestReader.read(bytes, ClusterChange.Extend.class);
            case "stop" ->
                bytes.length == 0 ? new ClusterChange.Stop(false) : RequestReader.read(bytes, ClusterChange.Stop.class);
            case "start" -> new ClusterChange.Start();
            case "approve" -> new ClusterChange.Approve();
            case "reject" -> RequestReader.read(bytes, ClusterChange.Reject.class);
            default ->
                throw new ApiException(
                        Code.NOT_FOUND,
                        "a cluster has no action " + action,
                        "scale, extend, stop, start, approve, reject and delete");
        };
    }
}
