package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How far the data of jobs has come, and where some of it may lie. Effects count bytes and see where a job is bound on
 * threads of their own, and REST reads what has moved; all else is for the loop's thread.
 */
public final class Transfers {
    private static final long RATE_UNKNOWN = 20_000_000;
    private static final long RATE_BYTES = 256 << 10;

    private final Map<String, Long> in = new ConcurrentHashMap<>();
    private final Map<String, Long> out = new ConcurrentHashMap<>();
    private final Map<String, Long> inputBytes = new ConcurrentHashMap<>();
    private final Map<String, Integer> inputFiles = new ConcurrentHashMap<>();
    private final Map<String, Meter> meters = new ConcurrentHashMap<>();
    private final LongSupplier nanos;
    private final Map<String, Instant> boundAt = new ConcurrentHashMap<>();
    private final Map<String, Long> rates = new HashMap<>();
    private final Map<String, Set<String>> left = new HashMap<>();

    public Transfers() {
        this(System::nanoTime);
    }

    /** @param nanos a clock that never jumps */
    Transfers(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** This head binds a job to a site: what was copied for the one before counts no more. */
    public void bound(String job, Instant now) {
        boundAt.put(job, now);
        in.remove(job);
        meters.remove(job);
    }

    /** The job has no site any more, and its data may be another when it has one again. */
    public void unbound(String job) {
        boundAt.remove(job);
        inputBytes.remove(job);
        inputFiles.remove(job);
        in.remove(job);
        meters.remove(job);
    }

    /** When this head bound it to its site; null when an earlier one did, or it has none. Any thread. */
    public @Nullable Instant boundAt(String job) {
        return boundAt.get(job);
    }

    /** Whether it was not bound anew since. Any thread. @param then as {@link #boundAt} said */
    public boolean isBoundAsOf(String job, @Nullable Instant then) {
        return Objects.equals(then, boundAt.get(job));
    }

    /** Bytes of its input that a copy has moved so far. Any thread. */
    public void movedIn(String job, long bytes) {
        in.put(job, bytes);
        meter(job).note(bytes, nanos.getAsLong());
    }

    /** Any thread. */
    public long movedIn(String job) {
        return in.getOrDefault(job, 0L);
    }

    /** Bytes of its results that have come home so far. Any thread. */
    public void movedOut(String job, long bytes) {
        out.put(job, bytes);
        meter(out(job)).note(bytes, nanos.getAsLong());
    }

    private static String out(String job) {
        return job + ">";
    }

    private Meter meter(String of) {
        return meters.computeIfAbsent(of, any -> new Meter());
    }

    /** How fast its input moves, in bytes a second; 0 when nothing moves. Any thread. */
    public long rateIn(String job) {
        Meter known = meters.get(job);
        return known == null ? 0 : known.bytesPerSecond(nanos.getAsLong());
    }

    /** The same of its results. Any thread. */
    public long rateOut(String job) {
        return rateIn(out(job));
    }

    /** Any thread. */
    public long movedOut(String job) {
        return out.getOrDefault(job, 0L);
    }

    /** The size of its whole input is known. Any thread. */
    public void inputIs(String job, int files, long bytes) {
        inputFiles.put(job, files);
        inputBytes.put(job, bytes);
    }

    /** Of its whole input; 0 before anybody has looked. Any thread. */
    public long inputBytes(String job) {
        return inputBytes.getOrDefault(job, 0L);
    }

    /** Of its whole input; 0 before anybody has looked. Any thread. */
    public int inputFiles(String job) {
        return inputFiles.getOrDefault(job, 0);
    }

    /** Empty before anybody has looked. */
    public OptionalLong inputBytesIfKnown(String job) {
        Long known = inputBytes.get(job);
        return known == null ? OptionalLong.empty() : OptionalLong.of(known);
    }

    /** How fast input reaches a site: a moving average of what was measured. */
    public long bytesPerSecond(String site) {
        return rates.getOrDefault(site, RATE_UNKNOWN);
    }

    /** Short transfers say more about latency than about the rate, and are not counted. */
    public void measured(String site, long bytes, Duration took) {
        if (bytes >= RATE_BYTES && took.toMillis() > 0) {
            long rate = Math.max(1, bytes * 1000 / took.toMillis());
            rates.merge(site, rate, (old, last) -> (old * 7 + last * 3) / 10);
        }
    }

    /** Something of the job may lie in that site, and nobody needs it there. */
    public void leftBehind(String job, String site) {
        left.computeIfAbsent(job, id -> new HashSet<>()).add(site);
    }

    /** Nothing of the job is left there. */
    public void cleaned(String job, String site) {
        Set<String> sites = left.get(job);
        if (sites != null && sites.remove(site) && sites.isEmpty()) {
            left.remove(job);
        }
    }

    /** Sites where something of a job may lie that nobody needs, by job. */
    public Map<String, Set<String>> leftBehind() {
        Map<String, Set<String>> all = HashMap.newHashMap(left.size());
        left.forEach((job, sites) -> all.put(job, new HashSet<>(sites)));
        return all;
    }

    /** A bundle that was left behind is not forgotten: it is removed yet. */
    public void forget(String job) {
        unbound(job);
        meters.remove(out(job));
        out.remove(job);
    }
}
