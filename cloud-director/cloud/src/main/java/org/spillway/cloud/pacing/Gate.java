package org.spillway.cloud.pacing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.RateLimits;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;

/** Lets a site's calls through as its limits allow, and makes those again that the provider throttled. */
final class Gate {
    private static final int MOST_UNDER_WAY = 32;
    private final Pacing pacing;
    private final InstantSource clock;
    private final Pause pause;
    private final RandomGenerator random;
    private final TokenBucket instances;
    private final TokenBucket launches;
    private final TokenBucket changes;
    private final TokenBucket reads;
    private final List<CallMeter> meters = new ArrayList<>();
    /** Calls for which tokens were taken. */
    private final Map<CallMeter.Kind, Long> paid = new EnumMap<>(CallMeter.Kind.class);

    private final Semaphore lines;
    /** A launch may be followed for minutes: it must not keep terminations and listings waiting. */
    private final Semaphore launchLines;
    /** Large launches wait long for tokens: a line of their own keeps small ones from overtaking them for ever. */
    private final ReentrantLock launchQueue = new ReentrantLock(true);

    Gate(RateLimits limits, Pacing pacing, InstantSource clock, Pause pause, RandomGenerator random) {
        this.pacing = pacing;
        this.clock = clock;
        this.pause = pause;
        this.random = random;
        Instant now = clock.instant();
        this.instances = new TokenBucket(limits.instances(), now);
        this.launches = new TokenBucket(limits.launches(), now);
        this.changes = new TokenBucket(limits.changes(), now);
        this.reads = new TokenBucket(limits.reads(), now);
        this.lines = new Semaphore(pacing.callsInFlight(), true);
        this.launchLines = new Semaphore(pacing.callsInFlight(), true);
    }

    /** A call that may be made again without harm. */
    interface Call<T> {
        T make() throws CloudException;
    }

    /** A call of a launch; what it could throw stands in its answer. */
    interface LaunchCall {
        LaunchAnswer make();
    }

    /** So many tokens of a bucket. */
    private record Need(TokenBucket bucket, int tokens) {}

    <T> T read(Call<T> call) throws CloudException {
        return again(List.of(new Need(reads, 1)), call);
    }

    <T> T change(Call<T> call) throws CloudException {
        return again(List.of(new Need(changes, 1)), call);
    }

    /** Only what was refused as throttled is asked again: after any other answer something may exist. */
    LaunchAnswer launch(int count, LaunchCall call) {
        List<Need> needs = List.of(new Need(instances, count), new Need(launches, 1), new Need(changes, 1));
        for (int attempt = 1; ; attempt++) {
            Optional<String> held = enterInTurn(needs);
            if (held.isPresent()) {
                return new LaunchAnswer(new LaunchOutcome.Refused(Reason.THROTTLED, held.get()), List.of());
            }
            LaunchAnswer answer;
            try {
                answer = call.make();
            } finally {
                launchLines.release();
            }
            boolean throttled = answer.outcome() instanceof LaunchOutcome.Refused no && no.reason() == Reason.THROTTLED;
            if (!throttled || attempt >= pacing.attempts() || !restAfter(attempt)) {
                return answer;
            }
        }
    }

    /** A call of many steps, which may be half done when it fails: whoever asked decides when it is made again. */
    <T> T changeOnce(Call<T> call) throws CloudException {
        return again(List.of(new Need(changes, 1)), call, 1);
    }

    private <T> T again(List<Need> needs, Call<T> call) throws CloudException {
        return again(needs, call, pacing.attempts());
    }

    private <T> T again(List<Need> needs, Call<T> call, int attempts) throws CloudException {
        for (int attempt = 1; ; attempt++) {
            Optional<String> held = enter(needs, lines);
            if (held.isPresent()) {
                throw new CloudException(Reason.THROTTLED, held.get());
            }
            CloudException failed;
            try {
                return call.make();
            } catch (CloudException failure) {
                failed = failure;
            } finally {
                lines.release();
            }
            if (failed.reason() != Reason.THROTTLED || attempt >= attempts || !restAfter(attempt)) {
                throw failed;
            }
        }
    }

    private Optional<String> enterInTurn(List<Need> needs) {
        try {
            if (!launchQueue.tryLock(pacing.longestWait().toMillis(), TimeUnit.MILLISECONDS)) {
                return held(
                        "other launches have waited for " + pacing.longestWait().toSeconds() + " s");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return held("interrupted");
        }
        try {
            return enter(needs, launchLines);
        } finally {
            launchQueue.unlock();
        }
    }

    /** Takes tokens and a line, which the caller gives back. @return why the call must not be made; empty if it may */
    private Optional<String> enter(List<Need> needs, Semaphore free) {
        try {
            Optional<String> none = await(needs);
            if (none.isEmpty() && !free.tryAcquire(pacing.longestWait().toMillis(), TimeUnit.MILLISECONDS)) {
                return held(pacing.callsInFlight() + " calls are under way, and none has ended");
            }
            return none;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return held("interrupted");
        }
    }

    private static Optional<String> held(String why) {
        return Optional.of("held back, not sent: " + why);
    }

    /** Full jitter: anything between nothing and the most. @return false if interrupted */
    private boolean restAfter(int failures) {
        long most = pacing.mostAfter(failures).toNanos();
        try {
            pause.sleep(Duration.ofNanos(most == 0 ? 0 : random.nextLong(most)));
            return true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Takes all of it at one moment. @return why it is not to be had in time; empty when it was taken */
    private Optional<String> await(List<Need> needs) throws InterruptedException {
        Instant last = clock.instant().plus(pacing.longestWait());
        while (true) {
            Duration wait = takeOrWait(needs);
            if (wait.isZero()) {
                return Optional.empty();
            }
            if (clock.instant().plus(wait).isAfter(last)) {
                return held("the account's rate limit leaves nothing for another " + wait.toMillis() + " ms");
            }
            pause.sleep(wait);
        }
    }

    /** Calls that a driver has sent by itself are taken from the buckets, too. */
    synchronized void counts(CallMeter meter) {
        meters.add(meter);
    }

    /** Calls beyond the tokens that were taken for them: further pages, and looks at what was accepted. */
    private void charge(TokenBucket bucket, CallMeter.Kind kind, Instant now) {
        long sent = meters.stream().mapToLong(meter -> meter.total(kind)).sum();
        long beyond = sent - paid.getOrDefault(kind, 0L);
        if (beyond > 0) {
            bucket.charge(beyond, now);
            paid.put(kind, sent);
        } else if (-beyond > MOST_UNDER_WAY) {
            // A call that was let through and sent nothing, such as an answer from memory, is no credit for others.
            paid.put(kind, sent + MOST_UNDER_WAY);
        }
    }

    private synchronized Duration takeOrWait(List<Need> needs) {
        Instant now = clock.instant();
        charge(reads, CallMeter.Kind.READ, now);
        charge(changes, CallMeter.Kind.CHANGE, now);
        Duration wait = Duration.ZERO;
        for (Need need : needs) {
            Duration until = need.bucket().untilHas(need.tokens(), now);
            wait = until.compareTo(wait) > 0 ? until : wait;
        }
        if (wait.isZero()) {
            needs.forEach(need -> {
                need.bucket().take(need.tokens(), now);
                if (need.bucket() == reads) {
                    paid.merge(CallMeter.Kind.READ, (long) need.tokens(), Long::sum);
                } else if (need.bucket() == changes) {
                    paid.merge(CallMeter.Kind.CHANGE, (long) need.tokens(), Long::sum);
                }
            });
        }
        return wait;
    }
}
