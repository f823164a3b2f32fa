package org.spillway.head.loop.supply;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.Purse;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;

/** Terms of jobs for those who pay and wait, coarse enough that most jobs are alike. */
public final class JobTerms {
    /** Deadlines are told a little too early, never too late. */
    private static final long DEADLINE_SECONDS = 900;
    /** Other managers' priorities grow with age, so that no two jobs would be alike: their three first binary digits count. */
    private static final int PRIORITY_BITS = 3;

    private final Purse purse;

    JobTerms(Purse purse) {
        this.purse = purse;
    }

    /**
     * The part of a job's terms that makes it another shape.
     *
     * @param user empty where no limit tells users apart; likewise the account
     * @param deadlineSeconds of the epoch, a multiple of {@link #DEADLINE_SECONDS}; 0 for none
     */
    record Kind(String user, String account, long priority, long deadlineSeconds, Map<String, Integer> licences) {
        /** Empty for a job on the usual terms. */
        String text() {
            StringBuilder text = new StringBuilder();
            if (!user.isEmpty()) {
                text.append("+user=").append(user);
            }
            if (!account.isEmpty()) {
                text.append("+account=").append(account);
            }
            if (priority != 0) {
                text.append("+priority=").append(priority);
            }
            if (deadlineSeconds != 0) {
                text.append("+by=").append(Instant.ofEpochSecond(deadlineSeconds));
            }
            new TreeMap<>(licences)
                    .forEach((name, count) ->
                            text.append('+').append(count).append('x').append(name));
            return text.toString();
        }
    }

    Kind kind(JobRecord job) {
        JobSpec spec = job.spec();
        JobSpec.Terms terms = spec.terms();
        Instant deadline = terms.deadline();
        return new Kind(
                purse.capping().tellsUsers() ? spec.user() : "",
                purse.capping().tellsAccounts() ? terms.account() : "",
                ForeignJobs.isForeign(job) ? coarse(spec.priority()) : spec.priority(),
                deadline == null ? 0 : deadline.getEpochSecond() / DEADLINE_SECONDS * DEADLINE_SECONDS,
                terms.licences());
    }

    static long coarse(int priority) {
        int digits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, priority));
        int dropped = Math.max(0, digits - PRIORITY_BITS);
        return (long) Math.max(0, priority) >>> dropped << dropped;
    }

    Demand.Terms of(JobRecord job) {
        Kind kind = kind(job);
        @Nullable Instant deadline = kind.deadlineSeconds == 0 ? null : Instant.ofEpochSecond(kind.deadlineSeconds);
        return new Demand.Terms(
                kind.account,
                kind.user,
                kind.priority,
                kind.licences,
                deadline,
                purse.history().expected(job.spec()),
                transferPrice(job));
    }

    private Map<String, Money> transferPrice(JobRecord job) {
        Money price = purse.egress().of(job).price();
        return price.isMoreThan(Money.ZERO) ? Map.of(job.run().site(), price) : Map.of();
    }
}
