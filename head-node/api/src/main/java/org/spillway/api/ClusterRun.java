package org.spillway.api;

import java.util.List;

/**
 * One command for the machine of a cluster's head.
 *
 * @param command 1 to 100 words, each of at most 4,000 characters and without line ends
 */
public record ClusterRun(List<String> command) {
    public ClusterRun {
        command = List.copyOf(command);
    }

    /** How it ended. @param exit 124 when it was ended for taking more than a minute */
    public record Result(int exit, String output, String errors) {}
}
