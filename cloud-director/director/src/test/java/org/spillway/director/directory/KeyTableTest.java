package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class KeyTableTest {
    private static final int STEPS = 20_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 40, 5_000})
    void whatAMapWouldHaveIsThere(int different) {
        long seed = Long.getLong("spillway.seed", System.nanoTime());
        var random = new Random(seed);
        long[] keys = random.longs(different).toArray();
        var table = new KeyTable();
        Map<Long, Object> map = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            long key = keys[random.nextInt(different)];
            // Waves, so that it grows and shrinks.
            if (random.nextInt(100) < (step / 4_000 % 2 == 0 ? 80 : 20)) {
                table.put(key, step);
                map.put(key, step);
            } else {
                table.remove(key);
                map.remove(key);
            }
            long asked = keys[random.nextInt(different)];
            assertThat(table.get(asked)).as("seed %s, step %s", seed, step).isEqualTo(map.get(asked));
        }
        assertThat(table.values().count()).as("seed %s", seed).isEqualTo(map.size());
        assertThat(table.values().collect(Collectors.toSet()))
                .as("seed %s", seed)
                .isEqualTo(new HashSet<>(map.values()));
    }
}
