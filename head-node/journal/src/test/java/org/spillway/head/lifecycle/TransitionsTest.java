package org.spillway.head.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;

/** The graphs of job and node states. */
final class TransitionsTest {
    @ParameterizedTest
    @EnumSource
    void aJobComesToAnEndFromEveryState(JobState state) {
        if (state.isTerminal()) {
            assertThat(state.next()).isEmpty();
        } else {
            assertThat(reachable(state, JobState::next)).contains(JobState.DONE, JobState.FAILED, JobState.CANCELLED);
            // A user may cancel, and a job may fail, at any time.
            assertThat(state.next())
                    .contains(JobState.FAILED, JobState.CANCELLED)
                    .doesNotContain(state);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aNodeComesToAnEndFromEveryState(NodeState state) {
        if (state.isTerminal()) {
            assertThat(state.next()).isEmpty();
            assertThat(state.mayCost()).isFalse();
        } else {
            // The node's instance may be gone at any time.
            assertThat(state.next()).contains(NodeState.FAILED).doesNotContain(state);
            assertThat(reachable(state, NodeState::next)).contains(NodeState.TERMINATED);
            assertThat(state.mayCost()).isEqualTo(state != NodeState.REQUESTED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyStateIsReachedFromTheFirst(NodeState state) {
        assertThat(reachable(NodeState.REQUESTED, NodeState::next)).contains(state);
    }

    @ParameterizedTest
    @EnumSource
    void everyJobStateIsReachedFromTheFirst(JobState state) {
        assertThat(reachable(JobState.SUBMITTED, JobState::next)).contains(state);
    }

    private static <S> Set<S> reachable(S from, Function<S, Set<S>> next) {
        Set<S> found = new HashSet<>();
        found.add(from);
        Set<S> grown = found;
        while (!grown.isEmpty()) {
            Set<S> further = new HashSet<>();
            grown.forEach(state -> further.addAll(next.apply(state)));
            further.removeAll(found);
            found.addAll(further);
            grown = further;
        }
        return found;
    }
}
