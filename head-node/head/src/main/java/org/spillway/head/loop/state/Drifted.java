package org.spillway.head.loop.state;

import java.util.List;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.rollout.DriftWord;

/** A node's word on its root, in its report. */
public final class Drifted {
    private Drifted() {}

    /** {@link DriftWord#NONE} until it has looked. @param gate what the node's checks said last */
    public static DriftWord of(List<Report.GateCheck> gate) {
        return gate.stream()
                .filter(check -> check.name().equals(Directive.Drift.CHECK))
                .findFirst()
                .map(check -> DriftWord.parse(check.detail()))
                .orElse(DriftWord.NONE);
    }
}
