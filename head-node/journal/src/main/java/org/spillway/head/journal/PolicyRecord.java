package org.spillway.head.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.time.ZoneId;
import java.util.Optional;

/** A policy and its settings as a decision names them. */
public final class PolicyRecord {
    private PolicyRecord() {}

    /** @param version of the policy; empty for one that comes with the release */
    public static DecisionEntry.Made of(String release, String policy, String version, Record settings, ZoneId zone) {
        return new DecisionEntry.Made(release, policy, version, EntryJson.writeSettings(settings), zone.getId());
    }

    /**
     * The settings that were used.
     *
     * @param like of the class that they are of now; what was not written down is as in there
     * @return empty where they do not fit that class
     */
    public static <S extends Record> Optional<S> settings(DecisionEntry.Made made, S like) {
        try {
            @SuppressWarnings("unchecked") // The class is that of the argument.
            S settings = (S) EntryJson.settings(made.settings(), like);
            return Optional.of(settings);
        } catch (JsonProcessingException | IllegalArgumentException unfit) {
            return Optional.empty();
        }
    }
}
