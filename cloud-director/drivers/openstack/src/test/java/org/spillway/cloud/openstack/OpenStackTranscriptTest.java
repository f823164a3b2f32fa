package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.transcript.ReplayedProvider;
import org.spillway.cloud.transcript.Transcript;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Money;

/** A transcript of a project with a quota that is too small, without secrets, and what is said when it is replayed. */
final class OpenStackTranscriptTest {
    private static final Diagnostics.Needs NEEDS = new Diagnostics.Needs(Set.of("dear"), "");
    private static final String SECRET = "cloud/api/nova/password";

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, """
                zones: [a]
                types:
                  - {name: dear, cpus: 8, memoryGiB: 64, process: false, bootSeconds: 0}
                """, "nova");
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    private static SiteSettings settings(Map<String, String> options) {
        return SiteSettings.of("c", "s", options, directory).withPrices(Map.of("dear", Money.parse("0.10")));
    }

    @Test
    void isWrittenWithoutSecretsAndReplayed() throws Exception {
        cloud.breakAccount("quota-cores");
        SiteSettings settings = settings(new HashMap<>(Map.of(
                "endpoint", cloud.apiEndpoint() + "/v3",
                "image", "stock",
                "network", "lan",
                "applicationCredentialId", "spillway",
                "applicationCredentialSecretFile", SECRET)));
        Path file = directory.resolve("told.jsonl");
        try (Transcript transcript = Transcript.create(file, "1.0");
                Site site = new OpenStackDriver().open(settings.withRecorder(transcript.of("openstack", settings)))) {
            site.diagnostics().check(NEEDS).forEach(found -> transcript.found("s", found));
        }
        cloud.breakAccount();
        String text = Files.readString(file);
        assertThat(text)
                .contains("\"x-auth-token\":\"***\"")
                .contains("\"x-subject-token\":\"***\"")
                .doesNotContain(Files.readString(directory.resolve(SECRET)).strip());
        try (ReplayedProvider provider = new ReplayedProvider(file)) {
            assertThat(provider.findings())
                    .filteredOn(found -> found.verdict() == Verdict.BROKEN)
                    .extracting(Finding::check)
                    .containsExactly("quota cores");
            try (Site site = new OpenStackDriver().open(settings(provider.options("endpoint")))) {
                List<Finding> found = site.diagnostics().check(NEEDS);
                assertThat(found)
                        .extracting(Finding::check)
                        .isEqualTo(
                                provider.findings().stream().map(Finding::check).toList());
                assertThat(found)
                        .extracting(Finding::verdict)
                        .isEqualTo(provider.findings().stream()
                                .map(Finding::verdict)
                                .toList());
            }
        }
    }
}
