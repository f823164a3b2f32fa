package org.spillway.head.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.quartz.CronExpression;
import org.spillway.settings.Section;

/** The section {@code backup}. */
final class BackupReader {
    private static final String CRON = "a Quartz cron expression of six or seven fields, such as '0 30 2 ? * *'";

    private BackupReader() {}

    /** Empty where there is no such section. */
    static Optional<BackupSettings> read(Section root, Path state, Path base) {
        boolean given = root.has("backup");
        var section = root.section("backup", false);
        if (!given) {
            return Optional.empty();
        }
        var folder = section.path("folder", null, base);
        if (folder.equals(state)) {
            section.mistake(
                    "folder", "found the state directory itself; allowed: another folder, best on another disk");
        }
        if (section.has("every") == section.has("cron")) {
            section.mistakeHere(
                    (section.has("every") ? "found both" : "found neither") + "; allowed: one of every, cron");
        }
        @Nullable
        Duration every = section.has("every")
                ? section.duration("every", null, Duration.ofMinutes(1), Duration.ofDays(30))
                : null;
        @Nullable
        String cron = section.has("cron")
                ? section.value("cron", null, "0 0 0 ? * *", CRON, text -> {
                    if (!CronExpression.isValidExpression(text)) {
                        throw new IllegalArgumentException("found '" + text + "'; allowed: " + CRON);
                    }
                    return text;
                })
                : null;
        int keep = section.integer("keep", 7, 1, 10_000);
        section.noMore();
        return Optional.of(new BackupSettings(folder, every, cron, keep));
    }
}
