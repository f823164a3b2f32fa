package org.spillway.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ImageNameTest {
    private static final String DIGEST = "sha256:" + "0a".repeat(32);

    @ParameterizedTest
    @CsvSource({
        "ubuntu, docker.io/library/ubuntu:latest",
        "ubuntu:24.04, docker.io/library/ubuntu:24.04",
        "docker://org/app:2, docker.io/org/app:2",
        "registry.example.org/a/b/c:v1, registry.example.org/a/b/c:v1",
        "Registry.Example.org:5000/a__b-c.d, registry.example.org:5000/a__b-c.d:latest",
        "localhost/x, localhost/x:latest",
        "localhost:5000/x:1, localhost:5000/x:1",
        "[::1]:5000/x, [::1]:5000/x:latest",
        "oci:/home/ann/layout, oci:/home/ann/layout",
        "oci-archive:/home/ann/it is.tar, oci-archive:/home/ann/it is.tar"
    })
    void aNameIsReadAndWritten(String text, String whole) {
        ImageName name = ImageName.of(text);
        assertThat(name.text()).isEqualTo(whole);
        assertThat(ImageName.of(whole)).isEqualTo(name);
        ImageName pinned = name.pinned(DIGEST);
        assertThat(pinned.digest()).isEqualTo(DIGEST);
        assertThat(ImageName.of(pinned.text())).isEqualTo(pinned);
    }

    @Test
    void aDigestNeedsNoTag() {
        ImageName name = ImageName.of("r.example.org/a@" + DIGEST);
        assertThat(name.text()).isEqualTo("r.example.org/a@" + DIGEST);
        assertThat(((ImageName.Remote) name).reference()).isEqualTo(DIGEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/home/ann/image",
                "Upper/case",
                "a//b",
                "a:",
                "a:b:c",
                "a@sha256:12",
                "a@md5:0123",
                "-a",
                "a b",
                "r.example.org/",
                "r.example.org:port/a",
                "https://r.example.org/a",
                "user:word@r.example.org/a",
                "oci:relative",
                "oci:/a/../b",
                "oci:/",
                "oci-archive:",
                "a\nb"
            })
    void allElseIsRefused(String text) {
        assertThatThrownBy(() -> ImageName.of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:5000/a, true",
        "127.9.9.9/a, true",
        "localhost/a, true",
        "[::1]:5/a, true",
        "127.0.0.1.example.org/a, false",
        "localhost.example.org/a, false",
        "10.0.0.1:5000/a, false",
        "a, false"
    })
    void onlyThisMachineIsSpokenToInTheClear(String text, boolean loopback) {
        assertThat(((ImageName.Remote) ImageName.of(text)).isLoopback()).isEqualTo(loopback);
    }
}
