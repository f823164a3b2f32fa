package org.spillway.head.link;

import java.io.IOException;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.SshException;
import org.spillway.stage.transfer.StreamBroken;

/** Whether a failure is a connection's. */
final class Breaks {
    private Breaks() {}

    /** @return the failure as it is, or that the connection broke: then it is closed, and used no more */
    static IOException judged(ClientSession session, String site, IOException failure) {
        // A write that fails is told before the session knows that its connection is gone.
        if (session.isOpen() && !(failure instanceof SshException)) {
            return failure;
        }
        session.close(true);
        return new StreamBroken("a connection to site " + site + " broke: " + failure.getMessage(), failure);
    }
}
