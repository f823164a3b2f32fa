package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Fabric;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Resources;
import org.spillway.policy.Wish;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** The host's treatment of single wishes, sensible or not. */
class GuardrailsTest {
    private static List<String> refusals(Plan plan) {
        return plan.steps().stream()
                .filter(step -> step instanceof Step.Hold hold && hold.shape().isEmpty())
                .map(Step::reason)
                .toList();
    }

    private static int launched(Plan plan) {
        return plan.steps().stream()
                .mapToInt(step -> step instanceof Step.Launch launch ? launch.count() : 0)
                .sum();
    }

    private static Wish.Provision gang(int count) {
        return new Wish.Provision(List.of("mpi"), List.of(Scene.SMALL), count, "why not");
    }

    @Test
    void whatThisClusterHasNotIsRefusedInWords() {
        Plan plan = Scene.small()
                .nodes(NodeView.Phase.IDLE, 1)
                .plan(
                        new Wish.Power(List.of("n0"), false, "quiet night"),
                        new Wish.Repurpose(List.of("n0"), "gpu", "more gpus"),
                        new Wish.Overlay(List.of("n0"), "debug", true, "look closer"));
        assertThat(plan.changesAnything()).isFalse();
        assertThat(refusals(plan))
                .satisfiesExactly(
                        power -> assertThat(power)
                                .isEqualTo("node n0 is not powered off: its site does not stop and start it"),
                        repurpose ->
                                assertThat(repurpose).isEqualTo("node n0 is not made gpu: there is no such category"),
                        overlay -> assertThat(overlay)
                                .isEqualTo("node n0 does not join overlay debug: there is no such overlay"));
    }

    @Test
    void onlyAnIdleNodeOfTheCloudThatNobodyKeepsIsReleased() {
        Resources total = Resources.of(8, Scene.GIB, 0);
        Plan plan = Scene.small()
                .node(Scene.node("idle", Scene.SMALL, NodeView.Phase.IDLE, total, false))
                .node(Scene.node("busy", Scene.SMALL, NodeView.Phase.ALLOCATED, total, false))
                .node(Scene.node("kept", Scene.SMALL, NodeView.Phase.IDLE, total, true))
                .node(Scene.node("home", null, NodeView.Phase.IDLE, total, false))
                .plan(new Wish.Release(List.of("busy", "kept", "home", "ghost", "idle", "idle"), "go"));
        assertThat(plan.steps())
                .filteredOn(Step.Release.class::isInstance)
                .containsExactly(new Step.Release("idle", "go"));
        assertThat(refusals(plan)).hasSize(4);
    }

    /** Of a site that stops its nodes. */
    private static NodeView stopping(String name, NodeView.Phase phase, boolean keep) {
        NodeView node = Scene.node(name, Scene.SMALL, phase, Resources.of(8, 32 * Scene.GIB, 0), keep);
        return new NodeView(
                node.id(),
                node.site(),
                node.offering(),
                node.phase(),
                node.total(),
                node.free(),
                node.since(),
                node.pricePerHour(),
                node.keep(),
                new NodeView.Duty(null, "", Set.of(), null, true, false, Fabric.NONE));
    }

    @Test
    void whereNodesAreStoppedAReleaseStopsThem() {
        Plan plan = Scene.small()
                .node(stopping("idle", NodeView.Phase.IDLE, false))
                .node(stopping("kept", NodeView.Phase.IDLE, true))
                .node(stopping("busy", NodeView.Phase.ALLOCATED, false))
                .node(stopping("off", NodeView.Phase.STOPPED, false))
                .plan(
                        new Wish.Release(List.of("idle", "kept", "off"), "go"),
                        new Wish.Power(List.of("busy", "off", "ghost"), false, "quiet"));
        assertThat(plan.steps())
                .filteredOn(step -> !(step instanceof Step.Hold))
                .containsExactly(
                        new Step.Power("idle", false, List.of(), Money.ZERO, "go"), new Step.Release("off", "go"));
        assertThat(refusals(plan))
                .containsExactly(
                        "node kept is not released: an administrator keeps it",
                        "node busy is not powered off: it is ALLOCATED, not IDLE",
                        "node off is not powered off: it is STOPPED, not IDLE",
                        "node ghost is not powered off: there is no such node");
    }

    @Test
    void whatIsStoppedIsStartedBeforeAnotherIsLaunched() {
        Scene scene = Scene.small()
                .waits("a", 1, 3)
                .node(stopping("off2", NodeView.Phase.STOPPED, false))
                .node(stopping("off1", NodeView.Phase.STOPPED, false));
        Plan plan = scene.plan();
        assertThat(plan.steps()).hasSize(3);
        assertThat(plan.steps().subList(0, 2))
                .extracting(step -> ((Step.Power) step).node())
                .containsExactly("off1", "off2");
        assertThat(plan.steps().subList(0, 2))
                .allSatisfy(step -> assertThat(((Step.Power) step).shapes()).containsExactly("a"));
        assertThat(launched(plan)).isEqualTo(1);

        Plan full = scene.limit("east", 2).plan();
        assertThat(full.steps()).filteredOn(Step.Power.class::isInstance).hasSize(2);
        assertThat(launched(full)).as("stopped ones count in their site").isZero();

        Plan poor = scene.limit("east", 100).budget("1.50").plan();
        assertThat(poor.steps()).filteredOn(Step.Power.class::isInstance).hasSize(1);
        assertThat(launched(poor)).isZero();
    }

