package org.spillway.director;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.spillway.director.directory.PosixUser;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.Coming;

/** Inputs that the directive lets a node fetch before it has an order for them. Pure. */
final class Aheads {
    private static final String JOB = "[A-Za-z0-9-]{1,64}";

    private Aheads() {}

    /** A line for each, {@code ahead JOB}. */
    static String lines(Directive directive, String node) {
        return of(directive, node)
                .map(coming -> "ahead " + coming.job() + "\n")
                .sorted()
                .collect(Collectors.joining());
    }

    static Optional<Coming> of(Directive directive, String node, String job) {
        return of(directive, node).filter(coming -> coming.job().equals(job)).findFirst();
    }

    private static Stream<Coming> of(Directive directive, String node) {
        return directive.nodes().stream()
                .filter(grant -> grant.node().equals(node))
                .flatMap(grant -> {
                    Directive.Ahead ahead = grant.ahead();
                    return ahead == null ? Stream.of() : ahead.inputs().stream();
                })
                .filter(coming -> coming.job().matches(JOB)
                        && PosixUser.isLogin(coming.user())
                        && coming.uid() >= 0
                        && coming.gid() >= 0);
    }
}
