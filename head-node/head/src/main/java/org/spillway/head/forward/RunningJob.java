package org.spillway.head.forward;

import java.util.List;

/**
 * A job that runs, as the head knows it now.
 *
 * @param nodes that it has
 * @param groups of its user; none where the login is another's by now
 */
public record RunningJob(String site, int attempt, List<String> nodes, String user, List<String> groups) {
    public RunningJob {
        nodes = List.copyOf(nodes);
        groups = List.copyOf(groups);
    }
}
