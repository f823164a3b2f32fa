package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Jobs that no node would help, as others have the licences that they ask for. Pure. */
final class Licences {
    /** {@code matlab}, {@code matlab:2}; of a server far away {@code matlab@server:2}. */
    private static final Pattern ONE = Pattern.compile("([^:=|]+)(?:[:=](\\d{1,9}))?");

    private Licences() {}

    /**
     * In the order in which Slurm would serve them, each waiting job takes what is left.
     *
     * @param waiting jobs that nodes would help otherwise
     * @param free of each licence now, by name
     * @return why the others wait, by their numbers
     */
    static Map<String, String> missing(List<JobBook.Item> waiting, Map<String, Integer> free) {
        List<JobBook.Item> asking = new ArrayList<>(waiting.stream()
                .filter(item -> !item.row().licences().isEmpty())
                .toList());
        if (asking.isEmpty()) {
            return Map.of();
        }
        asking.sort(Comparator.comparingLong((JobBook.Item item) -> -item.row().priority())
                .thenComparing(item -> item.row().submittedAt())
                .thenComparingLong(item -> item.row().array())
                .thenComparingInt(JobBook.Item::index));
        Map<String, Integer> left = new HashMap<>(free);
        Map<String, String> missing = new HashMap<>();
        for (JobBook.Item item : asking) {
            String why = take(item.row().licences(), left);
            if (!why.isEmpty()) {
                missing.put(item.number(), why);
            }
        }
        return missing;
    }

    /** @return why it cannot have them, and has taken none then; empty when it has */
    private static String take(List<String> licences, Map<String, Integer> left) {
        Map<String, Integer> wanted = new HashMap<>();
        for (String text : licences) {
            var matcher = ONE.matcher(text);
            if (!matcher.matches()) {
                return "--licenses is supported on cloud partitions as NAME:COUNT with commas between them";
            }
            int count = matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2));
            wanted.merge(matcher.group(1), count, Integer::sum);
        }
        for (Map.Entry<String, Integer> one : wanted.entrySet()) {
            int there = left.getOrDefault(one.getKey(), 0);
            if (there < one.getValue()) {
                return "it waits for " + one.getValue() + " licences " + one.getKey() + ", of which "
                        + Math.max(0, there) + " are left: no node is bought meanwhile";
            }
        }
        wanted.forEach((name, count) -> left.merge(name, -count, Integer::sum));
        return "";
    }
}
