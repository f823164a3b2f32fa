package org.spillway.cloud.local;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.cloud.Diagnostics;
import org.spillway.policy.LaunchOutcome.Reason;

/** Looks, and starts nothing. */
final class LocalDiagnostics implements Diagnostics {
    private static final Duration MAX_SKEW = Duration.ofSeconds(30);
    private final LocalApi api;
    private final InstantSource clock;

    LocalDiagnostics(LocalApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    private Finding clock(String told) {
        try {
            Duration skew =
                    Duration.between(clock.instant(), Instant.parse(told)).abs();
            if (skew.compareTo(MAX_SKEW) <= 0) {
                return new Finding("clock", Verdict.GOOD, "within " + MAX_SKEW.toSeconds() + " s", "");
            }
            String found = "the provider's clock is " + skew.toSeconds() + " s away from this machine's";
            return new Finding("clock", Verdict.WARNING, found, "set this machine's clock, by NTP for example");
        } catch (DateTimeException unreadable) {
            return new Finding(
                    "clock",
                    Verdict.WARNING,
                    "the provider does not tell its time",
                    "is it a local-cloud of this release?");
        }
    }

    private List<Finding> types(Needs needs) {
        if (needs.instanceTypes().isEmpty()
                || !(api.once("GET", "/v1/offerings", Map.of()) instanceof LocalApi.Result.Done(var body))) {
            return List.of();
        }
        Set<String> offered = new TreeSet<>();
        body.path("offerings").forEach(each -> offered.add(each.path("type").asText()));
        List<Finding> findings = new ArrayList<>();
        for (String type : new TreeSet<>(needs.instanceTypes())) {
            boolean there = offered.contains(type);
            findings.add(new Finding(
                    "type " + type,
                    there ? Verdict.GOOD : Verdict.BROKEN,
                    there ? "it is offered" : "it is not offered; there are " + String.join(", ", offered),
                    there ? "" : "correct the type in the configuration"));
        }
        return findings;
    }

    @Override
    public List<Finding> check(Needs needs) {
        boolean startsItself = api.settings().state() != null;
        List<Finding> findings = new ArrayList<>();
        switch (api.once("GET", "/v1/health", Map.of())) {
            case LocalApi.Result.Done done -> {
                findings.add(new Finding(
                        "endpoint", Verdict.GOOD, "answers, pid " + done.body().path("pid"), ""));
                findings.add(new Finding("credentials", Verdict.GOOD, "the token is accepted", ""));
                findings.add(clock(done.body().path("now").asText()));
                findings.addAll(types(needs));
            }
            case LocalApi.Result.Unsent unsent ->
                findings.add(new Finding(
                        "endpoint",
                        startsItself ? Verdict.WARNING : Verdict.BROKEN,
                        unsent.message(),
                        startsItself
                                ? "nothing to do: it is started by the first call"
                                : "start `spillway local-cloud`, or correct endpoint"));
            case LocalApi.Result.Refused refused -> {
                boolean token = refused.reason() == Reason.CREDENTIALS;
                findings.add(new Finding(
                        token ? "credentials" : "endpoint",
                        Verdict.BROKEN,
                        refused.message(),
                        token ? "point tokenFile to the token in the local-cloud's state" : "correct endpoint"));
            }
            case LocalApi.Result.Unclear unclear ->
                findings.add(new Finding(
                        "endpoint", Verdict.BROKEN, unclear.message(), "correct endpoint: is it a local-cloud?"));
        }
        return findings;
    }
}
