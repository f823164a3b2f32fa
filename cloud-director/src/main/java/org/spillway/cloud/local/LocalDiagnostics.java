package org.spillway.cloud.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.Diagnostics;
import org.spillway.policy.LaunchOutcome.Reason;

/** Looks, and starts nothing. */
final class LocalDiagnostics implements Diagnostics {
    private final LocalApi api;

    LocalDiagnostics(LocalApi api) {
        this.api = api;
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
