package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.cause.Cause;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/**
 * A launch that a child cluster has asked for, written down before the provider is called.
 *
 * @param cluster the child's id
 * @param token of the request as the child's; the same token again is the same launch
 * @param request in the parent's site, with a digest in the place of its user data, which holds the child's secrets
 * @param prices of each offering that it may become, at least one
 * @param committedFor for so long its price is reserved from the call on
 * @param since when it came into its state
 * @param outcome what the provider has answered; null while that is not known
 * @param parts what it said of each offering
 * @param machines that were named in the answer, or seen in a listing
 * @param cause why it is in its state; none when nothing needs saying
 */
public record DelegatedRecord(
        String cluster,
        String token,
        LaunchRequest request,
        State status,
        List<Price> prices,
        Duration committedFor,
        Instant calledAt,
        Instant since,
        @Nullable LaunchOutcome outcome,
        List<LaunchAnswer.Part> parts,
        List<Machine> machines,
        Cause cause)
        implements Entry {
    public DelegatedRecord {
        prices = List.copyOf(prices);
        parts = List.copyOf(parts);
        machines = List.copyOf(machines);
    }

    /** State of the launch. Decision and call are one moment, so that there is none that was planned and not called. */
    public enum State {
        /** The provider was about to be called: anything may be true. */
        CALLED,
        /** The answer was lost, or named fewer than it said: a listing tells. All of its money stays reserved. */
        UNKNOWN,
        /** Every instance that will ever exist for it is named. */
        SETTLED,
        /** The provider said, or a proven absence showed, that nothing exists. */
        REFUSED,
        /** All of its instances are gone. What they have cost counts as long as the child exists. */
        ENDED,
        /** The child is gone. */
        CLOSED;

        Set<State> next() {
            return switch (this) {
                case CALLED -> Set.of(UNKNOWN, SETTLED, REFUSED);
                case UNKNOWN -> Set.of(SETTLED, REFUSED);
                case SETTLED -> Set.of(ENDED);
                // The same request once more; or it comes after all.
                case REFUSED -> Set.of(CALLED, SETTLED, CLOSED);
                // A twin comes after all.
                case ENDED -> Set.of(SETTLED, CLOSED);
                case CLOSED -> Set.of();
            };
        }
    }

    /** Price of one instance of an offering for an hour when it was asked for. */
    public record Price(OfferingId offering, Money pricePerHour) {}

    /** An instance of the launch. @param goneAt when it was proven gone; null while it may live */
    public record Machine(
            String id,
            OfferingId offering,
            Money pricePerHour,
            @Nullable Instant goneAt) {
        /** The machine lives after all, and has cost all the time. */
        public Machine back() {
            return new Machine(id, offering, pricePerHour, null);
        }

        public Machine goneAt(Instant now) {
            return new Machine(id, offering, pricePerHour, now);
        }
    }

    /** Of the dearest. */
    public Money pricePerHour() {
        return prices.stream()
                .map(Price::pricePerHour)
                .reduce(Money.ZERO, (one, other) -> one.isMoreThan(other) ? one : other);
    }

    /** Of what it became; the dearest when that was not asked for. */
    public Money priceOf(OfferingId offering) {
        return prices.stream()
                .filter(price -> price.offering().equals(offering))
                .map(Price::pricePerHour)
                .findFirst()
                .orElseGet(this::pricePerHour);
    }

    public static String id(String cluster, String token) {
        return cluster + "/" + token;
    }

    @Override
    public String kind() {
        return "delegated";
    }

    @Override
    public String id() {
        return id(cluster, token);
    }

    @Override
    public String state() {
        return status.name();
    }

    /** An ended launch too: its cost counts against the child's budget. */
    @Override
    public boolean isLive() {
        return status != State.REFUSED && status != State.CLOSED;
    }

    public String site() {
        return request.offering().site();
    }

    /** Whether its answer is still to come, or to be found. */
    public boolean isOpen() {
        return status == State.CALLED || status == State.UNKNOWN;
    }

    /** Instances that exist, or may. */
    public int instances() {
        return switch (status) {
            case CALLED, UNKNOWN -> Math.max(request.count(), living());
            case SETTLED -> living();
            case REFUSED, ENDED, CLOSED -> 0;
        };
    }

    private int living() {
        return (int)
                machines.stream().filter(machine -> machine.goneAt() == null).count();
    }

    /**
     * The amount that counts from a moment on: the larger of what is reserved and what has run, until it is proven
     * gone; what it has cost after that.
     */
    public Money spent(Instant from, Instant now) {
        Money sum = Money.ZERO;
        for (Machine machine : machines) {
            sum = sum.plus(cost(machine.pricePerHour(), machine.goneAt(), from, now));
        }
        if (isOpen()) {
            int unnamed = Math.max(0, request.count() - machines.size());
            sum = sum.plus(cost(pricePerHour(), null, from, now).times(unnamed));
        }
        return sum;
    }

    private Money cost(Money price, @Nullable Instant goneAt, Instant from, Instant now) {
        Instant to = goneAt;
        if (to == null) {
            Instant reserved = calledAt.plus(committedFor);
            to = reserved.isAfter(now) ? reserved : now;
        }
        Instant begin = calledAt.isAfter(from) ? calledAt : from;
        return to.isAfter(begin) ? price.perHourFor(Duration.between(begin, to)) : Money.ZERO;
    }

    /** The same in another state. */
    public DelegatedRecord to(State next, Cause why, Instant now) {
        return new DelegatedRecord(
                cluster,
                token,
                request,
                next,
                prices,
                committedFor,
                calledAt,
                next == status ? since : now,
                outcome,
                parts,
                machines,
                why);
    }

    public DelegatedRecord withMachines(List<Machine> others) {
        return new DelegatedRecord(
                cluster, token, request, status, prices, committedFor, calledAt, since, outcome, parts, others, cause);
    }

    public DelegatedRecord withAnswer(LaunchOutcome said, List<LaunchAnswer.Part> ofEach) {
        return new DelegatedRecord(
                cluster, token, request, status, prices, committedFor, calledAt, since, said, ofEach, machines, cause);
    }
}
