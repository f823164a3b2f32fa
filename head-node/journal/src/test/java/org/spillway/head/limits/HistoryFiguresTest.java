package org.spillway.head.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.policy.ClusterSnapshot.Share;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** Run times, fair use and reclaims. */
final class HistoryFiguresTest {
    private static final Instant NOW = Instant.parse("2026-11-21T14:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Resources ONE_CPU = Resources.of(1, 0, 0);

    @Test
    void theNinetyFifthPercentileOfTheLatest() {
        RunTimes times = new RunTimes();
        for (int i = 1; i <= 9; i++) {
            times.ended("a", Duration.ofSeconds(i));
        }
        assertThat(times.percentile95("a")).as("too few").isEmpty();
        for (int i = 10; i <= 200; i++) {
            times.ended("a", Duration.ofSeconds(i));
        }
        // 101 to 200 are kept.
        assertThat(times.percentile95("a")).contains(Duration.ofSeconds(195));
        assertThat(times.percentile95("b")).isEmpty();
    }

    @Test
    void groupsThatNobodyHearsOfAreForgotten() {
        RunTimes times = new RunTimes();
        for (int i = 0; i < 3 * Figures.MOST_GROUPS; i++) {
            times.ended(i, HOUR);
        }
        assertThat(times.figures().groups()).hasSize(Figures.MOST_GROUPS);
        assertThat(times.figures().groups())
                .containsKey(3 * Figures.MOST_GROUPS - 1)
                .doesNotContainKey(0);
    }

    private static final Shares EQUAL = new Shares(Shares.Kind.ACCOUNT, Map.of("ml", 3.0), 1, Duration.ofDays(1));

    private static double part(List<Share> shares, String name) {
        return shares.stream()
                .filter(share -> share.name().equals(name))
                .findFirst()
                .orElseThrow()
                .used();
    }

    @Test
    void useHalvesWithEachHalfLifeInWhateverOrderItIsHeard() {
        FairUse use = new FairUse(Duration.ofDays(1));
        FairUse other = new FairUse(Duration.ofDays(1));
        Instant before = NOW.minus(Duration.ofDays(2));
        use.ended("ml", ONE_CPU, 1, before.minus(HOUR), before);
        use.ended("bio", ONE_CPU, 1, NOW.minus(HOUR), NOW);
        other.ended("bio", ONE_CPU, 1, NOW.minus(HOUR), NOW);
        other.ended("ml", ONE_CPU, 1, before.minus(HOUR), before);
        List<Share> shares = use.shares(EQUAL, List.of(), List.of("bio", "idle"), NOW);
        assertThat(shares).map(Share::name).containsExactly("bio", "idle", "ml");
        assertThat(part(shares, "bio")).isCloseTo(0.8, within(1e-9));
        assertThat(part(shares, "ml")).isCloseTo(0.2, within(1e-9));
        assertThat(part(shares, "idle")).isZero();
        assertThat(shares)
                .filteredOn(share -> share.name().equals("ml"))
                .map(Share::weight)
                .containsExactly(3.0);
        assertThat(other.shares(EQUAL, List.of(), List.of("bio", "idle"), NOW)).isEqualTo(shares);
    }

    @Test
    void whatRunsCountsAndTheLargestPartOfAnythingIsThePart() {
        FairUse use = new FairUse(Duration.ofDays(1));
        List<FairUse.Run> running = List.of(
                new FairUse.Run("ml", Resources.of(1, 0, 4), 2, NOW.minus(HOUR)),
                new FairUse.Run("bio", Resources.of(31, 0, 0), 2, NOW.minus(HOUR)));
        List<Share> shares = use.shares(EQUAL, running, List.of(), NOW);
        assertThat(part(use.shares(EQUAL, running, List.of("bio"), NOW), "bio")).isCloseTo(31 / 32.0, within(1e-9));
        assertThat(part(shares, "ml")).as("all GPUs").isEqualTo(1);
    }

    @Test
    void usersWithoutEndDoNotFillTheMemory() {
        FairUse use = new FairUse(Duration.ofDays(1));
        for (int i = 0; i < FairUse.MOST + 50; i++) {
            use.ended("a" + i, ONE_CPU, 1, NOW.minusSeconds(10 + i), NOW);
        }
        assertThat(part(use.shares(EQUAL, List.of(), List.of("a0"), NOW), "a0"))
                .as("had the least")
                .isZero();
    }

    private static final OfferingId SPOT = new OfferingId("east", "a", "g5", Market.SPOT);

    private static NodeRecord node(OfferingId offering, Duration age) {
        return NodeRecord.of(draft -> {
            draft.id = "n";
            draft.site = "east";
            draft.intent = "i1";
            draft.nodeState = NodeState.READY;
            draft.since = NOW.minus(age);
            draft.purchase = Purchase.of(bought -> {
                bought.offering = offering;
                bought.resources = ONE_CPU;
                bought.from = NOW.minus(age);
            });
            draft.joined = new NodeRecord.Joined("r", "certificate", null);
        });
    }

    @Test
    void reclaimsAreThoseOfTheHoursThatAllRan() {
        NodeRecord lost =
                node(SPOT, HOUR.multipliedBy(4)).takenBack().to(NodeState.FAILED, Cause.NONE, NOW.minus(HOUR));
        NodeRecord ended = node(SPOT, HOUR.multipliedBy(6)).to(NodeState.TERMINATED, Cause.NONE, NOW.minus(HOUR));
        NodeRecord runs = node(SPOT, HOUR.multipliedBy(2));
        assertThat(Reclaims.perHour(List.of(lost, ended, runs), NOW)).isEqualTo(Map.of(SPOT, 1 / 10.0));
        assertThat(Reclaims.perHour(List.of(ended, runs), NOW)).as("never seen").isEmpty();
        assertThat(Reclaims.perHour(List.of(lost, ended, runs), NOW.plus(Reclaims.WINDOW)))
                .as("long ago")
                .isEmpty();
        NodeRecord soon = node(SPOT, Duration.ofMinutes(1)).takenBack().to(NodeState.FAILED, Cause.NONE, NOW);
        assertThat(Reclaims.perHour(List.of(soon), NOW))
                .as("of an hour at least")
                .isEqualTo(Map.of(SPOT, 1.0));
        OfferingId paid = new OfferingId("east", "a", "g5", Market.ON_DEMAND);
        assertThat(Reclaims.perHour(List.of(node(paid, HOUR).takenBack()), NOW)).isEmpty();
    }
}
