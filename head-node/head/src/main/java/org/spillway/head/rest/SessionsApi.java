package org.spillway.head.rest;

import java.io.Closeable;
import java.io.InputStream;
import java.io.OutputStream;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;

/** Sessions in rooms of running jobs. What passes is between the client and the node. */
public interface SessionsApi {
    /** A head that has none. */
    SessionsApi NONE = (caller, job, session, rank) -> {
        throw new ApiException(Code.UNAVAILABLE, "this head has no sessions", "use a head of this release");
    };

    /**
     * The way to a node, for one of the connections that a session has one after another. Waits for the node.
     *
     * @param session 32 hexadecimal digits, drawn by the client
     * @param rank of the node in the job, from 0
     * @throws ApiException NOT_FOUND, CONFLICT or TOO_MANY where there will be none; UNAVAILABLE where there is none now
     */
    Line open(Caller caller, String job, String session, int rank);

    /** A stream each way. */
    interface Line extends Closeable {
        InputStream in();

        OutputStream out();
    }
}
