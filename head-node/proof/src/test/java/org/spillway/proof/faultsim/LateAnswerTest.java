package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Market;
import org.spillway.policy.Planner;
import org.spillway.scaler.Decider;
import org.spillway.scaler.Scaler;

/** A policy that takes its time: ticks go on meanwhile, and what it answers in the end is done if it still can be. */
final class LateAnswerTest {
    private static final Duration LATER = Duration.ofMinutes(5);

    /** The usual policy, which says nothing until it is let. */
    private static final class Slow implements Decider {
        boolean quick = true;
        boolean answers;
        int questions;

        @Override
        public Decision decide(ClusterSnapshot now, Planner planner) {
            throw new AssertionError("the loop waited for the policy");
        }

        @Override
        public Question ask(ClusterSnapshot now, Planner planner) {
            questions++;
            Decision decision = Story.POLICY.decide(now, planner);
            boolean atOnce = quick;
            return new Question() {
                @Override
                public Optional<Decision> answer() {
                    return atOnce || answers ? Optional.of(decision) : Optional.empty();
                }

                @Override
                public Decision await() {
                    return decision;
                }
            };
        }
    }

    private final Slow slow = new Slow();
    private final Story story = new Story(slow, new SimWorld.Spec("east", 3, 0, "1"));

    /** A director is there, and a question about a job that waits for a node. */
    private void ask() {
        story.pass(Duration.ofSeconds(2));
        story.loop.addNodes(
                new NodePurchase("east", "std", "", Market.ON_DEMAND, 1, true, ""), story.world.clock.now());
        story.until(
                "the first is up",
                LATER,
                () -> story.nodes("east", NodeState.READY).size() == 1);
        slow.quick = false;
        slow.questions = 0;
        story.submit(new Story.Job("a", "east").nodes(2));
        story.until("the policy is asked", LATER, () -> slow.questions == 1);
    }

    @Test
    void ticksGoOnAndTheAnswerIsAppliedWhenItIsThere() {
        ask();
        story.pass(Duration.ofMinutes(1));
        assertThat(slow.questions).isEqualTo(1);
        int before = story.journal.nodes().size();
        slow.answers = true;
        story.step();
        assertThat(slow.questions)
                .as("asked again at the next tick, not in this one")
                .isEqualTo(1);
        story.until(
                "the job is done by bought nodes",
                LATER,
                () -> story.journal.nodes().size() > before);
        story.until("it is asked again", LATER, () -> slow.questions > 1);
    }

    @Test
    void aQuestionThatIsOvertakenByAPurchaseIsAskedAgain() {
        ask();
        story.loop.addNodes(
                new NodePurchase("east", "std", "", Market.ON_DEMAND, 2, true, ""), story.world.clock.now());
        int bought = story.journal.nodes().size();
        slow.answers = true;
        story.pass(Duration.ofSeconds(30));
        assertThat(slow.questions).isGreaterThan(1);
        assertThat(story.journal.nodes()).as("no more than the site's three").hasSize(bought);
    }

    @Test
    void whatIsAskedByPeopleIsNotWaitedForOnTheLoop() {
        ask();
        Scaler.Asked plan = story.loop.plan(story.world.clock.now());
        assertThat(plan.decided()).isEmpty();
        assertThat(plan.await().plan().policy()).isEqualTo("queue-depth");
        assertThat(List.copyOf(plan.snapshot().demands())).isNotEmpty();
    }
}
