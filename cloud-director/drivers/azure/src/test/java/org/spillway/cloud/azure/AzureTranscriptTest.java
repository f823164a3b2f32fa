package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.transcript.Transcript;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A transcript of a subscription: all calls, and no secret. */
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
        String coded = Base64.getEncoder().encodeToString(SCRIPT.getBytes(StandardCharsets.UTF_8));
        assertThat(Files.readString(file))
                .contains("/oauth2/v2.0/token", "client_secret=***", "\\\"access_token\\\":\\\"***\\\"")
                .contains(
                        "Microsoft.Compute/virtualMachines", "\\\"customData\\\":\\\"***\\\"", "\"verdict\":\"BROKEN\"")
                .doesNotContain(secret)
                .doesNotContain(coded.substring(0, 20))
                .doesNotContain("Bearer ey");
    }
}
