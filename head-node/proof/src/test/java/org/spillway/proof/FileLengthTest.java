package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * Files are read in one sitting: none has more than 450 lines; of those that are no tests half have fewer than 90, and nine of
 * ten fewer than 250.
 */
final class FileLengthTest {
    private static final int MOST = 450;
    private static final int MEDIAN = 90;
    private static final int NINE_OF_TEN = 250;

    private static List<Integer> lengths(String kind, Map<String, Integer> longest) throws IOException {
        List<Integer> lengths = new ArrayList<>();
        for (Map.Entry<Path, String> source : HouseSources.of(kind).entrySet()) {
            int lines = (int) source.getValue().lines().count();
            lengths.add(lines);
            longest.merge(source.getKey().getFileName().toString().replace(".java", ""), lines, Math::max);
        }
        return lengths;
    }

    /** By name; of several files with one name that of the longest. */
    private static Map<String, Integer> lengths() throws IOException {
        Map<String, Integer> longest = new TreeMap<>();
        lengths("main", longest);
        lengths("test", longest);
        return longest;
    }

    private static Map<String, Integer> those(Map<String, Integer> lengths, Predicate<Map.Entry<String, Integer>> so) {
        Map<String, Integer> those = new TreeMap<>();
        lengths.entrySet().stream().filter(so).forEach(one -> those.put(one.getKey(), one.getValue()));
        return those;
    }

    @Test
    void noFileIsLongerThanMayBe() throws IOException {
        assertThat(those(lengths(), one -> one.getValue() > MOST)).isEmpty();
    }

    @Test
    void mostFilesThatAreNoTestsAreShort() throws IOException {
        List<Integer> sorted = lengths("main", new TreeMap<>());
        Collections.sort(sorted);
        assertThat(sorted.get(sorted.size() / 2)).as("median").isLessThan(MEDIAN);
        assertThat(sorted.get(sorted.size() * 9 / 10)).as("90th percentile").isLessThan(NINE_OF_TEN);
    }
}
