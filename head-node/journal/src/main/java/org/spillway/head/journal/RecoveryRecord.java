package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/**
 * A machine that no node of the journal owned when it was seen, and what became of it; or, under the id {@link
 * #QUARANTINE}, the end of a quarantine.
 *
 * @param id {@code SITE/INSTANCE}
 * @param cause why it is in its state
 * @param since when it entered it
 */
public record RecoveryRecord(String id, State found, Cause cause, Instant since, Machine machine) implements Entry {
    public static final String QUARANTINE = "quarantine";

    /** The state of a machine; what is not known to be over costs. */
    public enum State {
        /** Nobody has chosen yet. */
        FOUND,
        /** Never ended by the head, also when the quarantine is over. */
        KEPT,
        /** To be ended as soon as two listings show it without an owner. */
        ENDING,
        /** A node of the journal has it: its cost is that one's. */
        ADOPTED,
        GONE,
        /** Of the quarantine itself. */
        RELEASED
    }

    /**
     * The machine as it was first listed.
     *
     * @param role as its tag says; empty for none
     * @param tag of the start of a head that bought it; empty for none
     * @param owner whose name it bears; empty for none
     * @param pricePerHour of its offering; the highest of its site where that is not offered
     * @param to when it was first missed; null while it is there
     */
    public record Machine(
            String site,
            String instance,
            OfferingId offering,
            String role,
            String tag,
            String owner,
            Instant launchedAt,
            Money pricePerHour,
            @Nullable Instant to) {
        Machine until(@Nullable Instant end) {
            return new Machine(site, instance, offering, role, tag, owner, launchedAt, pricePerHour, end);
        }

        /** The epoch of the state that bought it; 0 when its tag does not say. */
        public int epoch() {
            int first = tag.indexOf('.');
            int last = tag.lastIndexOf('.');
            String epoch = first < last ? tag.substring(first + 1, last) : "";
            return epoch.matches("\\d{1,9}") ? Integer.parseInt(epoch) : 0;
        }

        /** Whether the state of that tag, in whichever epoch, has bought it; true where it bears none. */
        public boolean isOf(String ours) {
            int end = ours.indexOf('.');
            return tag.isEmpty() || end < 0 || tag.startsWith(ours.substring(0, end + 1));
        }
    }

    public static String id(String site, String instance) {
        return site + "/" + instance;
    }

    public static RecoveryRecord found(Machine machine, Cause why, Instant now) {
        return new RecoveryRecord(id(machine.site, machine.instance), State.FOUND, why, now, machine);
    }

    public RecoveryRecord to(State next, Cause why, Instant now) {
        return new RecoveryRecord(id, next, why, next == found ? since : now, machine);
    }

    /** The machine was not listed from then on. */
    public RecoveryRecord gone(Cause why, Instant missed, Instant now) {
        return new RecoveryRecord(id, State.GONE, why, now, machine.until(missed));
    }

    /** With its price, from its launch on, when that was not known at first. */
    public RecoveryRecord priced(Money perHour) {
        return new RecoveryRecord(
                id,
                found,
                cause,
                since,
                new Machine(
                        machine.site,
                        machine.instance,
                        machine.offering,
                        machine.role,
                        machine.tag,
                        machine.owner,
                        machine.launchedAt,
                        perHour,
                        machine.to));
    }

    @Override
    public String kind() {
        return "recovery";
    }

    @Override
    public String state() {
        return found.name();
    }

    @Override
    public boolean isLive() {
        return switch (found) {
            case FOUND, KEPT, ENDING -> true;
            case ADOPTED, GONE, RELEASED -> false;
        };
    }

    /** The amount that it has cost from the later of {@code start} and its launch; none for what a node has cost. */
    public Money costSince(Instant start, Instant now) {
        if (found == State.ADOPTED || found == State.RELEASED) {
            return Money.ZERO;
        }
        Instant from = machine.launchedAt.isAfter(start) ? machine.launchedAt : start;
        Instant to = machine.to == null ? now : machine.to;
        return to.isAfter(from) ? machine.pricePerHour.perHourFor(Duration.between(from, to)) : Money.ZERO;
    }
}
