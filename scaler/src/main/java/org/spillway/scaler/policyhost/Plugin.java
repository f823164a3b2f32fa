package org.spillway.scaler.policyhost;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file of the folder and what became of it. Guarded by its roster, but for {@code looked}, which is its keeper's. */
final class Plugin {
    final String file;
    PolicyFiles.@Nullable Look looked;
    /** The newest version that passed. */
    @Nullable
    Good good;
    /** Faults of the newest file; empty when that is the good one. */
    List<Finding> refused = List.of();
    /** The plugin's last failure, when it was asked and gave no answer. */
    String failure = "";

    int strikes;
    /** After that many strikes, until it is tried again, its file changes or it is enabled. */
    boolean struckOut;
    /** So often without a good while between. */
    int disabledTimes;

    /** The last time that it was started although it had been disabled. */
    Instant tried = Instant.EPOCH;

    Instant notBefore = Instant.MIN;
    /** So often in a row this very file did not pass. */
    int refusals;

    Instant examineAgain = Instant.MIN;

    @Nullable
    ChildProcess running;

    Plugin(String file) {
        this.file = file;
    }

    /** @param name that its policy says */
    record Good(String name, String digest, byte[] content, Instant since, List<SettingDescription> settings) {}

    String name() {
        Good passed = good;
        return passed == null ? file : passed.name();
    }

    PolicyOverview.One view(PolicyOverview.State state) {
        Good passed = good;
        List<String> findings =
                new ArrayList<>(refused.stream().map(Finding::toString).toList());
        if (!findings.isEmpty()) {
            findings.set(findings.size() - 1, findings.getLast() + " (" + checkedAgain() + ")");
        }
        if (!failure.isEmpty()) {
            findings.add(struckOut ? disabled() : failure);
        }
        return new PolicyOverview.One(
                name(),
                state,
                file,
                passed == null ? "" : passed.digest(),
                passed == null ? null : passed.since(),
                strikes,
                findings,
                passed == null ? List.of() : passed.settings());
    }

    /** Why it cannot be asked now. */
    String why() {
        if (good == null) {
            return refused.isEmpty()
                    ? "is being checked"
                    : "did not pass its check: " + refused.getFirst() + " (" + checkedAgain() + ")";
        }
        if (struckOut) {
            return "is " + disabled();
        }
        return failure.isEmpty() ? "is being started" : failure + ", and is started again";
    }

    private String disabled() {
        return "disabled after " + strikes + " failures in a row, " + again() + "; the last time it " + failure;
    }

    /** When one that is disabled gets another chance. */
    String again() {
        return "tried again at " + notBefore.truncatedTo(ChronoUnit.SECONDS);
    }

    private String checkedAgain() {
        return "checked again at " + examineAgain.truncatedTo(ChronoUnit.SECONDS);
    }
}
