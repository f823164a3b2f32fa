package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Charge;
import org.spillway.head.loop.Samples;
import org.spillway.head.loop.state.Capping;
import org.spillway.policy.Money;

/** A job begins on its nodes when all of it is paid, and says what is short otherwise. */
final class StartTest {
    private static final Instant NOW = Samples.NOW;
    private static final JobRecord JOB = Samples.queued("1", 2);
    private static final List<NodeRecord> NODES =
            List.of(Samples.node("n1", NodeState.READY), Samples.node("n2", NodeState.READY));

    /** The nodes are reserved for another hour; each hour more costs 3.60. */
    private static Start start(Means means, Duration hours) {
        return Start.of(JOB, NODES, means, NOW.plus(hours), NOW.minus(Duration.ofDays(1)), NOW);
    }

    private record Means(long orderedBytes, Money left, Cause overdrawn, Cause limited, Money price)
            implements Start.Means {
        static Means of(String left) {
            return new Means(0, Money.parse(left), Cause.NONE, Cause.NONE, Money.ZERO);
        }

        Means withResults(String costs) {
            return new Means(orderedBytes, left, overdrawn, limited, Money.parse(costs));
        }

        @Override
        public List<JobRecord> runningOn(String node) {
            return List.of();
        }

        @Override
        public int attemptBefore() {
            return 1000;
        }

        @Override
        public Charge results() {
            return new Charge("east", "long", "ada", "", NOW, price);
        }

        @Override
        public Cause overdrawn(List<NodeRecord> held, Charge results) {
            return overdrawn;
        }

        @Override
        public Capping.Start limited(List<NodeRecord> held) {
            return new Capping.Start(limited, List.of(Samples.node("n3", NodeState.READY)));
        }
    }

    @Test
    void allItsNodesAreReservedForItInOneCommit() {
        assertThat(start(Means.of("7.20"), Duration.ofHours(2))).isInstanceOfSatisfying(Start.Begun.class, begun -> {
            assertThat(begun.job().jobState()).isEqualTo(JobState.RUNNING);
            assertThat(begun.job().run().nodes()).containsExactly("n1", "n2");
            assertThat(begun.job().run().attempt()).isEqualTo(1001);
            assertThat(begun.entries()).first().isEqualTo(begun.job());
            assertThat(begun.entries().stream()
                            .filter(NodeRecord.class::isInstance)
                            .map(NodeRecord.class::cast)
                            .map(node -> node.id() + " " + node.committedFor().toHours()))
                    .containsExactly("n1 3", "n2 3", "n3 2");
        });
    }

    @Test
    void oneMicroLessIsRefusedForAWhile() {
        Money left = Money.parse("7.20").minus(new Money(1));
        Means means = new Means(0, left, Cause.NONE, Cause.NONE, Money.ZERO);
        assertThat(start(means, Duration.ofHours(2)))
                .isEqualTo(new Start.Refused(
                        new WaitCause.Budget(left, Money.parse("7.20"), WaitCause.Purpose.RUN), Start.REFUSED_FOR));
    }

    @Test
    void theWayHomeOfItsResultsIsPaidToo() {
        assertThat(start(Means.of("7.20").withResults("0.01"), Duration.ofHours(2)))
                .isInstanceOf(Start.Refused.class);
    }

    @Test
    void whatIsReservedAlreadyAsksForNoMoney() {
        assertThat(start(Means.of("0"), Duration.ofHours(1))).isInstanceOf(Start.Begun.class);
    }

    @Test
    void limitsAreAskedWhenTheBudgetHasRoom() {
        Cause full = new WaitCause.ArrayLimit(1);
        Means overdrawn = new Means(0, Money.parse("9"), full, Cause.NONE, Money.ZERO);
        assertThat(start(overdrawn, Duration.ofHours(2))).isEqualTo(new Start.Refused(full, Start.REFUSED_FOR));
        Means limited = new Means(0, Money.parse("9"), Cause.NONE, full, Money.ZERO);
        assertThat(start(limited, Duration.ofHours(2))).isEqualTo(new Start.Refused(full, Start.LIMITED_FOR));
    }

    @Test
    void aSiteWithoutRoomInItsDirectivesIsAskedAgainAtOnce() {
        Means full = new Means(Orders.MOST_WEIGHT, Money.parse("9"), Cause.NONE, Cause.NONE, Money.ZERO);
        assertThat(start(full, Duration.ofHours(2)))
                .isEqualTo(new Start.Refused(new WaitCause.ScriptsTooLarge("east"), Duration.ZERO));
    }
}
