package org.spillway.head.journal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.spillway.head.journal.JournalReport.Damage;

/** References between records, gathered while they are read. Only live ones count: what has ended may outlive the rest. */
final class References {
    private final Set<String> known = new HashSet<>();
    private final List<Reference> wanted = new ArrayList<>();
    private long highest;

    private record Reference(String from, String kind, String id) {}

    void see(Entry entry) {
        known.add(entry.kind() + " " + entry.id());
        highest = Math.max(highest, number(entry));
        if (entry.isLive()) {
            of(entry, (kind, id) -> wanted.add(new Reference(entry.kind() + " " + entry.id(), kind, id)));
        }
    }

    private static void of(Entry entry, BiConsumer<String, String> reference) {
        switch (entry) {
            case JobRecord job ->
                job.run().ranks().stream()
                        .filter(rank -> !rank.isOver() && job.run().foreign() == null)
                        .forEach(rank -> reference.accept("node", rank.node()));
            case NodeRecord node -> {
                if (!node.intent().isEmpty()) {
                    reference.accept("intent", node.intent());
                }
            }
            case DelegatedRecord delegated -> reference.accept("cluster", delegated.cluster());
            case NoticeRecord notice -> reference.accept("cluster", notice.cluster());
            case IntentRecord intent -> {}
            case LaunchEntry launch -> {}
            case DecisionEntry decision -> {}
            case OutcomeEntry outcome -> {}
            case BreakerEntry breaker -> {}
            case ClusterRecord cluster -> {}
            case EgressRecord egress -> {}
            case RecoveryRecord recovery -> {}
            case StageRecord stage -> {}
            case RolloutRecord rollout -> {}
        }
    }

    /** Jobs bear numbers of the sequence, tasks of an array that of their array. */
    private static long number(Entry entry) {
        String digits = entry instanceof JobRecord ? entry.id().replaceFirst("-.*", "") : "";
        return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : 0;
    }

    /** The largest number of a job. */
    long highest() {
        return highest;
    }

    List<Damage> missing() {
        return wanted.stream()
                .filter(one -> !known.contains(one.kind() + " " + one.id()))
                .map(one -> new Damage(
                        Damage.REFERENCE,
                        one.from(),
                        "it needs " + one.kind() + " " + one.id() + ", which is not there"))
                .toList();
    }
}
