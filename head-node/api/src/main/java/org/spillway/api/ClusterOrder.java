package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Bounds;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Matches;
import org.spillway.api.form.Usual;
import org.spillway.policy.Money;

/** A cluster that is asked for: one line of a form, as it goes over the wire. */
public record ClusterOrder(
        @Matches(
                value = "[a-z][a-z0-9-]{0,29}",
                allowed = "a letter, then lower-case letters, digits and dashes, 30 at most")
        String name,

        @Matches(value = "[a-z0-9][a-z0-9-]{0,39}", allowed = "a site's name")
        String site,

        @Bounds(min = 1, max = 1000) int nodes,

        @Usual("0") @Bounds(min = 0, max = 1000) @Describes("that each node has at least")
        int gpus,

        @Usual
        @Matches(value = "\\S{1,100}", allowed = "an instance type of the provider")
        @Describes("empty for the cheapest that fits")
        String type,

        @Bounds(min = 30, max = 30L * 24 * 3600) long ttlSeconds,

        @Describes("a decimal amount, more than 0, for all of it and all its time")
        Money budget,

        @Usual
        @Holds(most = 50)
        @Matches(value = "[A-Za-z0-9_][A-Za-z0-9_.@-]{0,254}", allowed = "login names")
        @Describes("who may use it besides its owner")
        List<String> users,

        @Usual
        @Matches(value = "/[^\\p{Cc}]{1,1000}", allowed = "an absolute path, or nothing")
        @Describes(
                "Folder of the owner's that results of its jobs are brought to, an absolute path; empty to leave them.")
        String results,

        @Usual
        @Matches(value = "[a-z0-9-]{1,40}", allowed = "an image's name, or nothing")
        @Describes(
                "Image of its nodes, one of those that clusters.images of the configuration names; empty for the parent's.")
        String image,

        @Usual
        @Matches(value = "[a-z][a-z0-9-]{0,19}", allowed = "a workload manager's name, or nothing")
        @Describes(
                "Who gives jobs to its nodes: embedded, or a workload manager that this head can set up there; empty for embedded.")
        String workload) {
    public ClusterOrder {
        users = List.copyOf(users);
    }
}
