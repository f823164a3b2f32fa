package org.spillway.head.loop.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.loop.state.Attested;

/** A node is what its gate attests in its turn, and no word of an earlier one counts. */
final class OtherVersionsTest {
    private static final String A = "a".repeat(64);
    private static final String B = "b".repeat(64);

    private static Report.NodeReport heard(boolean ready, int turn, Report.GateCheck... more) {
        var gate = new ArrayList<>(List.of(more));
        gate.add(new Report.GateCheck(Directive.NodeProfile.CHECK, true, Integer.toString(turn)));
        return new Report.NodeReport("n", 0, ready, "", gate, null, null);
    }

    private static Report.GateCheck root(boolean passed, String detail) {
        return new Report.GateCheck(Directive.Root.CHECK, passed, detail);
    }

    @Test
    void whoLivesInAnotherVersionOrInNoneIsOther() {
        assertThat(OtherVersions.isOther(A, 3, heard(true, 3, root(true, A + " 6.1.0"))))
                .isFalse();
        assertThat(OtherVersions.isOther(B, 3, heard(true, 3, root(true, A + " 6.1.0"))))
                .isTrue();
        assertThat(OtherVersions.isOther(A, 3, heard(true, 3))).isTrue();
        assertThat(OtherVersions.isOther("", 3, heard(true, 3, root(true, A + " 6.1.0"))))
                .isTrue();
        assertThat(OtherVersions.isOther("", 3, heard(true, 3))).isFalse();
    }

    @Test
    void whatIsNotOfThisTurnOrNotPassedSaysNothing() {
        assertThat(OtherVersions.isOther(B, 4, heard(true, 3, root(true, A + " 6.1.0"))))
                .isFalse();
        assertThat(OtherVersions.isOther(B, 3, heard(false, 3, root(true, A + " 6.1.0"))))
                .isFalse();
    }

    @Test
    void onlyTheWordsOfACheckThatPassedAreBelieved() {
        assertThat(Attested.of(List.of(root(true, A + " 6.1.0-1")))).isEqualTo(new Attested(A, "6.1.0-1"));
        assertThat(Attested.of(List.of(root(false, A + " 6.1.0-1")))).isEqualTo(Attested.MACHINE);
        assertThat(Attested.of(List.of(root(true, "jobs cannot live in it")))).isEqualTo(Attested.MACHINE);
        assertThat(Attested.of(List.of(root(true, A)))).isEqualTo(Attested.MACHINE);
    }
}
