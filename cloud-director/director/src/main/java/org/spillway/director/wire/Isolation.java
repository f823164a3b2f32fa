package org.spillway.director.wire;

import java.util.Locale;

/** The walls around the jobs of a node's own program: groups of processes, namespaces, device files. */
public enum Isolation {
    /** A node that lacks one of them does not pass its gate. */
    REQUIRED,
    /** Walls that a node has are used; its gate tells which it lacks. */
    PREFERRED,
    /** None is used. */
    OFF;

    /** The check of the gate that says what a node lacks, in its detail. */
    public static final String CHECK = "isolation";

    /** The same check's name where what is lacking keeps the node from nothing. */
    public static final String LACKS = "isolation-lacks";

    /** A check that fails while processes of a job that has ended cannot be ended. */
    public static final String LEFT = "isolation-left";

    /** In configurations and in the program of nodes. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
