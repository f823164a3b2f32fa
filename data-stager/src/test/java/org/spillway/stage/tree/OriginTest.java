package org.spillway.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OriginTest {
    private static final String SHA = "0123456789abcdef".repeat(4);

    @Test
    void eachIsKnown() {
        assertThat(Origin.of("/home/a/*.csv")).isEqualTo(new Origin.Home("/home/a/*.csv"));
        assertThat(Origin.of("https://me@Files.Example:8443/a/b%20c?x=1"))
                .isEqualTo(new Origin.Web(URI.create("https://files.example:8443/a/b%20c?x=1"), "me"));
        assertThat(Origin.of("s3://work@data/a b/c.bin")).isEqualTo(new Origin.Bucket("work", "data", "a b/c.bin"));
        assertThat(Origin.of("s3://data")).isEqualTo(new Origin.Bucket("", "data", ""));
        assertThat(Origin.of("urls:/home/a/list")).isEqualTo(new Origin.UrlList("/home/a/list"));
        assertThat(Origin.of("https://h/a/b%20c?x=1").lastName()).isEqualTo("b c");
        assertThat(Origin.of("s3://data/x/y/").lastName()).isEqualTo("y");
        assertThat(Origin.of("s3://data").lastName()).isEqualTo("data");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host/file",
                "gs://bucket/key",
                "http://host/file",
                "https://me:hunter2@host/file",
                "https:///file",
                "https://host/with blank",
                "s3://",
                "s3:///key",
                "urls:relative",
                "urls:/folder/",
                "relative",
                "https://host/f?X-Amz-Signature=abc",
                "https://host/f?sv=1&SIG=abc",
                "https://host/a\nb",
            })
    void whatIsNoneIsRefusedWithoutItsText(String text) {
        assertThatThrownBy(() -> Origin.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("hunter2")
                .doesNotContain("abc");
    }

    @Test
    void aSignatureIsNoPartOfAPlace() {
        assertThat(Origin.withoutSecrets(URI.create("https://h/f?id=1&sig=abc&X-Amz-Date=2")))
                .isEqualTo("https://h/f&id=1");
        assertThat(Origin.listed("https://h/f?sig=abc").shown()).isEqualTo("https://h/f?...");
    }

    @Test
    void aLineHasAUrlANameAndADigest() {
        assertThat(UrlLine.of("  # a comment")).isEmpty();
        assertThat(UrlLine.of("")).isEmpty();
        Origin web = Origin.of("https://h/a/b.bin");
        assertThat(UrlLine.of("https://h/a/b.bin")).isEqualTo(Optional.of(new UrlLine(web, "b.bin", "")));
        assertThat(UrlLine.of("https://h/a/b.bin  x/y " + SHA)).isEqualTo(Optional.of(new UrlLine(web, "x/y", SHA)));
        assertThat(UrlLine.of("https://h/a/b.bin sha256:" + SHA.toUpperCase(Locale.ROOT)))
                .isEqualTo(Optional.of(new UrlLine(web, "b.bin", SHA)));
        assertThat(UrlLine.of("https://h/a/b.bin\tx y\t" + SHA)).isEqualTo(Optional.of(new UrlLine(web, "x y", SHA)));
        assertThat(UrlLine.of("http://h/a " + SHA)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/home/a/b",
                "urls:/home/a/b",
                "s3://bucket/prefix/",
                "http://h/a",
                "http://me@h/a 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "https://h/a name 0123",
                "https://h/ ",
                "https://h/a b c d",
            })
    void otherLinesAreRefused(String line) {
        assertThatThrownBy(() -> UrlLine.of(line)).isInstanceOf(IllegalArgumentException.class);
    }
}
