package org.spillway.head.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.spillway.head.rollout.DriftTerms;
import org.spillway.head.rollout.Terms;
import org.spillway.settings.Section;

/** {@code categories.NAME.image}: how another version comes to the nodes of a category, and how they look at the one that they have. */
final class RolloutReader {
    private static final String KEY = "rollout";
    private static final String DRIFT = "drift";
    private static final String DRIFT_PERIOD = "driftPeriod";

    private RolloutReader() {}

    /** @param versioned whether the category names a version; nothing is read where it does not */
    static Optional<Terms> read(Section image, boolean versioned) {
        var section = image.section(KEY, false);
        if (!versioned) {
            if (image.has(KEY)) {
                image.mistake(KEY, "found without 'version'; allowed: beside it");
            }
            return Optional.empty();
        }
        var usual = Terms.USUAL;
        int canary = section.integer("canary", usual.canary(), 0, Terms.MOST_CANARIES);
        var batch = section.matching("batch", usual.batchText(), Terms.BATCH, Terms.BATCHES);
        var sound = batch.matches(Terms.BATCH) ? batch : usual.batchText();
        var soak = seconds(section, "soak", usual.soakSeconds(), 0, Terms.LONGEST_SOAK);
        var within = seconds(section, "within", usual.withinSeconds(), Terms.LEAST_WITHIN, Terms.LONGEST_WITHIN);
        int failures = section.integer("maxFailures", usual.maxFailures(), 0, Terms.MOST_CANARIES);
        section.noMore();
        return Optional.of(Terms.of(canary, sound, soak, within, failures));
    }

    /** {@code categories.NAME.image.drift} and {@code driftPeriod}. */
    static Optional<DriftTerms> drift(Section image, boolean versioned) {
        var usual = DriftTerms.USUAL;
        var word = image.oneOf(DRIFT, usual.policy().word(), DriftTerms.Policy.words());
        var policy = Arrays.stream(DriftTerms.Policy.values())
                .filter(one -> one.word().equals(word))
                .findFirst()
                .orElse(usual.policy());
        var period =
                seconds(image, DRIFT_PERIOD, usual.periodSeconds(), DriftTerms.LEAST_PERIOD, DriftTerms.LONGEST_PERIOD);
        if (!versioned) {
            List.of(DRIFT, DRIFT_PERIOD).stream()
                    .filter(image::has)
                    .forEach(key -> image.mistake(key, "found without 'version'; allowed: beside it"));
            return Optional.empty();
        }
        return Optional.of(new DriftTerms(policy, Math.toIntExact(period)));
    }

    private static long seconds(Section section, String key, long usual, long least, long most) {
        return section.duration(key, Duration.ofSeconds(usual), Duration.ofSeconds(least), Duration.ofSeconds(most))
                .toSeconds();
    }
}
