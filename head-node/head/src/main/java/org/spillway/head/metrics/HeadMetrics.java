package org.spillway.head.metrics;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.api.BreakerView;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.api.SpendView;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.loop.TickTimes;
import org.spillway.head.metrics.Family.Kind;
import org.spillway.head.metrics.Family.Samples;
import org.spillway.head.rollout.Rollout;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;

/** All metrics, each with its kind, its sentence and its measure. */
final class HeadMetrics {
    static final List<Family> ALL = List.of(
            gauge(
                    "spillway_build_info",
                    "1; its label has the version",
                    (facts, to) -> to.add(
                            1,
                            "cluster",
                            facts.health().cluster(),
                            "version",
                            facts.health().version())),
            gauge(
                    "spillway_start_timestamp_seconds",
                    "When the head was started",
                    (facts, to) -> to.add(seconds(facts.health().startedAt()))),
            gauge("spillway_jobs", "Jobs that have not ended, by state", HeadMetrics::jobs),
            gauge(
                    "spillway_nodes",
                    "Compute nodes that have not ended, by site and state",
                    (facts, to) -> machines(facts, false, to)),
            gauge(
                    "spillway_directors",
                    "Directors that have not ended, by site and state",
                    (facts, to) -> machines(facts, true, to)),
            money("spillway_spent_money", "Spent since the budget's period began", SpendView::accrued),
            money(
                    "spillway_committed_money",
                    "To be spent by what runs or starts, to its expected end",
                    SpendView::committed),
            money("spillway_budget_money", "The budget of a period", SpendView::limit),
            money("spillway_budget_left_money", "The budget less what is spent and committed", SpendView::left),
            gauge(
                    "spillway_money_per_hour",
                    "Price of all that exists now, directors too, by site",
                    HeadMetrics::moneyPerHour),
            gauge(
                    "spillway_breakers_open",
                    "Breakers that are open: nothing is launched behind them",
                    (facts, to) -> to.add(
                            facts.breakers().stream().filter(BreakerView::open).count())),
            gauge(
                    "spillway_breaker_open",
                    "1 for each breaker that is open, 0 for each that was",
                    (facts, to) -> facts.breakers()
                            .forEach(breaker -> to.add(breaker.open() ? 1 : 0, "breaker", breaker.name()))),
            gauge(
                    "spillway_site_troubled",
                    "1 for a site in trouble; 'spillway sites' says which",
                    (facts, to) ->
                            facts.sites().forEach((name, site) -> to.add(site.troubled() ? 1 : 0, "site", name))),
            gauge(
                    "spillway_service_connections",
                    "Connections of jobs to services of home, by site",
                    (facts, to) -> facts.sites().forEach((name, site) -> to.add(site.connections(), "site", name))),
            gauge(
                    "spillway_directory_troubled",
                    "1 while the directory is away: known users go on",
                    (facts, to) -> to.add(facts.directoryAway() ? 1 : 0)),
            new Family(
                    "spillway_tick_duration_seconds",
                    Kind.SUMMARY,
                    "Work of the loop's ticks; the quantiles are of the last 100",
                    HeadMetrics::ticks),
            gauge(
                    "spillway_tick_late_seconds",
                    "By how much one of the last 100 ticks began too late, at most",
                    (facts, to) -> to.add(seconds(facts.ticks().figures().late()))),
            gauge(
                    "spillway_staging_bytes",
                    "Packed inputs of jobs that have not ended, in a site's staging space",
                    HeadMetrics::staging),
            gauge(
                    "spillway_notice_saved_seconds",
                    "Time on nodes that were taken back, whose work is in what jobs left there that have not ended",
                    HeadMetrics::saved),
            gauge(
                    "spillway_rollout_failed_nodes",
                    "Nodes that failed in the version of a category's last rollout, by its phase; UNDONE was halted or aborted",
                    HeadMetrics::rollouts),
            gauge(
                    "spillway_drifted_nodes",
                    "Nodes whose root differs from the version that they attest, or could not be compared with it",
                    (facts, to) -> facts.drifted()
                            .forEach((site, kinds) -> kinds.forEach(
                                    (kind, count) -> to.add(count, "finding", kind.name(), "site", site)))),
            gauge(
                    "spillway_listing_timestamp_seconds",
                    "When the last good listing of a site was asked for; absent before the first",
                    (facts, to) -> facts.sites().forEach((name, site) -> moment(to, name, site.listedAt()))),
            gauge(
                    "spillway_director_timestamp_seconds",
                    "When a site's director answered last; absent while it has not",
                    (facts, to) -> facts.sites().forEach((name, site) -> moment(to, name, site.heardAt()))));

