package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.ChainPolicy;
import org.spillway.policy.builtin.HouseRules;

/** Promises of chain and of the rules that go with every policy. */
final class HouseRulesPromisesTest extends PromisesScene {

    // chain and rules

    private static ChainPolicy.Settings chain(HouseRules rules, String... names) {
        return new ChainPolicy.Settings(
                List.of(names).stream()
                        .map(name -> new ChainPolicy.Member(name, Map.of()))
                        .toList(),
                rules);
    }

    @Test
    void chainTakesTheFirstAnswerThatIsNoHold() {
        offers(SMALL, "1.00");
        waits("patient", 1, Duration.ofMinutes(1));
        waits("old", 2, Duration.ofHours(1));
        ChainPolicy chain = new ChainPolicy();
        assertThat(nodesIn(decide(chain, chain(HouseRules.NONE, "deadline")))).isEqualTo(2);
        List<Wish> both = decide(chain, chain(HouseRules.NONE, "deadline", "queue-depth"));
        assertThat(nodesIn(both)).isEqualTo(3);
        assertThat(held(both)).isEmpty();
    }

    @Test
    void chainKeepsWhatAWindowWantsFromTheOthers() {
        offers(SMALL, "1.00");
        window("monday", "small", 1);
        node("n1", SMALL, NodeView.Phase.IDLE, null, 0);
        node("n2", SMALL, NodeView.Phase.IDLE, null, 0);
        assertThat(released(decide(new ChainPolicy(), chain(HouseRules.NONE, "schedule", "queue-depth"))))
                .containsExactly("n2");
    }

    @Test
    void chainIsCutByTheBudgetAtTheEnd() {
        offers(SMALL, "1.00");
        waits("s", 100, Duration.ZERO);
        left = Money.parse("240");
        period = new Limits.Period(left, NOW.minusSeconds(60), NOW.plusSeconds(86_340));
        assertThat(nodesIn(decide(new ChainPolicy(), chain(HouseRules.NONE, "budget-capped", "queue-depth"))))
                .isEqualTo(33);
    }

    private static HouseRules rules(String keepNodes, String keepSites, String running) {
        HouseRules none = HouseRules.NONE;
        return new HouseRules(
                keepNodes, keepSites, running, none.wholeTime(), none.stoppingAllowance(), true, 0, 0, 0, "");
    }

    private List<String> releasedUnder(HouseRules rules) {
        return released(decide(new ChainPolicy(), chain(rules, "queue-depth")));
    }

    @Test
    void rulesKeepNodesSitesAndANumberRunning() {
        offers(SMALL, "1.00");
        node("n1", SMALL, NodeView.Phase.IDLE, null, 0);
        node("n2", SMALL, NodeView.Phase.IDLE, null, 0);
        node("n3", SMALL, NodeView.Phase.IDLE, null, 0);
        assertThat(releasedUnder(HouseRules.NONE)).containsExactly("n1", "n2", "n3");
        assertThat(releasedUnder(rules("n2", "", ""))).containsExactly("n1", "n3");
        assertThat(releasedUnder(rules("", "east", ""))).isEmpty();
        assertThat(releasedUnder(rules("", "", "east=2"))).containsExactly("n3");
    }

    @Test
    void rulesLetNodesGoAtTheEndOfABillingQuantumOnly() {
        offers(SMALL, "1.00");
        node("early", SMALL, NodeView.Phase.IDLE, null, 56);
        node("ends", SMALL, NodeView.Phase.IDLE, null, 117);
        HouseRules hours = new HouseRules("", "", "", Duration.ofHours(1), Duration.ofMinutes(3), true, 0, 0, 0, "");
        assertThat(releasedUnder(hours)).containsExactly("ends");
    }

    @Test
    void rulesKeepAQueueInOneSite() {
        OfferingId west = id("west", "small", Market.ON_DEMAND);
        offers(SMALL, "1.00");
        offers(west, "0.50");
        node("n", SMALL, NodeView.Phase.ALLOCATED, null, 0);
        waits("s", 2, Duration.ZERO);
        assertThat(first(decide(new ChainPolicy(), chain(HouseRules.NONE, "queue-depth"))))
                .isEqualTo(west);
        HouseRules one = new HouseRules("", "", "", Duration.ZERO, Duration.ofMinutes(3), false, 0, 0, 0, "");
        assertThat(first(decide(new ChainPolicy(), chain(one, "queue-depth")))).isEqualTo(SMALL);
    }

    private String firstShape(int age, int external, int engine, String queues) {
        HouseRules rules =
                new HouseRules("", "", "", Duration.ZERO, Duration.ofMinutes(3), true, age, external, engine, queues);
        return provisions(decide(new ChainPolicy(), chain(rules, "queue-depth")))
                .getFirst()
                .shapes()
                .getFirst();
    }

    @Test
    void rulesPutShapesIntoTheOrderOfTheFormula() {
        offers(SMALL, "1.00");
        // Gangs are not bought together with others.
        gang("old", "slow", Duration.ofSeconds(100), 0);
        gang("urgent", "slow", Duration.ofSeconds(10), 50);
        gang("vip", "fast", Duration.ofSeconds(5), 0);
        assertThat(firstShape(1, 0, 0, "")).isEqualTo("old");
        assertThat(firstShape(1, 2, 0, "")).isEqualTo("urgent");
        assertThat(firstShape(1, 2, 1, "fast=200")).isEqualTo("vip");
    }

    private void gang(String shape, String queue, Duration age, long priority) {
        Duration hour = Duration.ofHours(1);
        demands.add(Demand.of(draft -> {
            draft.shape = shape;
            draft.queue = queue;
            draft.perNode = NODE;
            draft.nodes = 2;
            draft.oldestSubmit = NOW.minus(age);
            draft.walltime = hour;
            draft.sites = List.of("east");
            draft.terms = new Demand.Terms("", "", priority, Map.of(), null, hour, Map.of());
        }));
    }
}
