package org.spillway.cloud.delegated;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.spillway.cloud.Diagnostics;
import org.spillway.policy.LaunchOutcome.Reason;

/** Whether the parent is reached and lets us buy, and what it finds at its provider. */
final class DelegatedDiagnostics implements Diagnostics {
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(30);
    private final ParentApi api;
    private final InstantSource clock;

    DelegatedDiagnostics(ParentApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    @Override
    public List<Finding> check(Needs needs) {
        Wire.Needs asked = new Wire.Needs(Wire.SCHEMA, List.copyOf(needs.instanceTypes()), needs.image());
        return switch (api.call(Wire.CHECK, asked, Wire.Findings.class)) {
            case ParentApi.Result.Done<Wire.Findings>(Wire.Findings found) -> found(found);
            case ParentApi.Result.Refused<Wire.Findings>(Reason reason, String message) ->
                List.of(new Finding(
                        reason == Reason.CREDENTIALS ? "credentials" : "allowance",
                        Verdict.BROKEN,
                        message,
                        "ask on the parent: `spillway cluster show` says until when and for how much it may buy"));
            case ParentApi.Result.Unsent<Wire.Findings>(String message) -> unreached(message);
            case ParentApi.Result.Unclear<Wire.Findings>(String message) -> unreached(message);
        };
    }

    private static List<Finding> unreached(String message) {
        return List.of(new Finding(
                "endpoint",
                Verdict.BROKEN,
                message,
                "start the parent head: it opens the way to itself; what runs here runs on"));
    }

    private List<Finding> found(Wire.Findings found) {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding("endpoint", Verdict.GOOD, "the parent answers", ""));
        findings.add(new Finding("credentials", Verdict.GOOD, "the token is accepted with this certificate", ""));
        Duration off = Duration.between(clock.instant(), Instant.ofEpochMilli(found.nowMillis()))
                .abs();
        boolean near = off.compareTo(CLOCK_TOLERANCE) <= 0;
        findings.add(new Finding(
                "clock of the parent",
                near ? Verdict.GOOD : Verdict.WARNING,
                "differs by " + off.toSeconds() + " s",
                near ? "" : "set both clocks by NTP: the cluster's end is by the parent's"));
        try {
            found.findings().forEach(each -> findings.add(WireForms.finding(each)));
        } catch (IllegalArgumentException bad) {
            findings.add(new Finding(
                    "parent's site",
                    Verdict.WARNING,
                    "the parent's findings cannot be read: " + bad.getMessage(),
                    "run parent and child in one release"));
        }
        return findings;
    }
}
