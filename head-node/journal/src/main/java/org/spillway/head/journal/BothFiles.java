package org.spillway.head.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.spillway.head.journal.JournalStore.Transition;

/**
 * Reads of what may be in the journal or in its archive. The journal first: what is moved meanwhile is in the archive before it
 * is gone there, so that it is never missed; what is in both is the journal's.
 */
final class BothFiles {
    private final SqliteReader lookups;
    private final SqliteReader listings;
    private final Archive archive;

    BothFiles(SqliteReader lookups, SqliteReader listings, Archive archive) {
        this.lookups = lookups;
        this.listings = listings;
        this.archive = archive;
    }

    Optional<JobRecord> job(String id) {
        return lookups.job(id).or(() -> archive.reader().flatMap(old -> old.job(id)));
    }

    Optional<JobRecord> jobByKey(int uid, String key) {
        return lookups.jobByKey(uid, key).or(() -> archive.reader().flatMap(old -> old.jobByKey(uid, key)));
    }

    /** The latest end first. */
    List<JobRecord> endedJobs(OptionalInt uid, Instant since, int limit) {
        List<JobRecord> here = listings.endedJobs(uid, since, limit);
        Optional<SqliteReader> old = archive.reader();
        if (old.isEmpty() || here.size() >= limit) {
            return here;
        }
        // So many more that those of both files cannot leave too few.
        Map<String, JobRecord> all = new LinkedHashMap<>();
        here.forEach(job -> all.put(job.id(), job));
        old.get().endedJobs(uid, since, limit).forEach(job -> all.putIfAbsent(job.id(), job));
        return all.values().stream().limit(limit).toList();
    }

    List<JobRecord> tasks(String array) {
        List<JobRecord> here = listings.tasks(array);
        Optional<SqliteReader> old = archive.reader();
        if (old.isEmpty()) {
            return here;
        }
        Map<String, JobRecord> all = new LinkedHashMap<>();
        here.forEach(job -> all.put(job.id(), job));
        old.get().tasks(array).forEach(job -> all.putIfAbsent(job.id(), job));
        List<JobRecord> sorted = new ArrayList<>(all.values());
        sorted.sort(JournalStore.BY_INDEX);
        return sorted;
    }

    List<Transition> timeline(String kind, String id) {
        List<Transition> here = listings.timeline(kind, id);
        return here.isEmpty()
                ? archive.reader().map(old -> old.timeline(kind, id)).orElse(here)
                : here;
    }

    /** The moment of the last step of all; that of the archive where the journal has none left. */
    Optional<Instant> latest() {
        return listings.latest().or(() -> archive.reader().flatMap(SqliteReader::latest));
    }
}
