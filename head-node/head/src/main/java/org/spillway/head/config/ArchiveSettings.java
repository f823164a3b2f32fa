package org.spillway.head.config;

import java.time.Duration;
import java.util.Optional;
import org.spillway.settings.Section;

/**
 * When jobs and nodes of the past leave the journal for the archive, and the archive for good.
 *
 * @param after 1 h to 10 years behind their end
 * @param keptFor behind their end, longer than {@code after}, at most 100 years; empty for ever
 */
public record ArchiveSettings(Duration after, Optional<Duration> keptFor) {
    public static final ArchiveSettings USUAL = new ArchiveSettings(Duration.ofDays(30), Optional.empty());

    /** The section {@code archive}. */
    static ArchiveSettings read(Section section) {
        Duration after = section.duration("after", USUAL.after, Duration.ofHours(1), Duration.ofDays(3650));
        Optional<Duration> keptFor = section.has("keptFor")
                ? Optional.of(section.duration("keptFor", null, Duration.ofDays(32), Duration.ofDays(36500)))
                : Optional.empty();
        if (keptFor.isPresent() && keptFor.get().compareTo(after) <= 0) {
            section.mistake("keptFor", "found no more than archive.after; allowed: a longer time");
        }
        section.noMore();
        return new ArchiveSettings(after, keptFor);
    }
}
