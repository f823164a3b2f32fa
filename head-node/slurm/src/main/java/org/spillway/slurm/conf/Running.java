package org.spillway.slurm.conf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A running Slurm's words about itself.
 *
 * @param config keys of {@code scontrol show config}; nothing is an empty text
 * @param partitions fields of each by its name
 * @param nodes fields of each by its name
 * @param reservations fields of each by its name
 */
public record Running(
        Map<String, String> config,
        Map<String, Map<String, String>> partitions,
        Map<String, Map<String, String>> nodes,
        Map<String, Map<String, String>> reservations) {
    private static final Pattern CONFIG = Pattern.compile("([A-Za-z_][A-Za-z0-9_\\[\\]]*)\\s+= ?(.*)");
    private static final Pattern RELEASE = Pattern.compile("([0-9]{1,2})\\.([0-9]{1,2})");
    /** Values may have blanks: a field ends where the next one begins. */
    private static final Pattern NEXT = Pattern.compile("\\s+(?=[A-Z][A-Za-z:/]*=)");

    /** From what {@code scontrol} writes: administrators' words only. */
    public static Running of(String config, String partitions, String nodes, String reservations) {
        Map<String, String> keys = new LinkedHashMap<>();
        for (String line : config.lines().toList()) {
            var matcher = CONFIG.matcher(line);
            if (matcher.matches()) {
                keys.put(matcher.group(1), plain(matcher.group(2)));
            }
        }
        return new Running(
                keys,
                rows(partitions, "PartitionName"),
                rows(nodes, "NodeName"),
                rows(reservations, "ReservationName"));
    }

    private static Map<String, Map<String, String>> rows(String text, String key) {
        Map<String, Map<String, String>> rows = new LinkedHashMap<>();
        for (String line : text.lines().toList()) {
            Map<String, String> fields = new LinkedHashMap<>();
            for (String field : NEXT.split(line.strip(), -1)) {
                int equals = field.indexOf('=');
                if (equals > 0) {
                    fields.putIfAbsent(field.substring(0, equals), plain(field.substring(equals + 1)));
                }
            }
            String name = fields.getOrDefault(key, "");
            if (!name.isEmpty()) {
                rows.put(name, fields);
            }
        }
        return rows;
    }

    private static String plain(String value) {
        String text = value.strip();
        return text.equals("(null)") || text.equals("N/A") ? "" : text;
    }

    /** Later releases number what may be said several times. */
    public String value(String key) {
        return config.getOrDefault(key, config.getOrDefault(key + "[0]", ""));
    }

    /** Whether sbatch asks a filter in Lua. */
    public boolean filters() {
        return words(value(Wanted.FILTER)).stream()
                .anyMatch(word -> word.replaceFirst("^.*/", "").equals("lua"));
    }

    /** Whether nodes that are powered down are shown without being asked for: Slurm 23.02 took {@code PrivateData=cloud} away. */
    boolean showsPoweredDown() {
        var release = RELEASE.matcher(value("SLURM_VERSION"));
        return release.lookingAt()
                && Integer.parseInt(release.group(1)) * 100 + Integer.parseInt(release.group(2)) >= 2302;
    }

    /** Of slurmctld: the address if one stands in brackets, else the name. */
    List<String> controllers() {
        List<String> all = new ArrayList<>();
        config.forEach((key, value) -> {
            if (key.startsWith("SlurmctldHost[")) {
                int open = value.indexOf('(');
                all.add(open < 0 ? value : value.substring(open + 1).replace(")", ""));
            }
        });
        return all;
    }

    static List<String> words(String list) {
        return Arrays.stream(list.split(",", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }
}
