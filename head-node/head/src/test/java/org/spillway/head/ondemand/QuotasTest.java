package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.ClusterCause.AboveLimit;
import org.spillway.head.config.ClusterSettings;
import org.spillway.head.config.ClusterSettings.Quota.Holder;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.policy.Money;

final class QuotasTest {
    private static ClusterSettings.Quota quota(
            Holder holder, String name, @Nullable Integer clusters, @Nullable Integer nodes, @Nullable String budget) {
        return new ClusterSettings.Quota(
                holder,
                name,
                Optional.ofNullable(clusters),
                Optional.ofNullable(nodes),
                Optional.empty(),
                Optional.ofNullable(budget).map(Money::parse),
                Optional.empty());
    }

    private static ClusterSpec spec(String owner, int nodes, String budget, String... groups) {
        return new ClusterSpec(
                "demo",
                "west",
                List.of(new ClusterRecord.User(
                        owner,
                        1001,
                        1001,
                        "/",
                        Stream.of(groups)
                                .map(group -> new ClusterRecord.Group(group, 1))
                                .toList())),
                new ClusterSpec.Fleet(nodes, "small", "", ""),
                Duration.ofHours(8),
                Money.parse(budget),
                Kids.MADE,
                "");
    }

    private static String refused(List<ClusterSettings.Quota> quotas, ClusterSpec wanted, ClusterSpec... others) {
        return Quotas.exceeded(
                        "clusters.quotas",
                        quotas,
                        wanted,
                        List.of(others),
                        one -> one.nodeType().equals("small") ? 2 : 0)
                .map(AboveLimit::text)
                .orElse("");
    }

    @Test
    void withoutQuotasAllMayBeHad() {
        assertThat(refused(List.of(), spec("alice", 1000, "1000000"))).isEmpty();
    }

    @Test
    void eachAmountHoldsUpToItsLastOne() {
        var each = List.of(quota(Holder.USER, "*", 2, 8, "50"));
        assertThat(refused(each, spec("alice", 4, "20"), spec("alice", 4, "30")))
                .isEmpty();
        assertThat(refused(each, spec("alice", 5, "20"), spec("alice", 4, "30")))
                .isEqualTo("nodes: found 5, beside 4 in other clusters; at most 8 together (clusters.quotas of user"
                        + " alice)");
        assertThat(refused(each, spec("alice", 4, "20.01"), spec("alice", 4, "30")))
                .startsWith("budget: found 20.01, beside 30.00 of other clusters; at most 50.00");
        assertThat(refused(each, spec("alice", 1, "1"), spec("alice", 1, "1"), spec("alice", 1, "1")))
                .startsWith("clusters: there are 2 already; at most 2");
        assertThat(refused(each, spec("alice", 8, "50"), spec("bob", 8, "50")))
                .as("what others have counts for them")
                .isEmpty();
        var short8 = new ClusterSettings.Quota(
                Holder.USER,
                "*",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Duration.ofHours(8)));
        assertThat(refused(List.of(short8), spec("alice", 1, "1"))).isEmpty();
        assertThat(refused(List.of(short8), spec("alice", 1, "1").extended(Duration.ofSeconds(1), Money.ZERO)))
                .startsWith("ttl: found 28801s; at most 8h");
    }

    @Test
    void anAmountOfOnesOwnStandsForThatOfEachAndNoOther() {
        var quotas = List.of(quota(Holder.USER, "*", 1, 4, null), quota(Holder.USER, "alice", null, 16, null));
        assertThat(refused(quotas, spec("alice", 16, "1"))).isEmpty();
        assertThat(refused(quotas, spec("alice", 17, "1"))).contains("at most 16");
        assertThat(refused(quotas, spec("bob", 5, "1"))).contains("at most 4");
        assertThat(refused(quotas, spec("alice", 1, "1"), spec("alice", 1, "1")))
                .as("her own entry says nothing of clusters")
                .contains("at most 1");
    }

    @Test
    void membersOfAGroupShareAndAllQuotasHold() {
        var quotas = List.of(quota(Holder.USER, "*", null, 8, null), quota(Holder.GROUP, "class", null, 10, null));
        var bobs = spec("bob", 8, "1", "class");
        assertThat(refused(quotas, spec("alice", 2, "1", "class"), bobs)).isEmpty();
        assertThat(refused(quotas, spec("alice", 3, "1", "class"), bobs)).contains("group class");
        assertThat(refused(quotas, spec("alice", 3, "1", "staff"), bobs)).isEmpty();
        assertThat(refused(quotas, spec("alice", 9, "1", "staff"))).contains("user alice");
    }

    @Test
    void gpusOfAllNodesOfAllClustersCountTogether() {
        var four = new ClusterSettings.Quota(
                Holder.USER,
                "alice",
                Optional.empty(),
                Optional.empty(),
                Optional.of(4),
                Optional.empty(),
                Optional.empty());
        assertThat(refused(List.of(four), spec("alice", 2, "1"))).isEmpty();
        assertThat(refused(List.of(four), spec("alice", 1, "1"), spec("alice", 2, "1")))
                .isEqualTo(
                        "gpus: found 2, beside 4 in other clusters; at most 4 together (clusters.quotas of user alice)");
        assertThat(refused(List.of(four), spec("bob", 3, "1"), spec("alice", 2, "1")))
                .isEmpty();
    }
}
