package org.spillway.cli;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * How a job is given to the workload manager that a cluster on demand has for itself; found by {@code ServiceLoader} when a
 * cluster has one. Pure, but for the script that it reads.
 */
public interface ClusterQueue {
    /** The manager's name, as a cluster shows it; a job of number 7 is {@code NAME-7-...} for the cluster's head. */
    String manager();

    /** As it is offered, such as "a grid of its own". */
    String offer();

    /** As a cluster has it, such as "a grid". */
    String title();

    /** The manager's own command to submit. */
    String program();

    /** The place where a job of its says what others say by options. */
    String insteadOfOptions();

    /** A command that shows its nodes. */
    String look();

    /**
     * Words of one command that gives it the script, run on the machine of the cluster's head as the user; says the job's
     * number and nothing else.
     *
     * @throws CliFailure if the script cannot be read, or is too long
     */
    List<String> command(String script, List<String> arguments);

    /** All that this program carries. */
    static Stream<ClusterQueue> all() {
        return ServiceLoader.load(ClusterQueue.class).stream().map(ServiceLoader.Provider::get);
    }

    static Optional<ClusterQueue> of(String manager) {
        return all().filter(queue -> queue.manager().equals(manager)).findFirst();
    }
}
