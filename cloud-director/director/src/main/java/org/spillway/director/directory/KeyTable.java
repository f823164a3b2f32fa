package org.spillway.director.directory;

import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Values by keys that are hashes already, in two arrays: 15 to 30 bytes for each in the place of a map's 60, which is what
 * 200,000 users in five indexes are held by. Open addressing with linear probing; what is removed leaves no mark, those
 * behind it move up (Knuth, The Art of Computer Programming 3, 6.4, algorithm R). Not safe for threads.
 */
final class KeyTable {
    private static final int LEAST = 16;
    /** Spreads keys over the table: Fibonacci hashing, Knuth 6.4. */
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private long[] keys = new long[LEAST];
    private @Nullable Object[] values = new Object[LEAST];
    private int size;

    @Nullable
    Object get(long key) {
        return values[place(key)];
    }

    void put(long key, Object value) {
        int place = place(key);
        if (values[place] == null) {
            if (5 * (size + 1) > 4 * keys.length) {
                resize(2 * keys.length);
                place = place(key);
            }
            keys[place] = key;
            size++;
        }
        values[place] = value;
    }

    void remove(long key) {
        int hole = place(key);
        if (values[hole] == null) {
            return;
        }
        int mask = keys.length - 1;
        for (int next = (hole + 1) & mask; values[next] != null; next = (next + 1) & mask) {
            // A key whose search passes the hole on its way moves into it.
            if (((next - home(keys[next])) & mask) >= ((next - hole) & mask)) {
                keys[hole] = keys[next];
                values[hole] = values[next];
                hole = next;
            }
        }
        values[hole] = null;
        size--;
        if (keys.length > LEAST && 6 * size < keys.length) {
            resize(keys.length / 2);
        }
    }

    Stream<Object> values() {
        return Arrays.stream(values).mapMulti((value, taken) -> {
            if (value != null) {
                taken.accept(value);
            }
        });
    }

    /** Where a key is, or would be. */
    private int place(long key) {
        int mask = keys.length - 1;
        int place = home(key);
        while (values[place] != null && keys[place] != key) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private int home(long key) {
        return (int) ((key * GOLDEN) >>> (Long.numberOfLeadingZeros(keys.length) + 1));
    }

    private void resize(int length) {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[length];
        values = new Object[length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != null) {
                int place = place(oldKeys[i]);
                keys[place] = oldKeys[i];
                values[place] = oldValues[i];
            }
        }
    }
}
