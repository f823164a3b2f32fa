package org.spillway.stage.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SignedUrlTest {
    private static final AwsKeys KEYS =
            new AwsKeys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", "us-east-1", "");

    /** The example of Amazon's own documents ("Authenticating Requests: Using Query Parameters"). */
    @Test
    void signsAsAmazonSays() {
        URI signed = SignedUrl.of(
                KEYS,
                "us-east-1",
                URI.create("https://examplebucket.s3.amazonaws.com"),
                "GET",
                "test.txt",
                Map.of(),
                Instant.parse("2013-05-24T00:00:00Z"),
                Duration.ofDays(1));
        assertThat(signed.getRawQuery())
                .endsWith("X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
        assertThat(signed.getRawPath()).isEqualTo("/test.txt");
    }

    private static URI of(AwsKeys keys, String bucket, String key) {
        return SignedUrl.of(keys, "GET", bucket, key, Map.of(), Instant.EPOCH, Duration.ofHours(1));
    }

    @Test
    void aBucketHasAHostOrAPath() {
        assertThat(of(KEYS, "some-bucket", "a b/ü+").toString())
                .startsWith("https://some-bucket.s3.us-east-1.amazonaws.com/a%20b/%C3%BC%2B?X-Amz-Algorithm=");
        assertThat(of(KEYS, "With.Dots", "k").toString()).startsWith("https://s3.us-east-1.amazonaws.com/With.Dots/k?");
        AwsKeys own = new AwsKeys("", "", "", "", "http://127.0.0.1:9000/");
        assertThat(of(own, "b", "k")).isEqualTo(URI.create("http://127.0.0.1:9000/b/k"));
    }

    @Test
    void profilesAreRead() {
        String credentials = """
                [default]
                aws_access_key_id = A
                aws_secret_access_key=B
                # [work]
                [work]
                aws_access_key_id = C
                aws_secret_access_key = D=
                aws_session_token = E
                """;
        String config = "[profile  work]\nregion = eu-west-1\nendpoint_url = https://s3.example\n[default]\nregion=x\n";
        assertThat(AwsKeys.of(credentials, config, "")).isEqualTo(new AwsKeys("A", "B", "", "x", ""));
        assertThat(AwsKeys.of(credentials, config, "work"))
                .isEqualTo(new AwsKeys("C", "D=", "E", "eu-west-1", "https://s3.example"));
        assertThat(AwsKeys.of("", "", "").id()).isEmpty();
        assertThatThrownBy(() -> AwsKeys.of(credentials, config, "none"))
                .hasMessageContaining("none")
                .hasMessageNotContaining("D=");
        assertThat(KEYS.toString()).doesNotContain("wJalr").doesNotContain("AKIA");
    }

    @Test
    void aListingIsRead() {
        String xml = "<?xml version='1.0'?><!DOCTYPE a SYSTEM 'file:///etc/passwd'>";
        assertThatThrownBy(() -> page(xml + "<html>&x;</html>")).isInstanceOf(IllegalArgumentException.class);
        ObjectPage page = page("<ListBucketResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>"
                + "<NextContinuationToken>n/=</NextContinuationToken>"
                + "<Contents><Key>a&amp;b</Key><Size>12</Size></Contents></ListBucketResult>");
        assertThat(page.next()).isEqualTo("n/=");
        assertThat(page.objects()).containsExactly(new ObjectPage.Item("a&b", 12));
    }

    private static ObjectPage page(String xml) {
        return ObjectPage.read(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }
}
