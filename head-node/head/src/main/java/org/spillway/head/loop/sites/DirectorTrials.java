package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/**
 * The directors that were bought for a site since one last served, with what each has cost and why it did not come up.
 * Folded from the journal, so a head that starts again knows it, too. Pure.
 *
 * @param all the oldest first
 */
public record DirectorTrials(List<Trial> all) {
    /** Money is counted over so long a time. */
    public static final Duration WINDOW = Duration.ofHours(24);

    static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(30);
    /** A director that ends by itself within this time of its first answer has not served. */
    private static final Duration SERVICE = Duration.ofMinutes(1);

    public DirectorTrials {
        all = List.copyOf(all);
    }

    /** The end of a director, or its way to it. */
    public enum Fate {
        /** The director is on its way. */
        COMING,
        /** The provider refused it, or nothing came of the launch: offering health counts that. */
        REFUSED,
        /** The head or an administrator ended it before it served. */
        STOPPED,
        /** The director never came up, or went again at once. */
        FAILED,
        /** The director serves or has served. */
        SERVED
    }

    /**
     * A director that was bought.
     *
     * @param ended when it left its service, or its way to it; null before
     * @param paidUntil null while it may still cost
     */
    public record Trial(
            String node,
            OfferingId offering,
            Fate fate,
            Instant begun,
            @Nullable Instant ended,
            @Nullable Instant paidUntil,
            Money pricePerHour,
            Cause why) {
        Money costSince(Instant from, Instant now) {
            Instant begin = begun.isAfter(from) ? begun : from;
            Instant end = paidUntil == null ? now : paidUntil;
            return end.isAfter(begin) ? pricePerHour.perHourFor(Duration.between(begin, end)) : Money.ZERO;
        }
    }

    /**
     * The trials of a site.
     *
     * @param nodes of any kind and site
     * @param from those that were decided earlier are forgiven: somebody has looked since
     */
    public static DirectorTrials of(Collection<NodeRecord> nodes, SitePlan plan, Instant from) {
        List<Trial> row = new ArrayList<>();
        nodes.stream()
                .filter(node -> node.isDirector()
                        && !node.isGiven()
                        && node.site().equals(plan.name())
                        && matches(node.offering(), plan.director())
                        && begun(node).isAfter(from))
                .sorted(Comparator.comparing(DirectorTrials::begun).thenComparing(NodeRecord::id))
                .map(DirectorTrials::trial)
                .forEach(trial -> {
                    if (trial.fate == Fate.SERVED) {
                        row.clear();
                    }
                    row.add(trial);
                });
        row.removeIf(trial -> trial.fate == Fate.SERVED);
        return new DirectorTrials(row);
    }

    /** Whether the configuration as it is would buy that one: the failures of another say nothing. */
    static boolean matches(OfferingId offering, SitePlan.Director director) {
        return offering.instanceType().equals(director.type())
                && offering.market() == director.market()
                && (director.zone().isEmpty() || offering.zone().equals(director.zone()));
    }

    private static Instant begun(NodeRecord node) {
        Instant from = node.costFrom();
        return from == null ? node.since() : from;
    }

    private static Trial trial(NodeRecord node) {
        Fate fate = fate(node);
        return new Trial(
                node.id(),
                node.offering(),
                fate,
                begun(node),
                fate == Fate.COMING || isServing(node) ? null : node.since(),
                node.isLive() ? null : node.costTo() == null ? node.since() : node.costTo(),
                node.pricePerHour(),
                node.cause());
    }

    private static boolean isServing(NodeRecord node) {
        return switch (node.nodeState()) {
            case READY, DRAINING -> true;
            default -> false;
        };
    }

    private static Fate fate(NodeRecord node) {
        Instant served = node.servedFrom();
        if (isServing(node)) {
            return Fate.SERVED;
        }
        if (served != null && (isByOrder(node.cause()) || !node.since().isBefore(served.plus(SERVICE)))) {
            return Fate.SERVED;
        }
        return switch (node.nodeState()) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING -> Fate.COMING;
            default -> isRefused(node.cause()) ? Fate.REFUSED : isByOrder(node.cause()) ? Fate.STOPPED : Fate.FAILED;
        };
    }

    private static boolean isRefused(Cause cause) {
        return cause.all().anyMatch(one -> one instanceof NodeCause.LaunchRefused || one == NodeFact.NO_INSTANCE);
    }

    /** The head's own wish, or an administrator's. */
    private static boolean isByOrder(Cause cause) {
        return cause instanceof NodeFact fact
                && switch (fact) {
                    case RELEASED, IDLE, OVER_BUDGET, REMOVED_BY_HAND, DRAINED_BY_HAND, DRAINED -> true;
                    default -> false;
                };
    }

    private List<Trial> failed(Predicate<Trial> which) {
        return all.stream()
                .filter(trial -> trial.fate == Fate.FAILED && which.test(trial))
                .toList();
    }

    /** Failures in a row. */
    public int failures() {
        return failed(trial -> true).size();
    }

    int failuresIn(OfferingId offering) {
        return failed(trial -> trial.offering.equals(offering)).size();
    }

    /** The reason of the last that did not come up; none when none has. */
    public Cause lastReason() {
        List<Trial> failed = failed(trial -> true);
        return failed.isEmpty() ? Cause.NONE : failed.getLast().why;
    }

    /** The money that went into directors none of which served, in the last {@link #WINDOW}. */
    public Money spent(Instant now) {
        Money sum = Money.ZERO;
        for (Trial trial : all) {
            sum = sum.plus(trial.costSince(now.minus(WINDOW), now));
        }
        return sum;
    }

    /** The pause after that many failures in a row: it doubles from ten seconds to half an hour. */
    static Duration pauseAfter(int failures) {
        if (failures == 0) {
            return Duration.ZERO;
        }
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, 20));
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    /** When the next may be bought, by pauses alone; null for at once. */
    @Nullable
    Instant notBefore() {
        List<Trial> failed = failed(trial -> true);
        Instant ended = failed.isEmpty() ? null : failed.getLast().ended;
        return ended == null ? null : ended.plus(pauseAfter(failed.size()));
    }
}
