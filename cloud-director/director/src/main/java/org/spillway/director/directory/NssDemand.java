package org.spillway.director.directory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Users whom a name service does not enumerate and that somebody asked for by name. */
final class NssDemand {
    private static final int MOST = 10_000;
    private static final long AGAIN_NANOS = Duration.ofSeconds(30).toNanos();
    /** Readings that may miss a known user before that one is gone: a service that starts anew knows few. */
    private static final int MISSES = 3;

    private final Map<String, Integer> wanted = new LinkedHashMap<>();
    private final Map<String, String> lastLines = new HashMap<>();
    private final Map<String, Long> askedNanos = new LinkedHashMap<>();

    synchronized void remember(Collection<String> logins) {
        for (String login : logins) {
            if (wanted.size() < MOST) {
                wanted.putIfAbsent(login, 0);
            }
        }
    }

    /** Whether to look for one whom nobody knows: not at each of many submissions. */
    synchronized boolean mayAsk(String login, long nowNanos) {
        askedNanos.values().removeIf(at -> nowNanos - at > AGAIN_NANOS);
        return askedNanos.size() < MOST && askedNanos.putIfAbsent(login, nowNanos) == null;
    }

    /**
     * Adds to {@code users} the lines of those who are wanted and not among them.
     *
     * @return the groups, with those of these users
     */
    synchronized List<String> add(List<String> users, List<String> groups, NssSource.Database database)
            throws IOException, InterruptedException {
        Set<String> listed = new HashSet<>();
        users.forEach(line -> listed.add(login(line)));
        // Who is listed needs no looking up, and is gone when the list says so.
        wanted.keySet().removeAll(listed);
        if (wanted.isEmpty()) {
            return groups;
        }
        List<String> names = List.copyOf(wanted.keySet());
        Set<String> found = new HashSet<>();
        for (String line : database.users(names)) {
            found.add(login(line));
            lastLines.put(login(line), line);
        }
        wanted.replaceAll((login, missed) -> found.contains(login) ? 0 : missed + 1);
        wanted.entrySet().removeIf(entry -> entry.getValue() >= MISSES || !lastLines.containsKey(entry.getKey()));
        lastLines.keySet().retainAll(wanted.keySet());
        users.addAll(lastLines.values());
        List<String> all = new ArrayList<>(database.groups(List.copyOf(wanted.keySet())));
        all.addAll(groups);
        return all;
    }

    /** Group lines with further members, by number. */
    static List<String> withMembers(List<String> groups, Map<String, Set<String>> members) {
        List<String> lines = new ArrayList<>();
        for (String line : groups) {
            String[] field = line.split(":", -1);
            if (field.length == 4) {
                Set<String> all = new TreeSet<>(members.getOrDefault(field[2], Set.of()));
                all.addAll(List.of(field[3].split(",", -1)));
                all.remove("");
                lines.add(field[0] + ":" + field[1] + ":" + field[2] + ":" + String.join(",", all));
            }
        }
        return lines;
    }

    private static String login(String line) {
        int colon = line.indexOf(':');
        return colon < 0 ? line : line.substring(0, colon);
    }
}
