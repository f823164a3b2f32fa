package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.head.loop.port.Effects;

/**
 * Effects of one life of the head. Each takes hold in the world a drawn time after it was begun, and its end comes back
 * a drawn time after that. When the head dies, what is still on the wire may or may not arrive.
 */
final class SimEffects implements Effects {
    /** The longest from the beginning of an effect to the moment at which it takes hold. */
    static final int WIRE_MILLIS_MAX = 300;

    private static final class Pending {
        final String key;
        final Callable<Runnable> run;
        final Instant runAt;
        final Instant backAt;

        @Nullable
        Runnable end;

        boolean ran;

        Pending(String key, Callable<Runnable> run, Instant runAt, Instant backAt) {
            this.key = key;
            this.run = run;
            this.runAt = runAt;
            this.backAt = backAt;
        }
    }

    private final Map<String, Pending> underWay = new LinkedHashMap<>();
    private final SimClock clock;
    private final Draw draw;

    SimEffects(SimClock clock, Draw draw) {
        this.clock = clock;
        this.draw = draw;
    }

    @Override
    public boolean isUnderWay(String key) {
        return underWay.containsKey(key);
    }

    @Override
    public <T> void begin(String key, Callable<T> call, Consumer<T> done, Consumer<Exception> failed) {
        if (underWay.containsKey(key)) {
            return;
        }
        Callable<Runnable> run = () -> {
            try {
                T result = call.call();
                return () -> done.accept(result);
            } catch (Broken broken) {
                throw broken;
            } catch (Exception e) {
                return () -> failed.accept(e);
            }
        };
        Instant runAt = clock.now().plusMillis(draw.between(0, WIRE_MILLIS_MAX));
        underWay.put(key, new Pending(key, run, runAt, runAt.plusMillis(draw.between(0, 400))));
    }

    /** Lets take hold what is due. */
    void step() {
        for (Pending pending : new ArrayList<>(underWay.values())) {
            if (!pending.ran && !clock.now().isBefore(pending.runAt)) {
                run(pending);
            }
        }
    }

    private static void run(Pending pending) {
        pending.ran = true;
        try {
            pending.end = pending.run.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void handBack() {
        List<Pending> due = new ArrayList<>();
        underWay.values().forEach(pending -> {
            if (pending.ran && !clock.now().isBefore(pending.backAt)) {
                due.add(pending);
            }
        });
        for (Pending pending : due) {
            underWay.remove(pending.key);
            if (pending.end != null) {
                pending.end.run();
            }
        }
    }

    /** The head is dead: half of what was sent arrives all the same, nobody hears the answers. */
    void abandon() {
        for (Pending pending : underWay.values()) {
            if (!pending.ran && draw.chance(0.5)) {
                run(pending);
            }
        }
        underWay.clear();
    }
}
