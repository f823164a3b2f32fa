package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.transcript.ReplayedProvider;
import org.spillway.cloud.transcript.Transcript;
import org.spillway.localcloud.arm.ArmTls;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A transcript of a subscription: all calls, no secret, and the same findings when it is replayed. */
final class AzureTranscriptTest {
    private static final String SCRIPT = "#!/bin/sh\necho planted-in-custom-data\n";

    @TempDir
    private Path folder;

    @Test
    void ofASubscriptionThatDenies() throws Exception {
        Path file = folder.resolve("told.jsonl");
        String secret;
        try (ArmCloud cloud = new ArmCloud(folder, """
                zones: [a]
                types:
                  - {name: small, cpus: 2, memoryGiB: 4, process: false, bootSeconds: 0}
                """)) {
            secret = Files.readString(cloud.folder().resolve("client-secret")).strip();
            SiteSettings settings = SiteSettings.of("c", "told", cloud.options(), folder);
            try (Transcript transcript = Transcript.create(file, "1.0");
                    Site site = new AzureDriver().open(settings.withRecorder(transcript.of("azure", settings)))) {
                site.network().orElseThrow().create();
                cloud.process().breakAccount("denied:Microsoft.Compute/virtualMachines/delete");
                site.diagnostics()
                        .check(new Diagnostics.Needs(Set.of("small"), "", Set.of(Market.ON_DEMAND)))
                        .forEach(found -> transcript.found("told", found));
                site.compute()
                        .launch(LaunchRequest.of("i1", 1, new OfferingId("told", "a", "small", Market.ON_DEMAND), 1)
                                .withUserData(SCRIPT));
            }
        }
        assertReplayed(file);
        String coded = Base64.getEncoder().encodeToString(SCRIPT.getBytes(StandardCharsets.UTF_8));
        assertThat(Files.readString(file))
                .contains("/oauth2/v2.0/token", "client_secret=***", "\\\"access_token\\\":\\\"***\\\"")
                .contains(
                        "Microsoft.Compute/virtualMachines", "\\\"customData\\\":\\\"***\\\"", "\"verdict\":\"BROKEN\"")
                .doesNotContain(secret)
                .doesNotContain(coded.substring(0, 20))
                .doesNotContain("Bearer ey");
    }

    /** Somebody else's subscription, as far as it has told: the driver says of it again what it has said of it there. */
    private void assertReplayed(Path file) throws Exception {
        Path state = folder.resolve("cloud/api/arm");
        try (ReplayedProvider provider = new ReplayedProvider(file, ArmTls.context(state, Instant.now()))) {
            Map<String, String> options = provider.options("endpoint", "authority", "pricesEndpoint");
            options.put("caFile", state.resolve("ca.pem").toString());
            options.put("clientSecretFile", state.resolve("client-secret").toString());
            try (Site site = new AzureDriver().open(SiteSettings.of("c", "told", options, folder))) {
                List<Diagnostics.Finding> found =
                        site.diagnostics().check(new Diagnostics.Needs(Set.of("small"), "", Set.of(Market.ON_DEMAND)));
                assertThat(found)
                        .extracting(Diagnostics.Finding::check, Diagnostics.Finding::verdict)
                        .isEqualTo(provider.findings().stream()
                                .map(each -> tuple(each.check(), each.verdict()))
                                .toList());
                assertThat(found)
                        .filteredOn(each -> each.verdict() == Diagnostics.Verdict.BROKEN)
                        .isNotEmpty();
            }
        }
    }
}
