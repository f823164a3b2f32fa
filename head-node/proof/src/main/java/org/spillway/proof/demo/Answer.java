package org.spillway.proof.demo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The log's sums for each virtual cluster, by its name. Whole numbers all the way: two ways to compute it agree
 * exactly.
 */
record Answer(SortedMap<String, Line> clusters) {
    static final String HEADING = "cluster,jobs,gpu_seconds,gpu_hours,most_gpus";

    private static final int COLUMNS = 5;
    private static final long TENTHS_PER_TENTH_OF_HOUR = 3600;

    Answer {
        clusters = Collections.unmodifiableSortedMap(new TreeMap<>(clusters));
    }

    /**
     * A virtual cluster's sums.
     *
     * @param gpuSeconds with one decimal
     * @param gpuHours with one decimal, rounded half up
     * @param mostGpus of its largest job
     */
    record Line(long jobs, String gpuSeconds, String gpuHours, int mostGpus) {
        static Line of(long jobs, long tenths, int mostGpus) {
            long hours = (tenths + TENTHS_PER_TENTH_OF_HOUR / 2) / TENTHS_PER_TENTH_OF_HOUR;
            return new Line(jobs, tenths / 10 + "." + tenths % 10, hours / 10 + "." + hours % 10, mostGpus);
        }
    }

    /** Computed directly. @param rows of the log without its heading */
    static Answer of(List<String> rows) {
        var jobs = new TreeMap<String, Long>();
        var tenths = new TreeMap<String, Long>();
        var most = new TreeMap<String, Integer>();
        for (String row : rows) {
            String[] fields = row.split(",", -1);
            if (fields.length != COLUMNS || !fields[3].matches("\\d+\\.\\d")) {
                throw new IllegalArgumentException("not a row of the log: " + row);
            }
            jobs.merge(fields[4], 1L, Math::addExact);
            tenths.merge(fields[4], Long.parseLong(fields[3].replace(".", "")), Math::addExact);
            most.merge(fields[4], Integer.parseInt(fields[2]), Math::max);
        }
        var clusters = new TreeMap<String, Line>();
        jobs.forEach((name, count) ->
                clusters.put(name, Line.of(count, tenths.getOrDefault(name, 0L), most.getOrDefault(name, 0))));
        return new Answer(clusters);
    }

    /** As the merging job wrote it; a line that is not understood is left out, so that the answer is another one. */
    static Answer parse(List<String> text) {
        var clusters = new TreeMap<String, Line>();
        for (String line : text) {
            String[] fields = line.split(",", -1);
            if (fields.length == COLUMNS && fields[1].matches("\\d{1,18}") && fields[4].matches("\\d{1,9}")) {
                var read = new Line(Long.parseLong(fields[1]), fields[2], fields[3], Integer.parseInt(fields[4]));
                if (clusters.put(fields[0], read) != null) {
                    clusters.remove(fields[0]);
                }
            }
        }
        return new Answer(clusters);
    }

    /** The merging job's text, with its heading. */
    List<String> text() {
        var lines = new ArrayList<String>();
        lines.add(HEADING);
        clusters.forEach((name, line) ->
                lines.add(name + "," + line.jobs + "," + line.gpuSeconds + "," + line.gpuHours + "," + line.mostGpus));
        return lines;
    }
}
