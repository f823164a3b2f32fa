package org.spillway.head.ondemand;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.spillway.api.ClusterState;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.policy.Money;

/**
 * Warnings for the owner of a cluster on demand, and for those who may agree to it, that are due now. Pure. The rules
 * it keeps: nothing is told twice; a cluster that has ended was never removed without a word before, however fast time
 * or money ran out; what is told of an end is told again when the cluster gets another end.
 */
public final class Warnings {
    /** Of the time of a cluster too short for every warning that is configured. */
    private static final int LAST_PART = 5;

    private Warnings() {}

    /**
     * @param before so long before its time is over; those longer than half of a cluster's time do not count for it
     * @param spentPercent of its budget
     */
    public record Settings(List<Duration> before, List<Integer> spentPercent) {
        public Settings {
            before = List.copyOf(before);
            spentPercent = List.copyOf(spentPercent);
        }
    }

    /** The warning's subject. */
    public enum About {
        TIME,
        BUDGET,
        /** The cluster is being removed: for the timeline only. */
        ENDING,
        ENDED,
        /** The cluster waits for approval: to its owner. */
        WAITING,
        /** Somebody is asked for approval: to them. */
        ASKED,
        /** Somebody agreed, or nobody did. */
        DECIDED
    }

    /** @param id of the notice, the same for the same thing @param to login name; empty for the owner */
    public record Due(String id, About about, String to) {
        Due(String id, About about) {
            this(id, about, "");
        }
    }

    /**
     * @param spent by the cluster so far
     * @param approvers login names of those who may agree to one that waits
     * @param told whether a notice of that id was written down
     * @return in the order in which they are told
     */
    public static List<Due> due(
            ClusterRecord child,
            Money spent,
            Instant now,
            Settings settings,
            List<String> approvers,
            Predicate<String> told) {
        List<Due> due = approval(child, approvers);
        String ending = id(child, "ending", child.spec().createdAt().getEpochSecond());
        if (child.clusterState() == ClusterState.WAITING_FOR_APPROVAL) {
            due.removeIf(one -> told.test(one.id()));
            return due;
        }
        if (child.isLive() && child.clusterState() != ClusterState.DELETING) {
            time(child, now, settings).ifPresent(due::add);
            budget(child, spent, settings).ifPresent(due::add);
        } else if (child.isLive()) {
            due.add(new Due(ending, About.ENDING));
        } else if (told.test(ending)) {
            // A cluster that ended before anybody wrote notices has none.
            due.add(new Due(id(child, "ended", child.spec().createdAt().getEpochSecond()), About.ENDED));
        }
        due.removeIf(one -> told.test(one.id()));
        return due;
    }

    private static List<Due> approval(ClusterRecord child, List<String> approvers) {
        List<Due> due = new ArrayList<>();
        ClusterRecord.Approval approval = child.approval();
        if (approval == null) {
            return due;
        }
        long asked = approval.askedAt().getEpochSecond();
        String owner = child.spec().owner().name();
        if (child.clusterState() == ClusterState.WAITING_FOR_APPROVAL) {
            due.add(new Due(id(child, "waiting", asked), About.WAITING));
            approvers.stream()
                    .filter(login -> !login.equals(owner))
                    .map(login -> new Due(id(child, "asked-" + plain(login), asked), About.ASKED, login))
                    .forEach(due::add);
        } else if (child.isLive() || child.clusterState() == ClusterState.REJECTED) {
            due.add(new Due(id(child, "decided", asked), About.DECIDED));
        }
        return due;
    }

    /** The login as it stands in the id of a letter; two logins that look alike in it still differ. */
    private static String plain(String login) {
        String text = login.replaceAll("[^A-Za-z0-9-]", "-");
        return text.substring(0, Math.min(60, text.length())) + "-" + Integer.toHexString(login.hashCode());
    }

    private static Optional<Due> time(ClusterRecord child, Instant now, Settings settings) {
        Instant end = child.spec().expires();
        Duration ttl = child.spec().ttl();
        List<Duration> leads = settings.before().stream()
                .filter(lead -> lead.compareTo(ttl.dividedBy(2)) <= 0)
                .toList();
        Duration rest = Duration.between(now, end);
        // The nearest one says all that those before it would.
        return (leads.isEmpty() && !settings.before().isEmpty() ? List.of(ttl.dividedBy(LAST_PART)) : leads)
                .stream()
                        .filter(lead -> rest.compareTo(lead) <= 0)
                        .min(Comparator.naturalOrder())
                        .map(lead -> new Due(id(child, "time-" + lead.toSeconds(), end.getEpochSecond()), About.TIME));
    }

    private static Optional<Due> budget(ClusterRecord child, Money spent, Settings settings) {
        Money budget = child.spec().budget();
        return settings.spentPercent().stream()
                .filter(percent -> !share(budget, percent).isMoreThan(spent))
                .max(Comparator.naturalOrder())
                .map(percent -> new Due(id(child, "spent-" + percent, budget.micros()), About.BUDGET));
    }

    private static Money share(Money budget, int percent) {
        return new Money(budget.micros() / 100 * percent + budget.micros() % 100 * percent / 100);
    }

    private static String id(ClusterRecord child, String what, long of) {
        return child.id() + "." + what + "." + of;
    }
}
