package org.spillway.cloud.aws;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.model.GetCallerIdentityRequest;
import software.amazon.awssdk.services.sts.model.GetCallerIdentityResponse;

/** Whether the site can be used: who we are first, then, if that is known, what we may and what is there. */
final class AwsDiagnostics implements Diagnostics {
    /** More than this is worth a word; a signature is refused after five minutes. */
    private static final Duration MAX_SKEW = Duration.ofSeconds(30);

    private static final Duration FATAL_SKEW = Duration.ofMinutes(5);
    private final SiteSettings site;
    private final AwsSettings settings;
    private final InstantSource clock;

    AwsDiagnostics(SiteSettings site, AwsSettings settings, InstantSource clock) {
        this.site = site;
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public List<Finding> check(Needs needs) {
        List<Finding> findings = new ArrayList<>();
        if (settings.endpoint() == null && !Region.regions().contains(Region.of(settings.region()))) {
            findings.add(broken("region", "'" + settings.region() + "' is no region", "correct region"));
            return findings;
        }
        // Clients of its own: what the SDK learns of a wrong clock must not reach the site's calls.
        try (AwsClients clients = new AwsClients(settings, site.recorder(), clock)) {
            if (whoAmI(clients, findings)) {
                findings.addAll(new AwsChecks(site, settings, clients, clock).run(needs));
            }
        }
        return findings;
    }

    static Finding good(String check, String detail) {
        return new Finding(check, Verdict.GOOD, detail, "");
    }

    static Finding warning(String check, String detail, String repair) {
        return new Finding(check, Verdict.WARNING, detail, repair);
    }

    static Finding broken(String check, String detail, String repair) {
        return new Finding(check, Verdict.BROKEN, detail, repair);
    }

    /** @return whether it makes sense to go on */
    private boolean whoAmI(AwsClients clients, List<Finding> findings) {
        try {
            clients.credentials().resolveCredentials();
        } catch (SdkException none) {
            findings.add(broken(
                    "credentials",
                    AwsErrors.describe(none),
                    settings.credentialsFile() == null
                            ? "give credentialsFile, or run on a machine with a role"
                            : "put profile '" + settings.profile() + "' with its two keys into credentialsFile"));
            return false;
        }
        try {
            GetCallerIdentityResponse answer = clients.sts()
                    .getCallerIdentity(GetCallerIdentityRequest.builder().build());
            findings.add(good("credentials", AwsErrors.printable(String.valueOf(answer.arn()))));
            clock(answer.sdkHttpResponse()).ifPresent(findings::add);
            return true;
        } catch (AwsServiceException refused) {
            Optional<Finding> clock = refused.awsErrorDetails() == null
                    ? Optional.empty()
                    : clock(refused.awsErrorDetails().sdkHttpResponse());
            if (AwsErrors.code(refused).startsWith("ExpiredToken")) {
                findings.add(broken(
                        "credentials",
                        AwsErrors.describe(refused),
                        "get new ones: these are temporary and over (aws sso login, or assume the role again)"));
                return false;
            }
            if (AwsErrors.isLate(refused) && clock.map(Finding::verdict).orElse(Verdict.GOOD) != Verdict.BROKEN) {
                clock = Optional.of(broken(
                        "clock",
                        "the provider finds our time wrong: " + AwsErrors.describe(refused),
                        "set this machine's clock, by NTP for example"));
            }
            clock.ifPresent(findings::add);
            if (clock.isPresent() && clock.get().verdict() == Verdict.BROKEN) {
                return false;
            }
            boolean credentials = AwsErrors.reason(refused) == Reason.CREDENTIALS;
            findings.add(AwsRegionCheck.of(settings, clients)
                    .filter(away -> credentials)
                    .orElseGet(() -> broken(
                            credentials ? "credentials" : "endpoint",
                            AwsErrors.describe(refused),
                            credentials
                                    ? "check that the access key exists, is active and belongs to this endpoint"
                                    : "try again; if it stays, correct endpoint")));
            return false;
        } catch (SdkException away) {
            findings.add(broken(
                    "endpoint",
                    AwsErrors.describe(away),
                    settings.endpoint() == null
                            ? "let this machine reach *." + settings.region() + ".amazonaws.com on port 443"
                            : "correct endpoint, or start what should answer there"));
            return false;
        }
    }

    private Optional<Finding> clock(@Nullable SdkHttpResponse response) {
        String date =
                response == null ? "" : response.firstMatchingHeader("Date").orElse("");
        try {
            Instant theirs =
                    DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT).parse(date, Instant::from);
            Duration skew = Duration.between(clock.instant(), theirs).abs();
            String found = "the provider's clock is " + skew.toSeconds() + " s away from this machine's";
            String repair = "set this machine's clock, by NTP for example";
            if (skew.compareTo(MAX_SKEW) <= 0) {
                return Optional.of(good("clock", "within " + MAX_SKEW.toSeconds() + " s"));
            }
            return Optional.of(
                    skew.compareTo(FATAL_SKEW) < 0 ? warning("clock", found, repair) : broken("clock", found, repair));
        } catch (DateTimeParseException untold) {
            return Optional.of(warning("clock", "the answer does not tell the time", "compare this machine's clock"));
        }
    }
}
