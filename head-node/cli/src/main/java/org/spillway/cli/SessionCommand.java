package org.spillway.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command with a session in a job, of this head or of a cluster on demand's. */
abstract class SessionCommand extends HeadCommand {
    @Option(names = "--cluster", paramLabel = "NAME", description = "In a cluster on demand: its own head's jobs.")
    @Nullable
    String cluster;

    @Override
    protected HeadClient head() {
        return cluster == null ? super.head() : of(cluster);
    }

    /** The head of a cluster on demand, through this one. */
    HeadClient of(String name) {
        return super.head().below("/clusters/" + segment(name) + "/head");
    }
}
