package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.head.ondemand.ClusterTable.Act;
import org.spillway.head.ondemand.ClusterTable.Move;
import org.spillway.head.ondemand.ClusterTable.Progress;
import org.spillway.head.ondemand.ClusterTable.Verdict;

final class ClusterTableTest {
    private record Case(ClusterState state, Stage stage, boolean unwanted, Progress progress, boolean late) {
        Verdict verdict() {
            return ClusterTable.verdict(state, stage, unwanted, progress, late);
        }
    }

    private static List<Case> all() {
        var all = new ArrayList<Case>();
        for (var state : ClusterState.values()) {
            for (var stage : Stage.values()) {
                for (var progress : Progress.values()) {
                    for (boolean unwanted : new boolean[] {false, true}) {
                        for (boolean late : new boolean[] {false, true}) {
                            all.add(new Case(state, stage, unwanted, progress, late));
                        }
                    }
                }
            }
        }
        return all;
    }

    @Test
    void everyLiveClusterActsOrMovesAndNoOtherDoes() {
        for (var one : all()) {
            var verdict = one.verdict();
            boolean something = verdict.move() != Move.STAY || verdict.act() != Act.NONE;
            boolean waits = one.state == ClusterState.WAITING_FOR_APPROVAL && !one.unwanted;
            assertThat(something).as(one.toString()).isEqualTo(!one.state.isTerminal() && !waits);
            assertThat(verdict.move() == Move.STAY || verdict.act() == Act.NONE)
                    .as("it does not act for a state that it leaves: " + one)
                    .isTrue();
        }
    }

    @Test
    void whatIsUnwantedGoesFromEveryState() {
        for (var one : all()) {
            if (one.unwanted && !one.state.isTerminal() && one.state != ClusterState.DELETING) {
                // Of one that nobody agreed to there is nothing that could be removed.
                assertThat(one.verdict().move())
                        .as(one.toString())
                        .isEqualTo(one.state == ClusterState.WAITING_FOR_APPROVAL ? Move.REJECT : Move.DELETE);
            }
        }
    }

    @Test
    void nothingEndsThatWasNotProvenToBeGone() {
        for (var one : all()) {
            boolean ends = one.verdict().move() == Move.END;
            assertThat(ends)
                    .as(one.toString())
                    .isEqualTo(one.state == ClusterState.DELETING && one.progress == Progress.DONE);
            if (one.state == ClusterState.DELETING && one.progress != Progress.DONE) {
                assertThat(one.verdict()).as(one.toString()).isEqualTo(new Verdict(Move.STAY, Act.REMOVE));
            }
        }
    }

    @Test
    void aStageThatFailedOrIsLateLeadsToRemovalOrAStopAndNeverOn() {
        for (var one : all()) {
            if (one.state.hasStages() && !one.unwanted) {
                Move failed = one.state == ClusterState.CREATING ? Move.FAIL : Move.STOP_AGAIN;
                Move expected = switch (one.progress) {
                    case DONE -> Move.ADVANCE;
                    case FAILED -> failed;
                    case NOTHING_YET -> one.late ? failed : Move.STAY;
                };
                assertThat(one.verdict().move()).as(one.toString()).isEqualTo(expected);
            }
        }
    }

    @Test
    void oneWhoseHeadIsLostWhileItRunsIsStopped() {
        for (var one : all()) {
            if (one.state == ClusterState.RUNNING && !one.unwanted) {
                assertThat(one.verdict())
                        .as(one.toString())
                        .isEqualTo(
                                one.progress == Progress.FAILED
                                        ? new Verdict(Move.STOP_AGAIN, Act.NONE)
                                        : new Verdict(Move.STAY, Act.KEEP));
            }
        }
    }

    /** H3: its head is paid for from its first moment. */
    @Test
    void nothingIsMadeBeforeThereIsRoom() {
        for (var one : all()) {
            if (one.state == ClusterState.REQUESTED && !one.unwanted) {
                assertThat(one.verdict())
                        .as(one.toString())
                        .isEqualTo(
                                one.progress == Progress.DONE
                                        ? new Verdict(Move.ADVANCE, Act.NONE)
                                        : new Verdict(Move.STAY, Act.AWAIT_ROOM));
            }
        }
    }

    @Test
    void eachStageHasItsOwnWork() {
        var acts = new ArrayList<Act>();
        for (var stage : Stage.values()) {
            acts.add(new Case(ClusterState.CREATING, stage, false, Progress.NOTHING_YET, false)
                    .verdict()
                    .act());
        }
        assertThat(acts).containsExactly(Act.BUY, Act.INSTALL, Act.START, Act.AWAIT_NODES, Act.CHECK);
    }

    /** The head's machine is there, with all that it knows: nothing is bought for it. */
    @Test
    void aStoppedOneComesBackByTheSameStagesAndBuysNoHead() {
        var acts = new ArrayList<Act>();
        for (var stage : Stage.values()) {
            acts.add(new Case(ClusterState.STARTING, stage, false, Progress.NOTHING_YET, false)
                    .verdict()
                    .act());
        }
        assertThat(acts).containsExactly(Act.SWITCH_ON, Act.INSTALL, Act.START, Act.AWAIT_NODES, Act.CHECK);
        for (var one : all()) {
            assertThat(one.verdict().act() == Act.BUY)
                    .as(one.toString())
                    .isEqualTo(one.state == ClusterState.CREATING
                            && one.stage == Stage.HEAD_INSTANCE
                            && !one.unwanted
                            && one.progress == Progress.NOTHING_YET
                            && !one.late);
        }
    }

    @Test
    void nothingIsStoppedThatWasNotProvenToBeOffAndNothingRemovesIt() {
        for (var one : all()) {
            if (one.state == ClusterState.STOPPING && !one.unwanted) {
                assertThat(one.verdict())
                        .as(one.toString())
                        .isEqualTo(
                                one.progress == Progress.DONE
                                        ? new Verdict(Move.ADVANCE, Act.NONE)
                                        : new Verdict(Move.STAY, Act.SWITCH_OFF));
            }
            if (one.state == ClusterState.STOPPED && !one.unwanted) {
                assertThat(one.verdict()).as(one.toString()).isEqualTo(new Verdict(Move.STAY, Act.REST));
            }
        }
    }

    @Test
    void everyMoveIsAStepThatTheJournalAllows() {
        for (var one : all()) {
            var next = switch (one.verdict().move()) {
                case STAY -> one.state;
                case ADVANCE ->
                    switch (one.state) {
                        case STOPPING -> ClusterState.STOPPED;
                        case STARTING -> one.stage.isLast() ? ClusterState.RUNNING : ClusterState.STARTING;
                        default ->
                            one.stage.isLast() && one.state == ClusterState.CREATING
                                    ? ClusterState.RUNNING
                                    : ClusterState.CREATING;
                    };
                case REJECT -> ClusterState.REJECTED;
                case STOP_AGAIN -> ClusterState.STOPPING;
                case FAIL, DELETE -> ClusterState.DELETING;
                case END -> ClusterState.DELETED;
            };
            assertThat(next == one.state || one.state.next().contains(next))
                    .as(one + " to " + next)
                    .isTrue();
        }
    }
}
