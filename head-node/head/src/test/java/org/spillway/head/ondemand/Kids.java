package org.spillway.head.ondemand;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.spillway.api.ClusterState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.ClusterMachine;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.policy.Money;

/** Clusters for tests. */
public final class Kids {
    public static final Instant MADE = Instant.parse("2026-11-22T09:00:00Z");

    private Kids() {}

    static ClusterRecord running(Duration ttl, String budget) {
        return made(ttl, budget)
                .creating(MADE)
                .advanced(MADE)
                .advanced(MADE)
                .advanced(MADE)
                .advanced(MADE)
                .advanced(MADE);
    }

    static ClusterRecord waiting(Duration ttl, String budget) {
        return made(ttl, budget)
                .waiting(new Told("nodes: found 2; at most 1 together"), MADE.plus(Duration.ofDays(7)), MADE);
    }

    static ClusterRecord named(String id, ClusterRecord of) {
        return new ClusterRecord(
                id,
                of.spec(),
                of.clusterState(),
                of.stage(),
                of.cause(),
                of.since(),
                of.failure(),
                of.log(),
                of.steps(),
                of.head(),
                of.spent(),
                null);
    }

    static ClusterRecord withManager() {
        ClusterRecord plain = made(Duration.ofHours(1), "5");
        var its = plain.spec();
        return plain.withSpec(new ClusterSpec(
                its.name(),
                its.site(),
                its.users(),
                new ClusterSpec.Fleet(its.nodes(), its.nodeType(), its.image(), "grid"),
                its.ttl(),
                its.budget(),
                its.createdAt(),
                its.results()));
    }

    public static ClusterRecord made(Duration ttl, String budget) {
        return new ClusterRecord(
                "main-c1",
                new ClusterSpec(
                        "demo1",
                        "west",
                        List.of(new ClusterRecord.User("alice", 1001, 1001, "/home/alice", List.of())),
                        new ClusterSpec.Fleet(2, "small", "", ""),
                        ttl,
                        Money.parse(budget),
                        MADE,
                        "/home/alice/results"),
                ClusterState.REQUESTED,
                ClusterState.Stage.HEAD_INSTANCE,
                Cause.NONE,
                MADE,
                Cause.NONE,
                "",
                List.of(),
                ClusterMachine.NONE,
                null,
                null);
    }
}
