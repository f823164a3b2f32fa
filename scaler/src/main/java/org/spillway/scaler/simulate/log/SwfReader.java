package org.spillway.scaler.simulate.log;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Resources;

/**
 * Standard Workload Format, version 2: 18 numbers a line, -1 for unknown, comments after {@code ;}. It counts processors
 * and not nodes: a job that asks for more than a machine has gets as many alike nodes as it needs. Memory is in KiB for
 * each processor.
 *
 * <p>MetaCentrum's logs have three columns more: the nodes used, the name of the queue, and the request such as
 * {@code 8:ppn=8:x86_64}, whose first part tells the nodes. Memory is in bytes there, and taken as that of each node.
 */
final class SwfReader implements LogReader {
    private static final int FIELDS = 18;
    private static final int METACENTRUM_FIELDS = 21;
    private static final int MOST_PROCESSORS = 10_000_000;
    private static final Pattern COMMENT = Pattern.compile(";\\s*(\\w+):\\s*(\\d+).*");
    private static final Pattern REQUEST = Pattern.compile("(\\d{1,6})(:ppn=\\d+)?(:[^+]*)?");
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final List<NodeGroup> machines;
    private final Map<String, Long> comments = new HashMap<>();

    /** @param machines of a file beside the log; empty for none */
    SwfReader(List<NodeGroup> machines) {
        this.machines = machines;
    }

    @Override
    public void read(Lines lines, Collected into) throws IOException, BrokenLog {
        int largest =
                machines.stream().mapToInt(group -> group.each().cpus()).max().orElse(0);
        for (String line = lines.next(); line != null; line = lines.next()) {
            String text = line.strip();
            if (text.startsWith(";")) {
                Matcher comment = COMMENT.matcher(text);
                if (comment.matches() && comment.group(2).length() < 16) {
                    comments.put(comment.group(1).toLowerCase(Locale.ROOT), Long.valueOf(comment.group(2)));
                }
            } else if (!text.isEmpty()) {
                one(text, lines, largest == 0 ? nodeSize() : largest, into);
            }
        }
        into.machines(machines.isEmpty() ? fromComments() : machines);
    }

    private void one(String text, Lines lines, int largest, Collected into) throws BrokenLog {
        try {
            if (lines.wasCut()) {
                throw new Malformed("longer than " + Lines.MOST_CHARACTERS + " characters");
            }
            LoggedJob job = job(BLANKS.split(text), largest);
            if (job == null) {
                into.leaveOut();
            } else {
                into.add(job);
            }
        } catch (Malformed malformed) {
            into.broken(lines.number(), malformed.what());
        }
    }

    private @Nullable LoggedJob job(String[] fields, int largest) throws Malformed {
        if (fields.length < FIELDS) {
            throw new Malformed(fields.length + " fields instead of " + FIELDS);
        }
        // Of a job that had no end, some writers give the start with its sign changed.
        double runTime = Numbers.decimal("run time", fields[3], -1e11, 1e10);
        long used = Numbers.whole("processors", fields[4], -1, MOST_PROCESSORS);
        long asked = Numbers.whole("requested processors", fields[7], -1, MOST_PROCESSORS);
        long submit = Numbers.whole("submit time", fields[1], 0, 100_000_000_000L);
        double limit = Numbers.decimal("requested time", fields[8], -1, 1e10);
        double memory = Numbers.decimal("requested memory", fields[9], -1, 1e18);
        if (runTime <= 0) {
            return null;
        }
        int processors = (int) (asked > 0 ? asked : used);
        if (processors <= 0) {
            throw new Malformed("neither requested nor used processors are known");
        }
        boolean metacentrum = fields.length >= METACENTRUM_FIELDS && fields[18].startsWith("{");
        int nodes = metacentrum ? nodesOf(fields[20]) : (processors + largest - 1) / largest;
        int each = (processors + nodes - 1) / nodes;
        long bytes = memory <= 0 ? 0 : metacentrum ? (long) memory : (long) Math.min(1e18, memory * 1024 * each);
        return new LoggedJob(
                fields[0],
                Instant.ofEpochSecond(submit + start(submit)),
                Numbers.seconds("run time", fields[3]),
                nodes,
                Resources.of(each, bytes, 0),
                limit <= 0 ? null : Duration.ofMillis((long) (limit * 1000)),
                metacentrum ? fields[19] : known(fields[14]),
                known(fields[11]),
                known(fields[12]),
                0,
                null);
    }

    /** Submit times count from the log's start, or are times of their own. */
    private long start(long submit) {
        long start = comments.getOrDefault("unixstarttime", 0L);
        return submit >= start ? 0 : start;
    }

    private static String known(String text) {
        return text.equals("-1") ? "" : text;
    }

    private static int nodesOf(String request) throws Malformed {
        long nodes = 0;
        for (String part : request.split("\\+", -1)) {
            Matcher matcher = REQUEST.matcher(part);
            // A name instead of a number is one node of that name.
            nodes += matcher.matches() ? Long.parseLong(matcher.group(1)) : 1;
        }
        if (nodes < 1 || nodes > MOST_PROCESSORS) {
            throw new Malformed("the request is '" + request + "', for no node");
        }
        return (int) nodes;
    }

    private int nodeSize() {
        long nodes = comments.getOrDefault("maxnodes", 0L);
        long processors = comments.getOrDefault("maxprocs", 0L);
        return nodes > 0 && processors >= nodes && processors / nodes <= 4096 ? (int) (processors / nodes) : 64;
    }

    private List<NodeGroup> fromComments() {
        long nodes = comments.getOrDefault("maxnodes", 0L);
        if (nodes < 1 || nodes > 1_000_000) {
            return List.of();
        }
        int cpus = nodeSize();
        return List.of(new NodeGroup("node", (int) nodes, Resources.of(cpus, cpus * (4L << 30), 0)));
    }
}
