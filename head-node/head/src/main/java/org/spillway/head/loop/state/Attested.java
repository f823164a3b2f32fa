package org.spillway.head.loop.state;

import java.util.List;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;

/**
 * The root of a node's jobs, by its own word.
 *
 * @param version the digest of the version that is mounted; empty where jobs live in the machine's own root
 * @param kernel that runs, as {@code uname -r} has it; empty where it is not known
 */
public record Attested(String version, String kernel) {
    public static final Attested MACHINE = new Attested("", "");

    /** @param gate what the node's checks said last */
    public static Attested of(List<Report.GateCheck> gate) {
        return gate.stream()
                .filter(check -> check.passed() && check.name().equals(Directive.Root.CHECK))
                .map(check -> check.detail().split(" ", 2))
                .filter(words -> words.length == 2 && words[0].matches("[0-9a-f]{64}"))
                .findFirst()
                .map(words -> new Attested(words[0], words[1]))
                .orElse(MACHINE);
    }
}
