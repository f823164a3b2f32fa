package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The result of one question.
 *
 * @param found what was understood, in Slurm's order
 * @param unread sentences about rows that were not: their jobs or nodes exist, but nothing may be concluded about them
 */
public record SlurmListing<T>(List<T> found, List<String> unread) {
    private static final int MAX_SENTENCES = 20;
    private static final Pattern LICENCE = Pattern.compile(
            "LicenseName=(\\S+)\\s+Total=(\\d{1,9})\\s+Used=(\\d{1,9})\\s+Free=(\\d{1,9})(?:\\s.*)?", Pattern.DOTALL);

    public SlurmListing {
        found = List.copyOf(found);
        unread = List.copyOf(unread);
    }

    /** How many licences exist and are free. */
    public record Licence(String name, int total, int free) {}

    /** @throws UnreadableAnswer if the answer as a whole is not what was asked for */
    static SlurmListing<SlurmJob> jobs(String answer, String errors, String nonce, Dialect dialect)
            throws UnreadableAnswer {
        SlurmRows rows = SlurmRows.parse(answer, errors, SlurmJob.FIELDS.size(), nonce);
        return listing(new SlurmRows(ArrayRows.together(rows.rows()), rows.odd()), row -> SlurmJob.of(row, dialect));
    }

    /** @throws UnreadableAnswer if the answer as a whole is not what was asked for, or a node is not understood */
    public static List<SlurmNode> nodes(String answer, String errors, String nonce) throws UnreadableAnswer {
        SlurmListing<SlurmNode> rows =
                listing(SlurmRows.parse(answer, errors, SlurmNode.FIELDS.size(), nonce), SlurmNode::of);
        if (!rows.unread().isEmpty()) {
            // A node that is not seen would be taken for one that does not exist.
            throw new UnreadableAnswer(rows.unread().getFirst());
        }
        Map<String, SlurmNode> nodes = new LinkedHashMap<>();
        rows.found().forEach(node -> nodes.merge(node.name(), node, SlurmNode::with));
        return List.copyOf(nodes.values());
    }

    /** Reads {@code scontrol -o show licenses}. @throws UnreadableAnswer if a line is not understood */
    public static List<Licence> licences(String answer) throws UnreadableAnswer {
        List<Licence> licences = new ArrayList<>();
        for (String line : answer.lines().filter(text -> !text.isBlank()).toList()) {
            if (line.startsWith("No licenses")) {
                return List.of();
            }
            var matcher = LICENCE.matcher(line);
            if (!matcher.matches()) {
                throw new UnreadableAnswer("not a licence: " + line);
            }
            licences.add(new Licence(
                    matcher.group(1), Integer.parseInt(matcher.group(2)), Integer.parseInt(matcher.group(4))));
        }
        return List.copyOf(licences);
    }

    private interface Reader<T> {
        T read(List<String> row) throws UnreadableAnswer;
    }

    private static <T> SlurmListing<T> listing(SlurmRows rows, Reader<T> reader) {
        List<T> found = new ArrayList<>(rows.rows().size());
        List<String> unread = new ArrayList<>();
        if (rows.odd() > 0) {
            unread.add(rows.odd() + " rows have another number of columns than was asked for");
        }
        for (List<String> row : rows.rows()) {
            try {
                found.add(reader.read(row));
            } catch (UnreadableAnswer e) {
                if (unread.size() < MAX_SENTENCES) {
                    unread.add(String.valueOf(e.getMessage()));
                }
            }
        }
        return new SlurmListing<>(found, unread);
    }
}
