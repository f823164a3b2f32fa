package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;
import org.spillway.policy.Wish;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Offerings that stand behind the one that a launch is for. Finding C5: nothing in the head gave the drivers any. */
final class RankedSetsTest {
    private static final Resources EIGHT = Resources.of(8, 32 * Scene.GIB, 0);
    private static final OfferingId OTHER = Scene.id("east", "other");
    private static final OfferingId DEAR = Scene.id("east", "dear");

    /** For 1, 0.9 and 2 an hour; jobs of an hour fill a node each. */
    private static Scene scene() {
        return Scene.small().offers(OTHER, EIGHT, "0.9").offers(DEAR, EIGHT, "2");
    }

    private static Step.Launch launch(Plan plan) {
        return plan.steps().stream()
                .filter(Step.Launch.class::isInstance)
                .map(Step.Launch.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static Wish.Provision wish(String shape, int count, OfferingId... offerings) {
        return new Wish.Provision(List.of(shape), List.of(offerings), count, "jobs wait");
    }

    private static OfferingStatus status(OfferingId id, int budget) {
        return new OfferingStatus(id, null, budget, Duration.ofMinutes(1), "", 0);
    }

    @Test
    void theRestOfTheWishInItsOrder() {
        Step.Launch launch = launch(scene().waits("one", 1, 2).plan(wish("one", 2, Scene.SMALL, DEAR, OTHER)));
        assertThat(launch.offering()).isEqualTo(Scene.SMALL);
        assertThat(launch.behind().offerings()).containsExactly(DEAR, OTHER);
    }

    @Test
    void theDearestIsTakenFromTheBudget() {
        Step.Launch launch = launch(scene().waits("one", 1, 2).plan(wish("one", 2, Scene.SMALL, DEAR, OTHER)));
        // Twice as dear, for as long.
        assertThat(launch.behind().more()).isEqualTo(launch.committed());
    }

    @Test
    void noneThatTheBudgetHasNoRoomFor() {
        Step.Launch launch =
                launch(scene().budget("3").waits("one", 1, 2).plan(wish("one", 2, Scene.SMALL, DEAR, OTHER)));
        assertThat(launch.count()).isEqualTo(2);
        assertThat(launch.behind().offerings()).containsExactly(OTHER);
        assertThat(launch.behind().more()).isEqualTo(Money.ZERO);
    }

    @Test
    void noneThatHasToProveItselfFirst() {
        Step.Launch launch = launch(scene().health(List.of(status(OTHER, 1), status(DEAR, 2)))
                .waits("one", 1, 2)
                .plan(wish("one", 2, Scene.SMALL, OTHER, DEAR)));
        assertThat(launch.behind().offerings()).containsExactly(DEAR);
    }

    @Test
    void noneOfAnotherSize() {
        OfferingId large = Scene.id("east", "large");
        Step.Launch launch = launch(scene().offers(large, Resources.of(16, 64 * Scene.GIB, 0), "1")
                .waits("one", 1, 1)
                .plan(wish("one", 1, Scene.SMALL, large, OTHER)));
        assertThat(launch.behind().offerings()).containsExactly(OTHER);
    }

    @Test
    void noneOfAnotherSite() {
        OfferingId west = Scene.id("west", "small");
        Step.Launch launch = launch(scene().offers(west, EIGHT, "1")
                .limit("west", 9)
                .waits("one", 1, 1)
                .plan(wish("one", 1, Scene.SMALL, west)));
        assertThat(launch.behind()).isEqualTo(Step.Behind.NOTHING);
    }

    @Test
    void aGangsNodesAreAlike() {
        Step.Launch launch = launch(scene().waits("mpi", 2, 1).plan(wish("mpi", 2, Scene.SMALL, OTHER)));
        assertThat(launch.behind()).isEqualTo(Step.Behind.NOTHING);
    }

    /** The money by which the first launch might be dearer is not missing for the second. */
    @Test
    void noSetCostsALaunch() {
        Scene tight = scene().budget("3").waits("one", 1, 1).waits("two", 1, 1);
        Plan plan = tight.plan(wish("one", 1, Scene.SMALL, DEAR), wish("two", 1, Scene.SMALL));
        assertThat(plan.steps()).filteredOn(Step.Launch.class::isInstance).hasSize(2);
    }
}
