package org.spillway.scaler.simulate.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Findings of one reading so far. */
final class Collected {
    /** Named of the broken lines; the others are counted. */
    private static final int MOST_NAMED = 20;

    private static final int MOST_JOBS = 20_000_000;

    private final String source;
    private final LogFormat format;
    private final List<LoggedJob> jobs = new ArrayList<>();
    private final List<String> named = new ArrayList<>();
    private List<NodeGroup> machines = List.of();
    private int broken;
    private int leftOut;

    Collected(String source, LogFormat format) {
        this.source = source;
        this.format = format;
    }

    void add(LoggedJob job) throws BrokenLog {
        if (jobs.size() == MOST_JOBS) {
            throw new BrokenLog(source + " has more than " + MOST_JOBS + " jobs", List.of(), false);
        }
        jobs.add(job);
    }

    void leaveOut() {
        leftOut++;
    }

    void broken(long line, String what) {
        broken++;
        if (named.size() < MOST_NAMED) {
            named.add(source + ":" + line + ": " + plain(what));
        }
    }

    void machines(List<NodeGroup> found) {
        machines = found;
    }

    /** @param lenient whether broken lines are skipped */
    WorkloadLog done(boolean lenient) throws BrokenLog {
        if (broken > 0 && !lenient) {
            throw new BrokenLog(source + " has " + lines(broken), named, true);
        }
        if (jobs.isEmpty()) {
            throw new BrokenLog(source + " has no job that ran", named, false);
        }
        jobs.sort(Comparator.comparing(LoggedJob::submit));
        return new WorkloadLog(source, format, jobs, machines, leftOut, broken, named);
    }

    private static String lines(int count) {
        return count == 1 ? "1 broken line" : count + " broken lines";
    }

    private static String plain(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}]+", "?");
        return line.length() <= 160 ? line : line.substring(0, 157) + "...";
    }
}
