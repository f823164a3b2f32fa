package org.spillway.head.loop.state;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Directive.JoinAnswer;

/** Certificates that nodes of a site asked for in place of their own, until they have them. Loop thread only. */
public final class RenewedCertificates {
    private final Map<String, JoinAnswer> byNode = new HashMap<>();

    public @Nullable JoinAnswer of(String node) {
        return byNode.get(node);
    }

    public void put(JoinAnswer answer) {
        byNode.put(answer.node(), answer);
    }

    public void keep(Predicate<String> asks) {
        byNode.keySet().removeIf(asks.negate());
    }

    public Collection<JoinAnswer> all() {
        return List.copyOf(byNode.values());
    }
}
