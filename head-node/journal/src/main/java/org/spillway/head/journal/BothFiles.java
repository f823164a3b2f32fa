package org.spillway.head.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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

    /** The latest end first. @param read no more than {@code limit} of one file */
    List<JobRecord> endedJobs(Function<SqliteReader, List<JobRecord>> read, int limit) {
        List<JobRecord> here = read.apply(listings);
        Optional<SqliteReader> old = archive.reader();
        if (old.isEmpty() || here.size() >= limit) {
            return here;
        }
        // So many more that those of both files cannot leave too few.
        Map<String, JobRecord> all = new LinkedHashMap<>();
        here.forEach(job -> all.put(job.id(), job));
        read.apply(old.get()).forEach(job -> all.putIfAbsent(job.id(), job));
        return all.values().stream().limit(limit).toList();
    }

    /** The latest end first. */
    List<ClusterRecord> endedClusters(int limit) {
        Map<String, ClusterRecord> all = new LinkedHashMap<>();
        both(reader -> reader.endedClusters(limit)).forEach(one -> all.putIfAbsent(one.id(), one));
        return all.values().stream().limit(limit).toList();
    }

    List<NoticeRecord> notices(String cluster) {
        Map<String, NoticeRecord> all = new LinkedHashMap<>();
        both(reader -> reader.notices(cluster)).forEach(one -> all.putIfAbsent(one.id(), one));
        return all.values().stream().sorted(JournalStore.BY_TIME).toList();
    }

    private <T> List<T> both(Function<SqliteReader, List<T>> read) {
        List<T> found = new ArrayList<>(read.apply(listings));
        archive.reader().ifPresent(old -> found.addAll(read.apply(old)));
        return found;
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
