package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A policy with everything that is known of it.
 *
 * @param findings what is wrong with the newest file, each with file, line and column, or what it did last
 * @param versions oldest first, those that were refused too
 */
public record PolicyDetail(
        PolicyView policy, List<String> findings, List<SettingView> settings, List<VersionView> versions) {
    public PolicyDetail {
        findings = List.copyOf(findings);
        settings = List.copyOf(settings);
        versions = List.copyOf(versions);
    }

    /** @param standard its default, as it would be written */
    public record SettingView(String name, String allowed, String standard, String description) {}

    /**
     * A version of its file.
     *
     * @param until null while it counts
     * @param why it was refused or replaced
     * @param strikes how often it failed in all
     */
    public record VersionView(
            String digest,
            boolean taken,
            Instant since,
            @Nullable Instant until,
            String why,
            int strikes) {}
}
