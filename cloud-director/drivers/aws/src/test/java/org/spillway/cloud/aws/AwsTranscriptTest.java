package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.transcript.ReplayedProvider;
import org.spillway.cloud.transcript.Transcript;
import org.spillway.policy.Market;

/** A transcript of an account: written without secrets, and answered from again. */
final class AwsTranscriptTest extends AwsCloudFixture {
    private static final Diagnostics.Needs NEEDS =
            new Diagnostics.Needs(Set.of("m7i.large"), "", Set.of(Market.ON_DEMAND));

    @TempDir
    Path folder;

    private SiteSettings settings(Map<String, String> more) throws Exception {
        String endpoint = cloud.apiEndpoint();
        Map<String, String> options = new HashMap<>(AwsDriverContractTest.DEFAULT_NETWORK);
        options.putAll(Map.of(
                "region",
                "us-east-1",
                "endpoint",
                endpoint,
                "pricingEndpoint",
                endpoint,
                "credentialsFile",
                cloud.state().resolve("api/ec2/credentials").toString(),
                "image",
                "ami-00000000000000001",
                "subnets",
                ZONE + "=subnet-00000000000000001",
                "types",
                "t3.*,m7i.*,p5.*"));
        options.putAll(more);
        return SiteSettings.of("c", "told", options, folder.resolve("state"));
    }

    private Path record() throws Exception {
        Path file = folder.resolve("told.jsonl");
        SiteSettings settings = settings(Map.of());
        try (Transcript transcript = Transcript.create(file, "1.0")) {
            try (Site site = new AwsDriver().open(settings.withRecorder(transcript.of("aws", settings)))) {
                site.diagnostics().check(NEEDS).forEach(found -> transcript.found("told", found));
                site.compute()
                        .launch(request("told", "i1", "t3.nano", 1)
                                .withUserData("#!/bin/sh\necho planted-in-user-data\n")
                                .withTags(Map.of(Instance.TAG_ROLE, "NODE")));
            }
        }
        return file;
    }

    @Test
    void ofAnAccountThatDeniesAndIsReplayed() throws Exception {
        cloud.breakAccount("denied:RunInstances");
        Path file = record();
        cloud.breakAccount();
        String text = Files.readString(file);
        String credentials = Files.readString(cloud.state().resolve("api/ec2/credentials"));
        for (String word : credentials.split("[\\s=]+", -1)) {
            if (word.length() >= 8 && !word.startsWith("aws_")) {
                assertThat(text).doesNotContain(word);
            }
        }
        assertThat(text)
                .contains("Action=RunInstances")
                .contains("UserData=***")
                .doesNotContain("Signature=")
                .doesNotContain(Base64.getEncoder()
                        .encodeToString("#!/bin/sh\necho planted".getBytes(StandardCharsets.UTF_8))
                        .substring(0, 20));
        try (ReplayedProvider provider = new ReplayedProvider(file)) {
            assertThat(provider.findings()).anyMatch(found -> found.verdict() == Verdict.BROKEN);
            Map<String, String> options = provider.options("endpoint", "pricingEndpoint");
            options.put(
                    "credentialsFile",
                    cloud.state().resolve("api/ec2/credentials").toString());
            SiteSettings replayed = SiteSettings.of("c", "told", options, folder.resolve("again"));
            try (Site site = new AwsDriver().open(replayed)) {
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
