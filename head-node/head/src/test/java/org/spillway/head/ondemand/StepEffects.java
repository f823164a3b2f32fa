package org.spillway.head.ondemand;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.spillway.head.loop.port.Effects;

/** Effects that end when the test says so. */
final class StepEffects implements Effects {
    private final Map<String, Runnable> underWay = new HashMap<>();
    /** None of them ends. */
    boolean stuck;

    /** As a head that is killed. */
    void forget() {
        underWay.clear();
    }

    @Override
    public boolean isUnderWay(String key) {
        return underWay.containsKey(key);
    }

    @Override
    public <T> void begin(String key, Callable<T> call, Consumer<T> done, Consumer<Exception> failed) {
        underWay.putIfAbsent(key, () -> {
            T result;
            try {
                result = call.call();
            } catch (Exception failure) {
                failed.accept(failure);
                return;
            }
            done.accept(result);
        });
    }

    @Override
    public void handBack() {
        if (!stuck) {
            var ended = List.copyOf(underWay.values());
            underWay.clear();
            ended.forEach(Runnable::run);
        }
    }
}
