package org.spillway.director;

import java.util.Objects;
import java.util.Optional;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.Directive.NodeProfile;
import org.spillway.director.wire.ManagerGrant;

/** The part of a directive that grants one node a workload manager, as far as that can be handed on. Pure. */
final class Grants {
    private Grants() {}

    static Optional<NodeProfile> profile(Directive directive, String node) {
        return directive.nodes().stream()
                .filter(grant -> grant.node().equals(node))
                .map(NodeGrant::profile)
                .filter(Objects::nonNull)
                .findFirst();
    }

    static Optional<ManagerGrant> of(Directive directive, String node) {
        return directive.nodes().stream()
                .filter(grant -> grant.node().equals(node))
                .map(NodeGrant::manager)
                .filter(Objects::nonNull)
                .findFirst();
    }

    static Optional<ManagerGrant> good(Directive directive, String node) {
        return of(directive, node).filter(grant -> problem(directive, grant).isEmpty());
    }

    static Optional<ManagerGrant.Program> program(Directive directive, String manager) {
        return directive.programs().stream()
                .filter(program -> program.manager().equals(manager))
                .filter(program -> ManagerCheck.problem(program).isEmpty())
                .findFirst();
    }

    /** The fault in a grant, or that a node could do nothing with it. */
    static Optional<String> problem(Directive directive, ManagerGrant grant) {
        return ManagerCheck.problem(grant)
                .or(() -> program(directive, grant.manager()).isEmpty()
                        ? Optional.of("its program is missing or malformed")
                        : Optional.empty());
    }

    /** The line of a node's orders, with its end; empty where it serves no manager. */
    static String line(Directive directive, String node) {
        return good(directive, node)
                .map(grant -> "serve " + grant.manager() + " " + grant.slot()
                        + (grant.turn().isEmpty() ? "" : " " + grant.turn()) + "\n")
                .orElse("");
    }
}
