package org.spillway.head.workload;

import java.time.Instant;
import java.util.Optional;
import org.spillway.director.wire.ManagerGrant;

/** Role of a manager that has a list of nodes of its own and a daemon on each of them. */
public interface NodeList {
    /** How many nodes of that instance type it can have in that site: more would get no jobs. */
    int room(String site, String type);

    /**
     * The grant that the node has to be told to serve this manager; empty for nothing, or while that is not known yet.
     */
    Optional<ManagerGrant> grant(String node);

    /** The manager's part of its nodes' program, as {@link ManagerGrant.Program} has it. Always the same text. */
    String nodeProgram();

    /** Since when a node that has joined has not been one of the manager's, as far as is known now; empty when it is. */
    Optional<Instant> absentSince(String node);

    /**
     * Whether somebody else than the head keeps a node that has joined from new jobs, such as an administrator of the manager
     * who has drained it.
     *
     * @return why, as they said it, and empty text for a node that nobody keeps; empty while that is not known
     */
    Optional<String> withheld(String node);

    /** After {@link NodeIntake#drain}: whether the manager has seen since that nothing of its own is on the node, or can come. */
    boolean isVacant(String node);
}
