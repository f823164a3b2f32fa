package org.spillway.head.bootstrap;

import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.trust.HostKeys;

/**
 * Replaces the host key that travelled in user data. Where the instance has no means for that, the first key stays, and
 * the log says so.
 */
final class HostKeyRotation {
    private static final Logger LOG = LoggerFactory.getLogger(HostKeyRotation.class);
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** Put there by the user data; see {@code org.spillway.head.trust}. */
    private static final String TOOL = "spillway-host-key";

    /** An instance of the local cloud shares the machine's file system: it has the tool on its own disk, or none. */
    private static final String FIND = "if [ -n \"${SPILLWAY_INSTANCE_DIR:-}\" ]; then tool=$SPILLWAY_INSTANCE_DIR/bin/"
            + TOOL + "; else tool=/usr/local/sbin/" + TOOL + "; fi; ";

    private static final String PRESENT = FIND + "test -x \"$tool\"";
    private static final String INSTALL = FIND
            + "if [ \"$(id -u)\" -eq 0 ] || [ -n \"${SPILLWAY_INSTANCE_DIR:-}\" ];"
            + " then exec \"$tool\"; else exec sudo -n \"$tool\"; fi";

    private final HostKeys keys;

    HostKeyRotation(HostKeys keys) {
        this.keys = keys;
    }

    /** Whether a new key was installed, so that a new session must be made and {@link #check} be asked. */
    boolean rotate(DirectorTarget director, RemoteShell shell) throws IOException {
        if (keys.isRotated(director.node())) {
            return false;
        }
        if (!shell.run(PRESENT, "", LIMIT).succeeded()) {
            LOG.warn(
                    "the host key of {} stays the one of its user data: the instance has no {}", director.node(), TOOL);
            return false;
        }
        var result = shell.run(INSTALL, keys.nextKey(director.node()), LIMIT);
        if (!result.succeeded()) {
            LOG.warn(
                    "the host key of {} stays the one of its user data: {} ended with {}",
                    director.node(),
                    TOOL,
                    result.exit());
            return false;
        }
        return true;
    }

    /** Says so if the instance still shows its old key in a session made after {@link #rotate}. */
    void check(DirectorTarget director) throws IOException {
        if (keys.isRotated(director.node())) {
            LOG.info("the host key of {} is rotated", director.node());
        } else {
            LOG.warn("{} took a new host key and still shows the one of its user data", director.node());
        }
    }
}
