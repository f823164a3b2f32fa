package org.spillway.head.journal;

import java.time.Instant;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Money;

/**
 * Cost of bringing results home from a site, of one queue, user and account within a quarter of an hour: every budget's
 * period begins with one, whatever the time zone.
 *
 * @param quarter when the quarter of an hour began
 * @param bytes that were brought
 * @param price of them, by what the site took when they were brought
 */
public record EgressRecord(
        String site, Instant quarter, String queue, String user, String account, long bytes, Money price)
        implements Entry {
    private static final long QUARTER_SECONDS = 900;

    /** Of a job's results that are at home now. */
    public static EgressRecord of(JobRecord job, long bytes, Money price, Instant now) {
        JobSpec spec = job.spec();
        Instant quarter = Instant.ofEpochSecond(now.getEpochSecond() / QUARTER_SECONDS * QUARTER_SECONDS);
        return new EgressRecord(
                job.run().site(),
                quarter,
                spec.queue(),
                spec.user(),
                spec.terms().account(),
                bytes,
                price);
    }

    /** Both together, of the same quarter of an hour. */
    public EgressRecord plus(EgressRecord other) {
        if (!other.id().equals(id())) {
            throw new IllegalArgumentException(id() + " and " + other.id() + " are not the same");
        }
        return new EgressRecord(
                site, quarter, queue, user, account, Math.addExact(bytes, other.bytes), price.plus(other.price));
    }

    @Override
    public String kind() {
        return "egress";
    }

    /** No name of these has a control character. */
    @Override
    public String id() {
        return String.join("\t", site, quarter.toString(), queue, user, account);
    }

    /** Egress has no state, so that no line of the timeline is written. */
    @Override
    public String state() {
        return "";
    }

    @Override
    public Cause cause() {
        return Cause.NONE;
    }

    /** Egress only counts. */
    @Override
    public boolean isLive() {
        return false;
    }
}