    private HeadMetrics() {}

    private static void rollouts(HeadFacts facts, Samples to) {
        for (RolloutRecord record : facts.rollouts()) {
            Rollout last = record.rollout();
            if (last != null) {
                to.add(
                        last.failed(),
                        "category",
                        record.category(),
                        "phase",
                        last.phase().name());
            }
        }
    }

    /** A measure of a sum of money in the head's currency. */
    private interface Sum {
        Money of(SpendView spend);
    }

    private static Family gauge(String name, String help, BiConsumer<HeadFacts, Samples> measured) {
        return new Family(name, Kind.GAUGE, help, measured);
    }

    private static Family money(String name, String help, Sum sum) {
        return gauge(
                name,
                help,
                (facts, to) -> to.add(
                        amount(sum.of(facts.spend())), "currency", facts.spend().currency()));
    }

    /** Every state has its line, so that an alert on one need not know whether it was ever there. */
    private static void jobs(HeadFacts facts, Samples to) {
        Arrays.stream(JobState.values())
                .filter(state -> !state.isTerminal())
                .forEach(state -> to.add(
                        facts.jobs().stream()
                                .filter(job -> job.jobState() == state)
                                .count(),
                        "state",
                        state.name()));
    }

    private static void machines(HeadFacts facts, boolean directors, Samples to) {
        EnumSet<NodeState> states = EnumSet.allOf(NodeState.class);
        states.removeIf(NodeState::isTerminal);
        for (String site : facts.sites().keySet()) {
            for (NodeState state : states) {
                long count = facts.nodes().stream()
                        .filter(node ->
                                node.isDirector() == directors && node.site().equals(site) && node.nodeState() == state)
                        .count();
                to.add(count, "site", site, "state", state.name());
            }
        }
    }

    private static void moneyPerHour(HeadFacts facts, Samples to) {
        for (String site : facts.sites().keySet()) {
            Money each = facts.nodes().stream()
                    .filter(node -> node.site().equals(site) && node.nodeState().mayCost())
                    .map(HeadMetrics::pricePerHour)
                    .reduce(Money.ZERO, Money::plus);
            to.add(amount(each), "currency", facts.spend().currency(), "site", site);
        }
    }

    private static Money pricePerHour(NodeRecord node) {
        List<Purchase.Stop> stops = node.purchase().stops();
        return stops.isEmpty() || stops.getLast().until() != null
                ? node.pricePerHour()
                : stops.getLast().pricePerHour();
    }

    private static void ticks(HeadFacts facts, Samples to) {
        TickTimes.Figures last = facts.ticks().figures();
        to.add(seconds(last.median()), "quantile", "0.5");
        to.add(seconds(last.p95()), "quantile", "0.95");
        to.add(seconds(last.most()), "quantile", "1");
        TickTimes.Totals all = facts.ticks().totals();
        to.addSuffixed("_sum", seconds(all.took()));
        to.addSuffixed("_count", BigDecimal.valueOf(all.ticks()));
    }

    /** An input that tasks of an array share lies there once. */
    private static void staging(HeadFacts facts, Samples to) {
        for (String site : facts.sites().keySet()) {
            long bytes = 0;
            Set<JobRun.Staged> counted = new HashSet<>();
            for (JobRecord job : facts.jobs()) {
                JobRun.Staged staged = job.run().staged();
                Checksum bundle = staged == null ? null : staged.bundle();
                if (staged != null
                        && bundle != null
                        && job.run().site().equals(site)
                        && (staged.listing() == null || counted.add(staged))) {
                    bytes += bundle.bytes();
                }
            }
            to.add(bytes, "site", site);
        }
    }

    private static void moment(Samples to, String site, @Nullable Instant at) {
        if (at != null) {
            to.add(seconds(at), "site", site);
        }
    }

    private static void saved(HeadFacts facts, Samples to) {
        for (String site : facts.sites().keySet()) {
            long millis = facts.jobs().stream()
                    .filter(job -> job.run().site().equals(site))
                    .mapToLong(job -> job.run().savedMillis())
                    .sum();
            to.add(BigDecimal.valueOf(millis, 3), "site", site);
        }
    }

    private static BigDecimal amount(Money money) {
        return BigDecimal.valueOf(money.micros(), 6);
    }

    private static BigDecimal seconds(Instant at) {
        return BigDecimal.valueOf(at.toEpochMilli(), 3);
    }

    private static BigDecimal seconds(Duration time) {
        return BigDecimal.valueOf(time.toNanos(), 9);
    }
}
