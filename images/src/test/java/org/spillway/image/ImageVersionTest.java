package org.spillway.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.stage.Checksum;

class ImageVersionTest {
    private static final Checksum ARCHIVE = new Checksum(12, "ab".repeat(32));

    @Test
    void theSignedTextIsExactlyThis() {
        assertThat(ImageVersion.signedText("base", ARCHIVE))
                .asString(StandardCharsets.US_ASCII)
                .isEqualTo("spillway-image-1\nbase\n" + "ab".repeat(32) + "\n12\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Base", "a/b", "two\nlines"})
    void aNameThatCouldForgeALineIsRefused(String name) {
        assertThatThrownBy(() -> ImageVersion.signedText(name, ARCHIVE)).isInstanceOf(IllegalArgumentException.class);
    }
}
