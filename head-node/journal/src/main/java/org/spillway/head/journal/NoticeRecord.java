package org.spillway.head.journal;

import java.time.Instant;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;

/**
 * A notice to the owner of a cluster on demand: a line of the cluster's timeline and, where mail is set up, a letter.
 * It is written down before the letter is sent, and nothing is told twice.
 *
 * @param id the cluster's and what it is about: {@code main-c3.time-600.1790000000}
 * @param cluster id
 * @param sentence one line, the letter's subject
 * @param text the letter's; empty for one that is never sent
 * @param status of the letter
 * @param why it was not sent, or not yet; empty when nothing needs saying
 * @param to login name of whom it is for; empty for the cluster's owner
 */
public record NoticeRecord(
        String id, String cluster, String sentence, String text, Instant at, Status status, String why, String to)
        implements Entry {
    public NoticeRecord {
        // Absent in what earlier releases have journalled.
        to = to == null ? "" : to;
    }

    /** State of the letter. */
    public enum Status {
        /** There is none: it stands in the timeline only. */
        TOLD,
        WAITING,
        /** The mail server did not take it; it is tried again. */
        DELAYED,
        SENT,
        /** The letter was given up. */
        NOT_SENT;

        boolean isOver() {
            return this != WAITING && this != DELAYED;
        }
    }

    @Override
    public String kind() {
        return "notice";
    }

    @Override
    public String state() {
        return status.name();
    }

    @Override
    public Cause cause() {
        return Told.of(why.isEmpty() ? sentence : why);
    }

    /** Whether its letter is still to be sent. */
    @Override
    public boolean isLive() {
        return !status.isOver();
    }

    public NoticeRecord with(Status next, String reason) {
        return new NoticeRecord(id, cluster, sentence, text, at, next, reason, to);
    }
}
