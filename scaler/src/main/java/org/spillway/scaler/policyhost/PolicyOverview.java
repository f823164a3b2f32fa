package org.spillway.scaler.policyhost;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All policies at one moment.
 *
 * @param deciding whose wishes the next tick takes, as things are
 * @param wanted who should decide: the enabled one, else the configured one
 * @param note why another decides; empty when none does
 * @param containment how policies from files are kept, in one sentence
 */
public record PolicyOverview(
        String deciding, String wanted, String note, String containment, String folder, List<One> policies) {
    public PolicyOverview {
        policies = List.copyOf(policies);
    }

    /**
     * A policy in the overview.
     *
     * @param name the file's name while nothing is known of what is in it
     * @param file empty for a built-in one
     * @param digest of the version that decides or would decide, SHA-256; empty for a built-in one
     * @param since when that version was taken; null when none was
     * @param strikes failures in a row
     * @param findings what is wrong with the newest file, or what happened last; empty for nothing
     */
    public record One(
            String name,
            State state,
            String file,
            String digest,
            @Nullable Instant since,
            int strikes,
            List<String> findings,
            List<SettingDescription> settings) {
        public One {
            findings = List.copyOf(findings);
            settings = List.copyOf(settings);
        }

        static One builtIn(String name, State state, List<SettingDescription> settings) {
            return new One(name, state, "", "", null, 0, List.of(), settings);
        }
    }

    /** The policy's condition now. */
    public enum State {
        /** The policy's wishes count. */
        DECIDING,
        /** The policy would decide, and its process is being started. */
        STARTING,
        /** The policy could decide. */
        READY,
        /** Disabled by an administrator, or after too many failures. */
        DISABLED,
        /** No version of it has passed the check. */
        REFUSED
    }
}
