package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node's program for what it keeps of inputs, without a node: a fetch is a function here, and a disk a number. */
final class KeptProgramTest {
    @TempDir
    Path folder;

    private List<String> run(String script) throws Exception {
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("kept.sh"))
                        .toURI())
                .getParent();
        Process process = new ProcessBuilder(List.of("timeout", "60", "sh", "-c", """
                        for each in base job attempt input kept ahead tree over changes; do . "$0/$each.sh"; done
                        S=$PWD/S J=$PWD/J D=$PWD/D WORK=$PWD/W URL=url JOB=j ATTEMPT=1 ID=i STOCK= user=ann uid=7 mine=0 foreign=
                        mkdir -p S/inputs/7-ann J D
                        bytes=6 sha=$(printf 'input\\n' | digest) sha=${sha%% *}
                        disk_left() { SIZE=4000 LEFT=3000; }
                        refuse() { echo "refused: $*"; exit 0; }
                        fetch() { echo fetched; shift 3; printf 'input\\n' | tail -c "+$(($(wc -c <"$1") + 1))" >>"$1"; }
                        # NAME BYTES AGO
                        keep() { truncate -s "$2" "S/inputs/7-ann/$1" && touch -d "$3 ago" "S/inputs/7-ann/$1"; }
                        left() { ls S/inputs/7-ann | sort | paste -sd ' ' -; }
                        # NAME: somebody has it until the end.
                        holds() { exec 5<"S/inputs/7-ann/$1" && flock 5; }
                        """ + script, node.toString()))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.lines().toList();
    }

    @Test
    void theLongestUnusedGoesFirstAndNoneThatIsRead() throws Exception {
        assertThat(run("""
                keep a 100 '4 hours'; keep b 100 '3 hours'; keep c 100 '2 hours'; keep d 100 '1 hour'
                holds a
                free_inputs 0 && left
                free_inputs 101 && left
                free_inputs 1000 && left
                """)).containsExactly("a b c d", "a d", "a");
    }

    @Test
    void whatNobodyHasUsedForAWeekGoesAndWhatNobodyHasFinished() throws Exception {
        assertThat(run("""
                keep old 1 '8 days'; keep read 1 '8 days'; keep new 1 '6 days'
                keep dead.part 1 '11 minutes'; keep young.part 1 '5 minutes'
                holds read
                tidy_inputs && left
                """)).containsExactly("new read young.part");
    }

    @Test
    void allOfThemHaveAQuarterOfTheDisk() throws Exception {
        assertThat(run("""
                keep a 400 '3 hours'; keep b 400 '2 hours'; keep c 196 '1 hour'
                have_input && left | sed "s/$sha/it/"
                cat <&9 && cat J/fetched
                """)).containsExactly("fetched", "it b c", "input", "13:fetched j 1 6");
    }

    @Test
    void whatHasNoPlaceAmongThemIsFetchedForItsJobAlone() throws Exception {
        assertThat(run("""
                keep a 995 '3 hours'
                holds a
                have_input && left
                cat <&9
                exec 9<&- 5<&-
                bytes=1001
                may_keep || left
                """)).containsExactly("fetched", "a", "input", "a");
    }

    @Test
    void aFetchThatComesNoFurtherIsNotWaitedFor() throws Exception {
        assertThat(run("""
                PATIENCE=2
                keep "$sha.part" 3 '1 minute'
                holds "$sha.part"
                have_input && left | sed "s/$sha/it/"
                cat <&9
                """)).containsExactly("fetched", "it.part", "input");
    }

    @Test
    void oneThatIsThrownAwayBetweenTwoLooksIsNotFilled() throws Exception {
        assertThat(run("""
                flock() { [ -e once ] || { : >once; rm "$part"; }; command flock "$@"; }
                have_input && left | sed "s/$sha/it/"
                cat <&9
                """)).containsExactly("fetched", "it", "input");
    }

    @Test
    void whatAnotherHasFinishedMeanwhileIsUsed() throws Exception {
        assertThat(run("""
                flock() {
                  [ -e once ] || { : >once; printf 'input\\n' >"$part"; mv "$part" "$KEPT"; }
                  command flock "$@"
                }
                have_input && left | sed "s/$sha/it/"
                cat <&9
                cat J/fetched
                """)).containsExactly("it", "input", "13:fetched j 1 0");
    }

    @Test
    void itIsTakenApartOnlyWhereNoJobSeesTheAgentsPrograms() throws Exception {
        assertThat(run("""
                WORK=$PWD
                cp() { echo tried; }
                ROOM='--mount --ipc --pid'
                reflinks && reflinks && echo apart
                echo slurm >S/slot
                reflinks || echo packed
                rm S/slot
                ROOM='--mount --ipc'
                reflinks || echo packed
                """)).containsExactly("tried", "apart", "packed", "packed");
    }

    /** The longest unused of all is not thrown away from below another one, nor one above which a job works. */
    @Test
    void aBaseStaysAsLongAsSomethingIsBasedOnIt() throws Exception {
        assertThat(run("""
                tree() { mkdir -p "S/inputs/7-ann/$1.tree/in" && keep "$1.tree/lock" 100 "$2"; }
                tree base '4 hours'; tree thin '3 hours'; tree used '5 hours'
                echo base >S/inputs/7-ann/thin.tree/base
                (exec 5<S/inputs/7-ann/used.tree/lock && flock -s 5; free_inputs 50; left; free_inputs 50; left; free_inputs 50; left)
                free_inputs 50; left
                """)).containsExactly("base.tree used.tree", "used.tree", "used.tree", "");
    }

    @Test
    void ofATreeThatIsOnlyChangesTheWholeOneIsAskedFor() throws Exception {
        assertThat(run("""
                tree() { mkdir -p "S/inputs/7-ann/$1.tree/in" && keep "$1.tree/lock" 100 "$2"; }
                KEPT=S/inputs/7-ann/new uid=$(id -u)
                bases
                tree a '4 hours'; tree b '3 hours'; tree c '1 hour'; tree d '2 hours'; tree e '5 hours'; tree f '6 hours'
                mkdir S/inputs/7-ann/half.tree
                echo b >S/inputs/7-ann/c.tree/base
                bases
                """)).containsExactly("", "d,b,a,e");
    }

    @Test
    void withoutRootNothingIsKept() throws Exception {
        assertThat(run("""
                mine=5
                have_input && left
                cat <&9
                """)).containsExactly("fetched", "", "input");
    }
}
