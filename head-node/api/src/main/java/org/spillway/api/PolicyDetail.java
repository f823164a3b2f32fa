package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;

/** A policy with everything that is known of it. */
public record PolicyDetail(
        PolicyView policy,

        @Describes("what is wrong with the newest file, each with file, line and column, or what it did last")
        List<String> findings,

        List<SettingView> settings,

        @Describes("oldest first, those that were refused too")
        List<VersionView> versions) {
    public PolicyDetail {
        findings = List.copyOf(findings);
        settings = List.copyOf(settings);
        versions = List.copyOf(versions);
    }

    public record SettingView(
            String name,

            String allowed,

            @Describes("its default, as it would be written")
            String standard,

            String description) {}

    /** A version of its file. */
    public record VersionView(
            String digest,

            boolean taken,

            Instant since,

            @Describes("null while it counts") @Nullable Instant until,

            @Describes("why it was refused or replaced") String why,

            @Describes("how often it failed in all") int strikes) {}
}
