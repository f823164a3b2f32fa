package org.spillway.slurm.setup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.slurm.setup.Marks.Edit;
import org.spillway.slurm.setup.Marks.TakenOut;

/** Lines of ours in a file of somebody else's. */
final class MarksTest {
    private static final List<Edit> EDITS =
            List.of(new Edit(2, 2, List.of("End=1")), new Edit(1, 2, List.of("B=ours")));

    private static String clean(String text) {
        return ((TakenOut.Clean) Marks.CONF.without(text)).text();
    }

    @ParameterizedTest
    @ValueSource(strings = {"A=1\nB=2\n", "A=1\nB=2", "A=1\r\nB=2", "A=1\r\nB=2\r\n", "A=1\nB=2\r"})
    void whatIsTakenOutWasNeverThere(String text) {
        var with = Marks.CONF.with(text, EDITS);
        assertThat(ConfText.of(with).statements().stream().map(ConfText.Statement::value))
                .containsExactly("1", "ours", "1");
        assertThat(clean(with)).isEqualTo(text);
        assertThat(Marks.CONF.isIn(with)).isTrue();
        assertThat(Marks.CONF.isIn(text)).isFalse();
    }

    @Test
    void linesOfOthersStayAndNoneIsJoinedToAnother() {
        for (var text : new String[] {"A=1\nB=2", "A=1\nB=2\n"}) {
            var with = Marks.CONF.with(text, EDITS);
            assertThat(clean("# first\n" + with + "C=3\n")).isEqualTo("# first\nA=1\nB=2\nC=3\n");
        }
        assertThat(clean(Marks.CONF.with("A=1", List.of(new Edit(1, 1, List.of("X=1")))) + "C=3"))
                .isEqualTo("A=1\nC=3");
    }

    @Test
    void changedLinesOfOursAreNotTakenOut() {
        var with = Marks.CONF.with("A=1\nB=2\n", EDITS);
        assertThat(Marks.CONF.without(with.replace("B=ours", "B=theirs"))).isInstanceOf(TakenOut.Touched.class);
        assertThat(Marks.CONF.without(with.replace("#|B=2", "#|B=3"))).isInstanceOf(TakenOut.Touched.class);
        assertThat(Marks.CONF.without(with.substring(0, with.lastIndexOf("# <<<"))))
                .isInstanceOf(TakenOut.Touched.class);
        assertThat(Marks.CONF.without(with.replaceFirst("(?m)^# >>>.*\n", "")))
                .isEqualTo(new TakenOut.Touched(4, "a marker without its other end, or changed"));
    }

    @Test
    void theDifferenceIsThatOfDiff() {
        var before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk";
        var after = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        assertThat(UnifiedDiff.of("old", "new", before, after)).isEqualTo("""
                --- old
                +++ new
                @@ -1,5 +1,5 @@
                 a
                -b
                +B
                 c
                 d
                 e
                @@ -8,4 +8,5 @@
                 h
                 i
                 j
                -k
                \\ No newline at end of file
                +k
                +l
                """);
        assertThat(UnifiedDiff.of("/dev/null", "new", "", "x\n")).endsWith("@@ -0,0 +1 @@\n+x\n");
        assertThat(UnifiedDiff.of("old", "new", after, after)).isEmpty();
    }
}
