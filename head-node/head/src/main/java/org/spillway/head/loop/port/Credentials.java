package org.spillway.head.loop.port;

import java.io.IOException;
import org.spillway.cloud.LaunchRequest;

/** The loop's view of the head's secrets, without ever holding one itself. */
public interface Credentials {
    /** First-boot data of a node, with placeholders for secrets. */
    String nodeUserData(String site, String intent, String directorAddress);

    /** Whether a node with that first-boot data asks the director of that address. */
    boolean leadsTo(String nodeUserData, String directorAddress);

    /** First-boot data of a director, with placeholders for secrets. */
    String directorUserData(String site, String node);

    /** From now on a director on a given machine is known by that key. @throws IOException if it cannot be kept */
    void givenDirector(String node, String hostKey) throws IOException;

    /** Whether the director of that name was given a key by this head. */
    boolean hasDirectorKey(String node);

    /** The request with its secrets filled in, the same for equal requests in every life of the head. */
    LaunchRequest render(LaunchRequest request) throws IOException;

    /** SHA-256 (hex) of the join token of an intent. */
    String tokenSha256(String intent);

    /** A certificate (PEM) for a node that may join. @throws IOException if the CSR is not one */
    String signNode(String csr, String node) throws IOException;
}
