package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Checked;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Matches;

/** A command for the machine of a cluster's head. */
public record ClusterRun(
        @Holds(most = 100)
        @Matches(value = "[^\\u0000\\r\\n]{0,4000}", allowed = "words of at most 4000 characters, no line ends")
        List<String> command)
        implements Checked {
    public ClusterRun {
        command = List.copyOf(command);
    }

    @Override
    public void check(String prefix) {
        if (command.isEmpty()) {
            throw RequestReader.refuse(prefix + "command", "found no word", "a list of 1 to 100 words");
        }
    }

    /** How it ended. @param exit 124 when it was ended for taking more than a minute */
    public record Result(int exit, String output, String errors) {}
}
