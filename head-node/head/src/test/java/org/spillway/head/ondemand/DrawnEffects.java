package org.spillway.head.ondemand;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.spillway.head.loop.port.Effects;

/** Effects that take hold, and come back, when the story says so; those of a killed head may take hold all the same. */
final class DrawnEffects implements Effects {
    private final Random random;
    private final Map<String, Callable<Runnable>> begun = new LinkedHashMap<>();
    private final Map<String, Runnable> ended = new LinkedHashMap<>();

    DrawnEffects(Random random) {
        this.random = random;
    }

    @Override
    public boolean isUnderWay(String key) {
        return begun.containsKey(key) || ended.containsKey(key);
    }

    @Override
    public <T> void begin(String key, Callable<T> call, Consumer<T> done, Consumer<Exception> failed) {
        if (!isUnderWay(key)) {
            begun.put(key, () -> {
                try {
                    T answer = call.call();
                    return () -> done.accept(answer);
                } catch (Exception failure) {
                    return () -> failed.accept(failure);
                }
            });
        }
    }

    void step(int oneIn) throws Exception {
        for (String key : List.copyOf(begun.keySet())) {
            if (random.nextInt(oneIn) == 0) {
                ended.put(key, begun.remove(key).call());
            }
        }
    }

    @Override
    public void handBack() {
        for (String key : List.copyOf(ended.keySet())) {
            ended.remove(key).run();
        }
    }
}
