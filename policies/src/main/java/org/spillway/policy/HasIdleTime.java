package org.spillway.policy;

import java.time.Duration;

/** Settings of a policy that gives back what idles: its price is reserved for so long. */
public interface HasIdleTime {
    /** After which a node that nothing needs goes, 0 or more. */
    Duration idleTime();
}
