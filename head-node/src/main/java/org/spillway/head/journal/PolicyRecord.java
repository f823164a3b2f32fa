package org.spillway.head.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.time.ZoneId;
import java.util.Optional;
import org.spillway.policy.ScalingPolicy;

/** A policy and its settings as a decision names them. */
public final class PolicyRecord {
    private PolicyRecord() {}

    /** @param version of the policy; empty for one that comes with the release */
    public static DecisionEntry.Made of(String release, String policy, String version, Record settings, ZoneId zone) {
        return new DecisionEntry.Made(release, policy, version, EntryJson.writeSettings(settings), zone.getId());
    }

    /** The settings that were used; empty where this policy has others now, which they do not fit. */
    public static Optional<Record> settings(DecisionEntry.Made made, ScalingPolicy<?> policy) {
        try {
            return Optional.of(EntryJson.settings(made.settings(), policy.defaults()));
        } catch (JsonProcessingException | IllegalArgumentException unfit) {
            return Optional.empty();
        }
    }
}
