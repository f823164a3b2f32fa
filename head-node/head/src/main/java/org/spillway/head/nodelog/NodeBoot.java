package org.spillway.head.nodelog;

import java.nio.file.Path;
import java.time.Instant;

/**
 * A boot of a node of which something is kept.
 *
 * @param number from 1, of the boots of this node
 * @param boot random; zeroes for a node of which only its provider has told
 */
public record NodeBoot(Path folder, int number, String boot, Instant firstHeard) {
    /** The extent of a boot. @param lastHeard when anything of it was written last */
    public record Kept(Instant lastHeard, long bytes) {}
}
