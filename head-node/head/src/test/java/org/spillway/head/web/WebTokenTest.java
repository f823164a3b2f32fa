package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WebTokenTest {
    @TempDir
    Path state;

    private String modeOf(String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve(file)));
    }

    @Test
    void isMadeOnceForItsOwnerOnly() throws IOException {
        var first = WebToken.open(state);
        assertThat(modeOf("web.token")).isEqualTo("rw-------");
        // 32 bytes of base64url.
        assertThat(Files.readString(state.resolve("web.token"))).matches("[A-Za-z0-9_-]{43}\n");
        assertThat(WebToken.open(state).link("h:1")).isEqualTo(first.link("h:1"));
        first.writeLink("127.0.0.1:8080");
        assertThat(modeOf("web.link")).isEqualTo("rw-------");
        assertThat(Files.readString(state.resolve("web.link"))).isEqualTo(first.link("127.0.0.1:8080") + "\n");
        first.removeLink();
        assertThat(state.resolve("web.link")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw-rw----", "rwx------"})
    void oneThatOthersMayHaveReadIsMadeAnew(String mode) throws IOException {
        var first = WebToken.open(state);
        Files.setPosixFilePermissions(state.resolve("web.token"), PosixFilePermissions.fromString(mode));
        assertThat(WebToken.open(state).link("h:1")).isNotEqualTo(first.link("h:1"));
        assertThat(modeOf("web.token")).isEqualTo("rw-------");
    }

    @Test
    void whatIsNoTokenIsMadeAnewAndALinkIsNotFollowed() throws IOException {
        var file = state.resolve("web.token");
        Files.writeString(file, "short\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(WebToken.open(state).isToken("short")).isFalse();
        var elsewhere = Files.writeString(state.resolve("elsewhere"), "A".repeat(43));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rw-------"));
        Files.delete(file);
        Files.createSymbolicLink(file, elsewhere);
        assertThat(WebToken.open(state).isToken("A".repeat(43))).isFalse();
        assertThat(elsewhere).hasContent("A".repeat(43));
    }
}
