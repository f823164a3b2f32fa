package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rows of a workload log: time of submission, duration, GPUs, GPU time, virtual cluster.
 *
 * @param rows without the heading
 */
record WorkloadLog(String heading, List<String> rows) {
    private static final int MONTH = "2017-10".length();

    WorkloadLog {
        rows = List.copyOf(rows);
    }

    /** The excerpt that comes with Spillway; its README says where it is from. */
    static WorkloadLog excerpt() throws IOException {
        List<String> lines = resource("philly.csv").lines().toList();
        return new WorkloadLog(lines.getFirst(), lines.subList(1, lines.size()));
    }

    static String resource(String name) throws IOException {
        try (var in = WorkloadLog.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is missing: this is not a complete build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static String cluster(String row) {
        return row.substring(row.lastIndexOf(',') + 1);
    }

    /** Names of the virtual clusters, that with the most jobs first. */
    List<String> clusters() {
        Map<String, Integer> jobs = new TreeMap<>();
        rows.forEach(row -> jobs.merge(cluster(row), 1, Integer::sum));
        List<String> names = new ArrayList<>(jobs.keySet());
        names.sort(Comparator.comparing((String name) -> jobs.getOrDefault(name, 0))
                .reversed()
                .thenComparing(Comparator.naturalOrder()));
        return names;
    }

    /** A file for each virtual cluster and month, as {@code CLUSTER/2017-10.csv}, with its rows. */
    SortedMap<String, List<String>> slices() {
        var slices = new TreeMap<String, List<String>>();
        for (String row : rows) {
            String name = cluster(row) + "/" + row.substring(0, MONTH) + ".csv";
            slices.computeIfAbsent(name, fresh -> new ArrayList<>(List.of(heading)))
                    .add(row);
        }
        return slices;
    }
}
