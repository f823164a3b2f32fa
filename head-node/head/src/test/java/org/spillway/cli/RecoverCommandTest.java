package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Output and effect of {@code recover}. */
final class RecoverCommandTest extends AskedHead {
    @Test
    void helpTeachesWithAnExample() {
        assertThat(run("recover", "--help")).isZero();
        golden("help-recover.txt", out.toString());
    }

    @Test
    void unknownMachinesAreShown() {
        assertThat(ask("recover")).isZero();
        golden("recover.txt", out.toString());
        assertThat(HEAD.changes).isEmpty();
    }

    @Test
    void theyAreShownForPrograms() {
        assertThat(ask("recover", "--json")).isZero();
        golden("recover.json", out.toString());
    }

    @Test
    void eachGetsWhatIsChosenAndTheQuarantineIsReleasedLast() {
        assertThat(ask("recover", "--adopt", "all", "--end", "east/i-2", "--release", "--yes"))
                .isZero();
        assertThat(HEAD.changes).containsExactly("adopt east/i-1", "end east/i-2", "release");
    }

    @Test
    void nothingIsEndedUnlessItIsConfirmed() {
        assertThat(ask("recover", "--end", "all")).isEqualTo(2);
        assertThat(err.toString()).contains("to be confirmed").contains("--yes").contains("east/i-2 NODE");
        assertThat(HEAD.changes).isEmpty();
    }

    @Test
    void badChoicesChangeNothing() {
        assertThat(ask("recover", "--keep", "east/i-1", "--end", "east/none", "--yes"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("no machine 'east/none'").contains("nothing was changed");
        assertThat(ask("recover", "--keep", "all", "--end", "east/i-1", "--yes"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("two choices");
        assertThat(HEAD.changes).isEmpty();
        assertThat(ask("recover", "--adopt", "east/i-2")).isEqualTo(2);
        assertThat(err.toString()).contains("cannot be adopted");
    }
}
