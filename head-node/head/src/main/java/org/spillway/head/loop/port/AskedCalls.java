package org.spillway.head.loop.port;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Paces effects: what failed or was only asked for is begun again after a pause. Loop thread only. */
public final class AskedCalls {
    /** Longer than any pause between two tries. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final Effects effects;
    private final Map<String, Instant> askedAt = new HashMap<>();
    private Instant sweptAt;

    public AskedCalls(Effects effects, Instant now) {
        this.effects = effects;
        this.sweptAt = now;
    }

    /** Whether an effect that failed or was only asked for may be begun again; remembers that it is. */
    public boolean mayAskAgain(String key, Instant now, Duration pause) {
        if (!mayAsk(key, now, pause)) {
            return false;
        }
        askedAt.put(key, now);
        return true;
    }

    /** As {@link #mayAskAgain}, and remembers nothing. */
    public boolean mayAsk(String key, Instant now, Duration pause) {
        Instant last = askedAt.get(key);
        return !effects.isUnderWay(key) && (last == null || !now.isBefore(last.plus(pause)));
    }

    /** The call was not begun after all, or nobody will ask for it again. */
    public void forget(String key) {
        askedAt.remove(key);
    }

    /** Lets go of what was asked for so long ago that no pause reaches back to it: else each job would leave a trace. */
    public void forgetOld(Instant now) {
        if (now.isAfter(sweptAt.plus(KEPT))) {
            sweptAt = now;
            askedAt.values().removeIf(asked -> asked.isBefore(now.minus(KEPT)));
        }
    }
}
