package org.spillway.head.service;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import org.spillway.api.SpendPartsView;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.money.Bill;
import org.spillway.head.loop.money.BudgetPeriod;

/** The bill as REST and the command line show it. */
final class SpendParts {
    /** The latest that have ended; nodes of earlier ones count as idle for those they were there for. */
    private static final int MOST_ENDED = 50_000;

    private SpendParts() {}

    static Bill.Facts facts(Journal journal, List<JobRecord> jobs) {
        return new Bill.Facts(journal.nodes(), jobs, journal.egress(), journal.clusters(), journal.recoveries());
    }

    static SpendPartsView of(Journal journal, String currency, BudgetPeriod period, Instant since, Instant now) {
        List<JobRecord> jobs = new ArrayList<>(journal.jobs());
        journal.store().endedJobs(OptionalInt.empty(), since, MOST_ENDED).stream()
                .filter(job -> !job.since().isBefore(since))
                .forEach(jobs::add);
        Bill.Facts facts = facts(journal, jobs);
        return new SpendPartsView(
                currency,
                period.name().toLowerCase(Locale.ROOT),
                since,
                Bill.total(facts, since, now),
                Bill.of(facts, since, now).stream().map(SpendParts::view).toList());
    }

    private static SpendPartsView.PartView view(Bill.Line line) {
        return new SpendPartsView.PartView(
                line.part().name().toLowerCase(Locale.ROOT),
                line.site(),
                line.owner().user(),
                line.owner().account(),
                line.owner().project(),
                line.amount());
    }
}
