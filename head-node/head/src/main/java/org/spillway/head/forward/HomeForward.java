package org.spillway.head.forward;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.spillway.director.wire.Forwards;

/**
 * A service at home, and its name in jobs.
 *
 * @param name 1 to 40 letters, digits and dashes
 * @param toHost a name or numeric address, as the head reaches it
 * @param toPorts of that host, in the order of {@code ports} and as many
 * @param host by which jobs know it
 * @param ports as jobs know them
 * @param groups whose members may; {@link Forwards#EVERYBODY} for whoever has a job
 */
public record HomeForward(
        String name,
        String toHost,
        List<Integer> toPorts,
        String host,
        List<Integer> ports,
        List<String> groups,
        Bounds bounds) {
    public HomeForward {
        toPorts = List.copyOf(toPorts);
        ports = List.copyOf(ports);
        groups = List.copyOf(groups);
    }

    /**
     * Connections at one time.
     *
     * @param perJob 1 to 200
     * @param perNode 1 to 10,000
     * @param perSite 1 to 10,000
     * @param idle after which one without a byte is ended, 1 min to 30 d
     */
    public record Bounds(int perJob, int perNode, int perSite, Duration idle) {
        public static final Bounds USUAL = new Bounds(16, 64, 256, Duration.ofDays(1));
    }

    /** Where a port leads to; empty for one that jobs do not have. */
    OptionalInt toPort(int port) {
        int at = ports.indexOf(port);
        return at < 0 ? OptionalInt.empty() : OptionalInt.of(toPorts.get(at));
    }

    /** The part that directors and nodes need. */
    public Forwards.Forward told() {
        return new Forwards.Forward(name, host, ports, groups);
    }
}
