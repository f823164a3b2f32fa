package org.spillway.head.staging;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The files that jobs have had of their users' homes since this head began, so that their users can name it. Bounded; any thread. */
public final class HomeReads {
    private static final int MOST_JOBS = 2000;
    private static final int MOST_FILES = 5000;
    private static final int FOLDERS_SHOWN = 3;

    private final Map<String, Reads> jobs = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Reads {
        final Set<String> files = new HashSet<>();
        final Map<String, Folder> folders = new HashMap<>();
        long bytes;
    }

    private static final class Folder {
        int files;
        long bytes;
    }

    /** Some bytes of a file went to the job's region. */
    synchronized void had(String job, String path, long bytes) {
        Reads reads = jobs.computeIfAbsent(job, id -> new Reads());
        if (jobs.size() > MOST_JOBS) {
            jobs.remove(jobs.keySet().iterator().next());
        }
        reads.bytes += bytes;
        boolean known = reads.files.contains(path);
        if (known || reads.files.size() < MOST_FILES) {
            reads.files.add(path);
            Folder folder = reads.folders.computeIfAbsent(above(path), name -> new Folder());
            folder.files += known ? 0 : 1;
            folder.bytes += bytes;
        }
    }

    private static String above(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    /** For its user; empty where nothing went. */
    public synchronized Optional<String> of(String job) {
        Reads reads = jobs.get(job);
        if (reads == null) {
            return Optional.empty();
        }
        String most = reads.folders.entrySet().stream()
                .sorted(Comparator.<Map.Entry<String, Folder>>comparingLong(each -> -each.getValue().bytes)
                        .thenComparing(Map.Entry::getKey))
                .limit(FOLDERS_SHOWN)
                .map(each ->
                        each.getKey() + "/ (" + files(each.getValue().files) + ", " + size(each.getValue().bytes) + ")")
                .collect(Collectors.joining(", "));
        boolean all = reads.files.size() < MOST_FILES;
        return Optional.of((all ? "" : "more than ") + files(reads.files.size()) + " of its user's home, "
                + size(reads.bytes)
                + ", came over the link when it asked for them: naming them (--in, #SPILLWAY in=) is"
                + " faster; most of it is in " + most);
    }

    private static String files(int count) {
        return count == 1 ? "1 file" : count + " files";
    }

    private static String size(long bytes) {
        List<String> units = List.of("B", "KB", "MB", "GB", "TB");
        double left = bytes;
        int unit = 0;
        while (left >= 1000 && unit < units.size() - 1) {
            left /= 1000;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", left, units.get(unit));
    }
}
