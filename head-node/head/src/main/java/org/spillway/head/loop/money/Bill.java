package org.spillway.head.loop.money;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.EgressRecord;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.policy.Money;

/**
 * Spend of a period in parts, each with an owner or with none where it is the site's own. The parts sum to {@link #total}
 * exactly, to the millionth: a node's amount, which is rounded up once, is divided among its parts by the largest
 * remainder (Hamilton's method). Pure.
 */
public final class Bill {
    private static final String KEY = "\t";

    /** Kind of a part. */
    public enum Part {
        /** Shares of nodes while jobs ran there: of each the largest of its CPUs, memory and GPUs. */
        JOBS,
        /** Nodes that come up, wait, or are not full: whose jobs they were there for, as far as that is one's. */
        IDLE,
        DIRECTORS,
        /** Price of what nodes keep while they are stopped, such as their disks. */
        STORAGE,
        /** Results that left a site. */
        EGRESS,
        /** Clusters on demand that have ended. */
        CLUSTERS,
        /** Machines that the journal does not know. */
        UNKNOWN
    }

    /** A payer; empty names for what is not known, all empty for the site's own. */
    public record Owner(String user, String account, String project) {
        public static final Owner SITE = new Owner("", "", "");
    }

    public record Line(Part part, String site, Owner owner, Money amount) {
        private String key() {
            return String.join(KEY, part.name(), site, owner.user, owner.account, owner.project);
        }
    }

    /**
     * The journal's facts.
     *
     * @param jobs that run or have run in the period; what is not among them is idle
     */
    public record Facts(
            Collection<NodeRecord> nodes,
            Collection<JobRecord> jobs,
            Collection<EgressRecord> egress,
            Collection<ClusterRecord> clusters,
            Collection<RecoveryRecord> unknown) {}

    private Bill() {}

    /** The amount that was spent since then, without what is reserved. */
    public static Money total(Facts facts, Instant periodStart, Instant now) {
        return Spending.accrued(facts.nodes, periodStart, now)
                .plus(Spending.ofClusters(ended(facts), periodStart))
                .plus(Spending.ofEgress(facts.egress, periodStart))
                .plus(Spending.ofUnknown(facts.unknown, periodStart, now));
    }

    /** The parts, those of a kind together, none of them zero. */
    public static List<Line> of(Facts facts, Instant periodStart, Instant now) {
        Map<String, List<NodeUse>> uses = NodeUse.byNode(facts.jobs, now);
        Map<String, Line> lines = new TreeMap<>(Comparator.naturalOrder());
        for (NodeRecord node : facts.nodes) {
            NodeBill.of(node, uses.getOrDefault(node.id(), List.of()), periodStart, now)
                    .forEach(line -> add(lines, line));
        }
        for (EgressRecord one : facts.egress) {
            if (!one.quarter().isBefore(periodStart)) {
                add(lines, new Line(Part.EGRESS, one.site(), new Owner(one.user(), one.account(), ""), one.price()));
            }
        }
        for (ClusterRecord cluster : ended(facts)) {
            Owner owner = new Owner(cluster.spec().owner().name(), "", "");
            Money spent = Spending.ofClusters(List.of(cluster), periodStart);
            add(lines, new Line(Part.CLUSTERS, cluster.spec().site(), owner, spent));
        }
        for (RecoveryRecord one : facts.unknown) {
            add(lines, new Line(Part.UNKNOWN, one.machine().site(), Owner.SITE, one.costSince(periodStart, now)));
        }
        List<Line> sorted = new ArrayList<>(lines.values());
        sorted.sort(Comparator.comparing(Line::part).thenComparing(Line::key));
        return List.copyOf(sorted);
    }

    private static List<ClusterRecord> ended(Facts facts) {
        return facts.clusters.stream().filter(cluster -> !cluster.isLive()).toList();
    }

    private static void add(Map<String, Line> lines, Line line) {
        if (line.amount.micros() != 0) {
            lines.merge(
                    line.key(),
                    line,
                    (one, other) -> new Line(one.part, one.site, one.owner, one.amount.plus(other.amount)));
        }
    }
}
