package org.spillway.head.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Backups that a head makes by itself: their names are their times, so nobody else need remember them. */
public final class BackupFolder {
    private static final Logger LOG = LoggerFactory.getLogger(BackupFolder.class);
    private static final String BEGIN = "journal-";
    private static final String END = ".db";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final Path folder;

    public BackupFolder(Path folder) {
        this.folder = folder;
    }

    /** The name of the next. */
    public Path fresh(Instant now) {
        return folder.resolve(BEGIN + STAMP.format(now) + END);
    }

    /** The one copy of the archive beside a copy of the journal: what it had with an earlier one it has still. */
    public static Path archiveOf(Path copy) {
        return copy.resolveSibling(Archive.NAME);
    }

    /** The time of the latest; empty when there is none. @throws JournalFailure if the folder cannot be read */
    public Optional<Instant> latest() {
        return all().stream().findFirst().flatMap(BackupFolder::time);
    }

    /** Deletes the oldest beyond {@code keep}. Files of other names stay. What cannot be deleted is logged. */
    public void sweep(int keep) {
        for (Path old : all().stream().skip(keep).toList()) {
            try {
                Files.deleteIfExists(old);
            } catch (IOException stays) {
                LOG.warn("the old backup {} stays: {}", old, stays.getMessage());
            }
        }
    }

    /** Whether it is named as the copies of such a folder are. */
    static boolean isName(Path file) {
        return time(file).isPresent();
    }

    /** The latest first. */
    private List<Path> all() {
        try (var inside = Files.list(folder)) {
            return inside.filter(file -> time(file).isPresent())
                    .sorted(Comparator.<Path, Instant>comparing(
                                    file -> time(file).orElse(Instant.MIN))
                            .reversed())
                    .toList();
        } catch (IOException unreadable) {
            throw new JournalFailure(
                    "the folder " + folder + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    private static Optional<Instant> time(Path file) {
        String name = file.getFileName().toString();
        if (!name.startsWith(BEGIN) || !name.endsWith(END)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Instant.from(STAMP.parse(name.substring(BEGIN.length(), name.length() - END.length()))));
        } catch (DateTimeParseException other) {
            return Optional.empty();
        }
    }
}
