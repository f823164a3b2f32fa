package org.spillway.proof.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.ForwardingJournalStore;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.NodeRecord;

/**
 * A journal that kills its own process at the first write of each kind that was never written by any life. A write's
 * kind is the set of its transitions. Killing at the second of a kind too would be no news, and killing after every
 * write would never let a head live long enough to make the call that it has just journalled.
 */
final class CrashingStore extends ForwardingJournalStore {
    /** On which side of a write the process dies. */
    enum Moment {
        /** An effect was done and is not remembered. Without an effect it would be the same as after the last write. */
        BEFORE,
        /** The remembered write was not acted on. */
        AFTER
    }

    /** Parts of kinds that remember what an effect has done. */
    private static final List<String> EFFECTS = List.of(
            "launch >",
            "LAUNCHING>BOOTING",
            "PROVISIONING>JOINING",
            "certified",
            "STAGING_IN>QUEUED",
            "RUNNING>STAGING_OUT",
            "home",
            "STAGING_OUT>DONE");

    private final Path crashes;
    private final Moment moment;
    private final List<String> places;

    /** @param places parts of the kinds to die at; none for every kind */
    CrashingStore(JournalStore store, Path crashes, Moment moment, List<String> places) {
        super(store);
        this.crashes = crashes;
        this.moment = moment;
        this.places = List.copyOf(places);
    }

    @Override
    public void write(Instant at, List<? extends Entry> entries, List<Transition> transitions) {
        String kind = kind(entries, transitions);
        if (moment == Moment.BEFORE && EFFECTS.stream().anyMatch(kind::contains) && isPlace(kind)) {
            crash(kind);
        }
        super.write(at, entries, transitions);
        if (moment == Moment.AFTER && isPlace(kind)) {
            crash(kind);
        }
    }

    private static String kind(List<? extends Entry> entries, List<Transition> transitions) {
        TreeSet<String> parts = new TreeSet<>();
        for (Entry entry : entries) {
            String role = entry instanceof NodeRecord node && node.isDirector() ? "director" : entry.kind();
            String step = transitions.stream()
                    .filter(line ->
                            line.kind().equals(entry.kind()) && line.id().equals(entry.id()))
                    .map(line -> line.from() + ">" + line.to())
                    .findFirst()
                    .orElse("in " + entry.state());
            parts.add(role + " " + step + detail(entry));
        }
        return String.join(", ", parts);
    }

    /** The part of an entry that is remembered without a change of state. */
    private static String detail(Entry entry) {
        return switch (entry) {
            case JobRecord job ->
                (job.run().cancelled() ? " cancelled" : "") + (job.run().home() ? " home" : "");
            case NodeRecord node -> node.certificate().isEmpty() ? "" : " certified";
            default -> "";
        };
    }

    private boolean isPlace(String kind) {
        return (places.isEmpty() || places.stream().anyMatch(kind::contains)) && isNew(kind);
    }

    private boolean isNew(String kind) {
        try {
            return !Files.exists(crashes) || !Files.readAllLines(crashes).contains(kind);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void crash(String kind) {
        try {
            Files.writeString(crashes, kind + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            new ProcessBuilder(
                            "/bin/sh",
                            "-c",
                            "kill -9 " + ProcessHandle.current().pid())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        while (true) {
            java.util.concurrent.locks.LockSupport.park();
        }
    }
}
