package org.spillway.director;

import java.util.Optional;
import org.spillway.director.node.NodeUserData;
import org.spillway.director.wire.Directive.SlurmGrant;

/**
 * Requests of a node of a Slurm, once its own gate has passed.
 *
 * <pre>
 * GET /v1/slurm           lines: slot NAME, controller HOST:PORT, socket PATH
 * GET /v1/slurm/key       the munge key's bytes
 * GET /v1/slurm/program   the part of the node's program that is too long for user data
 * </pre>
 */
final class SlurmSide {
    static final String PREFIX = "/v1/slurm";

    private final SiteState state;

    SlurmSide(SiteState state) {
        this.state = state;
    }

    Answer answer(String node, Request request) {
        Optional<SlurmGrant> grant = state.slurm(node);
        if (grant.isEmpty() || !request.method().equals("GET")) {
            return Answer.error(404, "no Slurm is granted to this node, or its gate has not passed");
        }
        return switch (request.path()) {
            case PREFIX -> Answer.ok(facts(grant.get()));
            case PREFIX + "/key" -> new Answer.Text(200, SlurmCheck.key(grant.get()));
            case PREFIX + "/program" -> Answer.ok(NodeUserData.slurmProgram());
            default -> Answer.error(404, "no such thing");
        };
    }

    private static String facts(SlurmGrant grant) {
        return "slot " + grant.slot() + "\ncontroller " + grant.controller() + "\nsocket " + grant.mungeSocket() + "\n";
    }
}