    @Test
    void aGangStartsStoppedNodesWhole() {
        Scene scene = Scene.small().waits("mpi", 2, 1).node(stopping("off1", NodeView.Phase.STOPPED, false));
        Plan one = scene.plan();
        assertThat(one.steps()).as("one alone is of no use").noneMatch(Step.Power.class::isInstance);
        assertThat(launched(one)).isEqualTo(2);
        Plan two = scene.node(stopping("off2", NodeView.Phase.STOPPED, false)).plan();
        assertThat(two.steps()).filteredOn(Step.Power.class::isInstance).hasSize(2);
        assertThat(launched(two)).isZero();
    }

    @Test
    void aNodeThatIsWishedOnIsStartedWithinTheBudget() {
        Scene scene = Scene.small().node(stopping("off", NodeView.Phase.STOPPED, false));
        Wish wish = new Wish.Power(List.of("off", "off", "ghost"), true, "soon");
        Plan plan = scene.plan(wish);
        assertThat(plan.steps()).filteredOn(Step.Power.class::isInstance).hasSize(1);
        assertThat(refusals(plan)).containsExactly("node ghost is not powered on: there is no such node");
        assertThat(scene.budget("0.01").plan(wish).changesAnything()).isFalse();
    }

    @Test
    void aGangIsLaunchedWholeOrNotAtAll() {
        assertThat(launched(Scene.small().waits("mpi", 4, 1).plan(gang(4)))).isEqualTo(4);
        assertThat(launched(Scene.small().waits("mpi", 4, 1).limit("east", 3).plan(gang(4))))
                .isZero();
        assertThat(launched(Scene.small().waits("mpi", 4, 2).limit("east", 7).plan(gang(8))))
                .isEqualTo(4);
        assertThat(launched(Scene.small().waits("mpi", 4, 2).budget("5").plan(gang(8))))
                .isEqualTo(4);
    }

    @Test
    void whatDoesNotMakeAGangWholeIsNotLaunchedWhoeverWishesIt() {
        Plan plan = Scene.small().waits("mpi", 4, 1).plan(gang(3));
        assertThat(launched(plan)).isZero();
        assertThat(plan.steps())
                .containsExactly(new Step.Hold(
                        "mpi",
                        "only 3 more nodes for a gang of 4 were asked for in site east, which do not make it whole",
                        Bound.Kind.GANG,
                        "east"));
        assertThat(launched(Scene.small()
                        .waits("mpi", 4, 1)
                        .nodes(NodeView.Phase.IDLE, 1)
                        .plan(gang(3))))
                .isEqualTo(3);
    }

    /** Three more make the gang on the idle node whole, two further ones would serve the second. */
    @Test
    void theSecondPartOfAGangDoesNotGoWithoutTheFirst() {
        Scene scene =
                Scene.small().waits("mpi", 4, 2).nodes(NodeView.Phase.IDLE, 1).limit("east", 3);
        assertThat(launched(scene.plan(gang(3), gang(2)))).isZero();
    }

    @Test
    void preWarmedNodesNeedNoShapeAndAnUnknownShapeGetsNone() {
        Plan warm = Scene.small().plan(new Wish.Provision(List.of(), List.of(Scene.SMALL), 2, "Monday"));
        assertThat(launched(warm)).isEqualTo(2);
        Plan ghost = Scene.small().plan(new Wish.Provision(List.of("ghost"), List.of(Scene.SMALL), 2, "why not"));
        assertThat(refusals(ghost)).containsExactly("no such shape waits: ghost");
        Plan nowhere = Scene.small().waits("train", 1, 1).plan(new Wish.Provision(List.of("train"), List.of(), 1, "x"));
        assertThat(nowhere.steps())
                .containsExactly(new Step.Hold("train", "the policy named no offering", Bound.Kind.POLICY, ""));
    }

    @Test
    void inputOnItsWayHoldsThePurchaseUntilTheRestIsNoLongerThanABoot() {
        Resources one = Resources.of(1, Scene.GIB, 0);
        Plan early =
                Scene.small().waits("train", one, 1, 1, Duration.ofSeconds(61)).plan();
        assertThat(launched(early)).isZero();
        Plan inTime =
                Scene.small().waits("train", one, 1, 1, Duration.ofSeconds(60)).plan();
        assertThat(launched(inTime)).isEqualTo(1);
    }

    @Test
    void aNodeThatStagingWillNeedIsNotReleased() {
        Resources one = Resources.of(1, Scene.GIB, 0);
        Plan plan = Scene.small()
                .nodes(NodeView.Phase.IDLE, 1)
                .waits("train", one, 1, 1, Duration.ofMinutes(20))
                .plan();
        assertThat(plan.changesAnything()).isFalse();
    }
}
