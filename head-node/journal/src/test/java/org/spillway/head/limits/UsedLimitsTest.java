package org.spillway.head.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.limits.Cap.Span;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Limits.Scope;
import org.spillway.policy.Limits.Unit;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

final class UsedLimitsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T14:00:00Z");
    private static final Instant MIDNIGHT = Instant.parse("2026-11-21T00:00:00Z");
    private static final Instant FIRST = Instant.parse("2026-11-01T00:00:00Z");

    private static NodeRecord node(String id, String site, Instant from, Duration reserved, NodeRecord.Role role) {
        return NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = site;
            draft.role = role;
            draft.intent = "i1";
            draft.nodeState = NodeState.READY;
            draft.since = from;
            draft.purchase = Purchase.of(bought -> {
                bought.offering = new OfferingId(site, "a", "g5.large", Market.ON_DEMAND);
                bought.resources = Resources.of(8, 1L << 34, 2);
                bought.pricePerHour = Money.parse("3.6");
                bought.from = from;
                bought.committedFor = reserved;
            });
        });
    }

    private static NodeRecord node(String id, String site) {
        return node(id, site, NOW.minusSeconds(1000), Duration.ofSeconds(2000), NodeRecord.Role.NODE);
    }

    private static Holders held(String user) {
        return new Holders(Set.of("gpu"), Set.of(user), Set.of("lab"));
    }

    private static long used(List<NodeRecord> nodes, Cap cap) {
        UsedLimits used = new UsedLimits(
                nodes,
                Set.of("home"),
                List.of(),
                Map.of("solver", 3L),
                span -> span == Span.DAY ? MIDNIGHT : FIRST,
                NOW);
        return used.of(List.of(cap), List.of()).getFirst().used();
    }

    private static Cap cap(Scope scope, String name, Unit unit) {
        return new Cap(scope, name, List.of(), unit, 10, Span.NOW);
    }

    private static Cap money(Scope scope, String name, Span span) {
        return new Cap(scope, name, List.of(), Unit.MONEY_MICROS, 10, span);
    }

    @Test
    void aNodeCountsForThoseWhoHaveItNow() {
        NodeRecord handedOn = node("n1", "east")
                .heldBy(held("ada"), NOW.minusSeconds(900))
                .heldBy(held("bob"), NOW.minusSeconds(100));
        List<NodeRecord> nodes = List.of(handedOn, node("n2", "east").heldBy(held("ada"), NOW), node("n3", "west"));
        assertThat(used(nodes, cap(Scope.USER, "ada", Unit.NODES))).isEqualTo(1);
        assertThat(used(nodes, cap(Scope.USER, "ada", Unit.GPUS))).isEqualTo(2);
        assertThat(used(nodes, cap(Scope.USER, "bob", Unit.CPUS))).isEqualTo(8);
        assertThat(used(nodes, cap(Scope.QUEUE, "gpu", Unit.NODES))).isEqualTo(2);
        assertThat(used(nodes, cap(Scope.ACCOUNT, "lab", Unit.NODES))).isEqualTo(2);
        assertThat(used(nodes, cap(Scope.ALL, "", Unit.NODES))).isEqualTo(3);
        assertThat(used(nodes, cap(Scope.SITE, "east", Unit.GPUS))).isEqualTo(4);
        assertThat(used(nodes, cap(Scope.LICENCE, "solver", Unit.LICENCES))).isEqualTo(3);
    }

    @Test
    void directorsEndedNodesAndHomeDoNotCount() {
        NodeRecord ended = node("n1", "east").heldBy(held("ada"), NOW).to(NodeState.TERMINATED, Cause.NONE, NOW);
        NodeRecord atHome = node("n2", "home").heldBy(held("ada"), NOW);
        NodeRecord director = node("d", "east", NOW.minusSeconds(9), Duration.ZERO, NodeRecord.Role.DIRECTOR);
        List<NodeRecord> nodes = List.of(ended, atHome, director);
        assertThat(used(nodes, cap(Scope.USER, "ada", Unit.NODES))).isZero();
        assertThat(used(nodes, cap(Scope.ALL, "", Unit.NODES))).isZero();
        assertThat(used(nodes, cap(Scope.SITE, "home", Unit.NODES))).isEqualTo(1);
        assertThat(used(nodes, cap(Scope.SITE, "east", Unit.NODES))).isZero();
        assertThat(used(nodes, cap(Scope.LAUNCHES_PER_MINUTE, "east", Unit.NODES)))
                .as("the director was launched")
                .isEqualTo(1);
    }

    /** At 3.60 an hour a second costs 1,000 millionths. */
    @Test
    void thePriceCountsForEachAsLongAsTheyHadTheNode() {
        NodeRecord node = node("n1", "east")
                .heldBy(held("ada"), NOW.minusSeconds(1000))
                .heldBy(held("bob"), NOW.minusSeconds(400));
        List<NodeRecord> nodes = List.of(node);
        assertThat(used(nodes, money(Scope.USER, "ada", Span.DAY))).isEqualTo(600_000);
        // The rest of what is reserved is his.
        assertThat(used(nodes, money(Scope.USER, "bob", Span.DAY))).isEqualTo(1_400_000);
        assertThat(used(nodes, money(Scope.ACCOUNT, "lab", Span.DAY))).isEqualTo(2_000_000);
        assertThat(used(nodes, money(Scope.ALL, "", Span.DAY))).isEqualTo(2_000_000);
        NodeRecord ended = node.to(NodeState.TERMINATED, Cause.NONE, NOW);
        assertThat(used(List.of(ended), money(Scope.USER, "bob", Span.DAY))).isEqualTo(400_000);
    }

    @Test
    void onlyWhatLiesInThePeriodCounts() {
        NodeRecord old = node("n1", "east", MIDNIGHT.minusSeconds(100), Duration.ofSeconds(150), NodeRecord.Role.NODE)
                .heldBy(held("ada"), MIDNIGHT.minusSeconds(100))
                .to(NodeState.TERMINATED, Cause.NONE, MIDNIGHT.plusSeconds(20));
        assertThat(used(List.of(old), money(Scope.USER, "ada", Span.DAY))).isEqualTo(20_000);
        assertThat(used(List.of(old), money(Scope.USER, "ada", Span.MONTH))).isEqualTo(120_000);
    }

    @Test
    void whatResultsCostCountsForThoseWhoseTheyAre() {
        List<Charge> charges = List.of(
                new Charge("east", "gpu", "ada", "lab", NOW, new Money(4)),
                new Charge("east", "gpu", "bob", "lab", FIRST, new Money(2)),
                new Charge("west", "cpu", "ada", "", FIRST.minusSeconds(1), new Money(1)));
        UsedLimits used = new UsedLimits(
                List.of(), Set.of(), charges, Map.of(), span -> span == Span.DAY ? MIDNIGHT : FIRST, NOW);
        assertThat(List.of(
                        money(Scope.USER, "ada", Span.DAY),
                        money(Scope.USER, "ada", Span.MONTH),
                        money(Scope.ACCOUNT, "lab", Span.MONTH),
                        money(Scope.QUEUE, "cpu", Span.MONTH),
                        money(Scope.SITE, "east", Span.MONTH),
                        money(Scope.ALL, "", Span.DAY),
                        new Cap(Scope.SITE, "east", List.of("g5.*"), Unit.MONEY_MICROS, 10, Span.MONTH)))
                .map(cap -> used.of(List.of(cap), List.of()).getFirst().used())
                .containsExactly(4L, 4L, 6L, 0L, 6L, 4L, 0L);
        assertThat(used.of(List.of(cap(Scope.USER, "ada", Unit.NODES)), List.of())
                        .getFirst()
                        .used())
                .isZero();
    }

    @Test
    void typesAreAFamilyOfTheirSite() {
        Cap family = new Cap(Scope.QUOTA_FAMILY, "east", List.of("g5.*", "p4"), Unit.CPUS, 96, Span.NOW);
        UsedLimits used = new UsedLimits(
                List.of(node("n1", "east"), node("n2", "west")), Set.of(), List.of(), Map.of(), span -> NOW, NOW);
        assertThat(used.of(List.of(family), List.of()))
                .containsExactly(new Limits.Limit(Scope.QUOTA_FAMILY, "east/g5.*,p4", Unit.CPUS, 96, 8));
        assertThat(family.counts("g5.large")).isTrue();
        assertThat(family.counts("g6.large")).isFalse();
        assertThat(family.counts("p4d")).isFalse();
    }

    @Test
    void oneOfEachIsForThoseThatWaitAndHaveNoneOfTheirOwn() {
        List<Cap> caps = List.of(
                new Cap(Scope.USER, Cap.EACH, List.of(), Unit.GPUS, 4, Span.NOW),
                new Cap(Scope.USER, "ada", List.of(), Unit.GPUS, 8, Span.NOW));
        UsedLimits used = new UsedLimits(
                List.of(node("n1", "east").heldBy(held("bob"), NOW)), Set.of(), List.of(), Map.of(), span -> NOW, NOW);
        assertThat(used.of(caps, List.of(waiting("ada"), waiting("bob"))))
                .containsExactly(
                        new Limits.Limit(Scope.USER, "bob", Unit.GPUS, 4, 2),
                        new Limits.Limit(Scope.USER, "ada", Unit.GPUS, 8, 0));
    }

    private static Demand waiting(String user) {
        Duration hour = Duration.ofHours(1);
        return Demand.of(draft -> {
            draft.shape = "shape of " + user;
            draft.queue = "gpu";
            draft.perNode = Resources.of(1, 1, 1);
            draft.oldestSubmit = NOW;
            draft.walltime = hour;
            draft.sites = List.of("east");
            draft.terms = new Demand.Terms("", user, 0, Map.of(), null, hour, Map.of());
        });
    }

    @Test
    void aNodeThatServesManyInTurnStaysSmallAndForgetsNobody() {
        NodeRecord node = node("n1", "east");
        for (int i = 0; i < 100; i++) {
            node = node.heldBy(held("user" + i), NOW.minusSeconds(1000 - i));
        }
        assertThat(node.stretches()).hasSizeLessThanOrEqualTo(32);
        assertThat(used(List.of(node), money(Scope.USER, "user99", Span.DAY))).isEqualTo(1_901_000);
        assertThat(used(List.of(node), money(Scope.USER, "user0", Span.DAY))).isGreaterThanOrEqualTo(1000);
        assertThat(node.heldBy(held("user99"), NOW)).isEqualTo(node);
    }
}
