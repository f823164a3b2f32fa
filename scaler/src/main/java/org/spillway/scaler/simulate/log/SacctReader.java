package org.spillway.scaler.simulate.log;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Resources;

/**
 * {@code sacct -P}, whose first line names the columns. Needed: JobID, Submit, ElapsedRaw or Elapsed, and one of ReqCPUS,
 * AllocCPUS, NCPUS. Used where they are there: NNodes, ReqMem, ReqTRES or AllocTRES, Timelimit or TimelimitRaw, Partition,
 * User, Account, State, Deadline. Steps are passed over. Times have no zone and count as UTC.
 */
final class SacctReader implements LogReader {
    private static final Set<String> NOT_ENDED =
            Set.of("PENDING", "RUNNING", "SUSPENDED", "REQUEUED", "CONFIGURING", "COMPLETING", "RESIZING");
    private static final Pattern GPU = Pattern.compile("gres/gpu(?::([A-Za-z0-9_.-]{1,40}))?=(\\d{1,6})");
    private static final Pattern MEMORY = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,6})?)([KMGTP]?)([cn]?)");
    private static final Pattern TIME =
            Pattern.compile("(?:(\\d{1,6})-)?(\\d{1,9})(?::(\\d{2}))?(?::(\\d{2}))?(?:\\.\\d+)?");

    private final Map<String, Integer> columns = new HashMap<>();
    private String[] cells = {};

    /** Whether a line names the columns that are needed. */
    static boolean isHeader(String line) {
        Set<String> names = Set.copyOf(List.of(line.toLowerCase(Locale.ROOT).split("\\|", -1)).stream()
                .distinct()
                .toList());
        return names.contains("jobid") && names.contains("submit");
    }

    @Override
    public void read(Lines lines, Collected into) throws IOException, BrokenLog {
        String header = lines.next();
        String[] names = (header == null ? "" : header).toLowerCase(Locale.ROOT).split("\\|", -1);
        for (int i = 0; i < names.length; i++) {
            columns.putIfAbsent(names[i].strip(), i);
        }
        need("JobID", "jobid");
        need("Submit", "submit");
        need("ElapsedRaw or Elapsed", "elapsedraw", "elapsed");
        need("one of ReqCPUS, AllocCPUS, NCPUS", "reqcpus", "alloccpus", "ncpus");
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.isBlank()) {
                continue;
            }
            try {
                cells = line.split("\\|", -1);
                if (cells.length < names.length) {
                    throw new Malformed(cells.length + " columns instead of " + names.length);
                }
                LoggedJob job = isStep() ? null : job();
                if (job != null) {
                    into.add(job);
                } else if (!isStep()) {
                    into.leaveOut();
                }
            } catch (Malformed malformed) {
                into.broken(lines.number(), malformed.what());
            }
        }
    }

    private void need(String what, String... anyOf) throws BrokenLog {
        for (String name : anyOf) {
            if (columns.containsKey(name)) {
                return;
            }
        }
        throw new BrokenLog("the output of sacct has no column " + what, List.of(), false);
    }

    private boolean isStep() {
        return cell("jobid").indexOf('.') >= 0;
    }

    private @Nullable LoggedJob job() throws Malformed {
        String state = cell("state").split(" ", 2)[0];
        Duration elapsed = elapsed();
        if (NOT_ENDED.contains(state) || elapsed.isZero()) {
            return null;
        }
        int nodes = (int) Numbers.whole("NNodes", orElse(cell("nnodes"), "1"), 0, 1_000_000);
        int spread = Math.max(1, nodes);
        return new LoggedJob(
                cell("jobid"),
                time("Submit", cell("submit")),
                elapsed,
                spread,
                perNode(spread),
                limit(),
                cell("partition"),
                cell("user"),
                cell("account"),
                0,
                deadline());
    }

    private Resources perNode(int nodes) throws Malformed {
        String text = orElse(positive(cell("reqcpus")), orElse(positive(cell("alloccpus")), cell("ncpus")));
        int cpus = (int) Numbers.whole("ReqCPUS", text, 1, 100_000_000);
        String tres = orElse(cell("reqtres"), cell("alloctres"));
        Matcher gpu = GPU.matcher(tres);
        int gpus = 0;
        String model = "";
        while (gpu.find()) {
            // The plain count stands beside those of models, and is their sum.
            gpus = Math.max(gpus, Integer.parseInt(gpu.group(2)));
            model = gpu.group(1) == null ? model : gpu.group(1).toLowerCase(Locale.ROOT);
        }
        int cpusEach = (cpus + nodes - 1) / nodes;
        return new Resources(cpusEach, memory(cell("reqmem"), cpusEach, nodes), (gpus + nodes - 1) / nodes, model, 0);
    }

    /** {@code 4Gn} is for a node, {@code 4Gc} for a CPU, {@code 4G} for the job (since 21.08). */
    private static long memory(String text, int cpusEach, int nodes) throws Malformed {
        if (text.isEmpty() || text.equals("0")) {
            return 0;
        }
        Matcher matcher = MEMORY.matcher(text);
        if (!matcher.matches()) {
            throw new Malformed("ReqMem is '" + text + "', not like 4G");
        }
        int power = matcher.group(2).isEmpty() ? 2 : " KMGTP".indexOf(matcher.group(2));
        double bytes = Double.parseDouble(matcher.group(1)) * Math.pow(1024, power);
        double each = switch (matcher.group(3)) {
            case "c" -> bytes * cpusEach;
            case "n" -> bytes;
            default -> bytes / nodes;
        };
        return (long) Math.min(each, 1L << 60);
    }

    private Duration elapsed() throws Malformed {
        String raw = cell("elapsedraw");
        if (!raw.isEmpty()) {
            return Duration.ofSeconds(Numbers.whole("ElapsedRaw", raw, 0, 1L << 33));
        }
        return length("Elapsed", cell("elapsed"), 1);
    }

    private @Nullable Duration limit() throws Malformed {
        String raw = cell("timelimitraw");
        String text = cell("timelimit");
        if (!raw.isEmpty() && Character.isDigit(raw.charAt(0))) {
            return Duration.ofMinutes(Numbers.whole("TimelimitRaw", raw, 0, 1L << 32));
        }
        return text.isEmpty() || !Character.isDigit(text.charAt(0)) ? null : length("Timelimit", text, 60);
    }

    /** @param alone how many seconds a number by itself stands for */
    private static Duration length(String name, String text, int alone) throws Malformed {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            throw new Malformed(name + " is '" + text + "', not like 1-02:03:04");
        }
        long days = matcher.group(1) == null ? 0 : Long.parseLong(matcher.group(1));
        long first = Long.parseLong(matcher.group(2));
        String second = matcher.group(3);
        String third = matcher.group(4);
        long seconds;
        if (matcher.group(1) != null || third != null) {
            seconds = first * 3600 + part(second) * 60 + part(third);
        } else if (second != null) {
            seconds = first * 60 + part(second);
        } else {
            seconds = first * alone;
        }
        return Duration.ofSeconds(days * 86_400 + seconds);
    }

    private static long part(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private @Nullable Instant deadline() throws Malformed {
        String text = cell("deadline");
        return text.isEmpty() || !Character.isDigit(text.charAt(0)) ? null : time("Deadline", text);
    }

    private static Instant time(String name, String text) throws Malformed {
        try {
            return LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException unreadable) {
            throw new Malformed(name + " is '" + text + "', not like 2026-01-05T10:00:00");
        }
    }

    private String cell(String name) {
        Integer at = columns.get(name);
        return at == null ? "" : cells[at].strip();
    }

    private static String positive(String number) {
        return number.equals("0") ? "" : number;
    }

    private static String orElse(String text, String other) {
        return text.isEmpty() ? other : text;
    }
}
