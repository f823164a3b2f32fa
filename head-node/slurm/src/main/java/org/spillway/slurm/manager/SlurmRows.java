package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The answer of {@code squeue -O} or {@code sinfo -O} whose fields were asked for with a suffix instead of a width. Each
 * field ends with 0x1f, the last one of a row with 0x1e and a nonce. Account names are whatever the user typed, line
 * breaks and control characters included: without the nonce somebody could write rows of others.
 *
 * @param rows those with as many columns as were asked for
 * @param odd how many rows had another number of columns; their jobs are not understood
 */
public record SlurmRows(List<List<String>> rows, int odd) {
    private static final char UNIT = '\u001f';
    private static final char RECORD = '\u001e';

    public SlurmRows {
        rows = List.copyOf(rows);
    }

    /** The environment that Slurm's commands must find, so that times are in UTC and of one form. */
    public static Map<String, String> environment() {
        // Without the last one squeue cuts long lists of an array's tasks off.
        return Map.of("TZ", "UTC", "SLURM_TIME_FORMAT", "standard", "LC_ALL", "C", "SLURM_BITSTR_LEN", "0");
    }

    /**
     * The argument of {@code -O}.
     *
     * @param nonce 8 characters or more that nobody can guess, another for each question
     */
    public static String format(List<String> fields, String nonce) {
        if (nonce.length() < 8 || fields.isEmpty()) {
            throw new IllegalArgumentException("a question has fields and a nonce of 8 characters or more");
        }
        return fields.subList(0, fields.size() - 1).stream()
                        .map(field -> field + ":" + UNIT + ",")
                        .collect(Collectors.joining())
                + fields.getLast() + ":" + RECORD + nonce;
    }

    /**
     * Takes an answer apart.
     *
     * @param errors what the command wrote to its standard error. Slurm leaves a field out that it does not know, says so
     *     there and ends with 0
     * @throws UnreadableAnswer if the answer is cut off, or not what was asked for
     */
    public static SlurmRows parse(String answer, String errors, int columns, String nonce) throws UnreadableAnswer {
        if (errors.contains("Invalid job format") || errors.contains("Invalid node format")) {
            throw new UnreadableAnswer("this Slurm does not know a field: " + firstLine(errors));
        }
        String end = RECORD + nonce;
        List<List<String>> rows = new ArrayList<>();
        int odd = 0;
        int at = 0;
        while (at < answer.length()) {
            int stop = answer.indexOf(end, at);
            if (stop < 0) {
                if (answer.substring(at).isBlank()) {
                    break;
                }
                throw new UnreadableAnswer("the answer ends within row " + (rows.size() + odd + 1));
            }
            List<String> row = split(answer, at, stop);
            if (row.size() == columns) {
                rows.add(row);
            } else {
                odd++;
            }
            at = stop + end.length();
            if (at < answer.length() && answer.charAt(at) == '\n') {
                at++;
            }
        }
        return new SlurmRows(rows, odd);
    }

    private static List<String> split(String answer, int from, int to) {
        List<String> fields = new ArrayList<>();
        int at = from;
        while (true) {
            int stop = answer.indexOf(UNIT, at);
            if (stop < 0 || stop >= to) {
                fields.add(answer.substring(at, to).strip());
                return fields;
            }
            fields.add(answer.substring(at, stop).strip());
            at = stop + 1;
        }
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
