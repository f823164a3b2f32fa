package org.spillway.director.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeUserDataTest {
    private static NodeUserData.Settings settings(String ca, String intent) {
        return new NodeUserData.Settings("10.0.0.1", 8443, ca, "token-of-sixteen-or-more", intent, "key\n", 600);
    }

    @Test
    void fitsWithTheLargestCertificateInUseAndIsTheSameEachTime() {
        String ca = "-----BEGIN CERTIFICATE-----\n" + ("A".repeat(64) + "\n").repeat(60);
        String text = NodeUserData.render(settings(ca, "a"));
        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThan(NodeUserData.MAX_BYTES);
        assertThat(NodeUserData.render(settings(ca, "a"))).isEqualTo(text);
        assertThatThrownBy(() -> NodeUserData.render(settings("A".repeat(12_000), "a")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSettingIsNeverRunAsShell(@TempDir Path folder) throws Exception {
        Path trap = folder.resolve("trap");
        String text = NodeUserData.render(settings("a'; touch " + trap + "; '$(touch " + trap + ")", "a"));
        Path script = Files.writeString(folder.resolve("user-data"), text);
        var builder = new ProcessBuilder("sh", script.toString()).redirectErrorStream(true);
        // Half of what the local cloud says: it ends there, before it could make a node of this machine.
        builder.environment().put("SPILLWAY_INSTANCE_ID", "i-1");
        builder.environment().remove("SPILLWAY_INSTANCE_ADDRESS");
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isNotZero();
        assertThat(said).contains("SPILLWAY_INSTANCE_ADDRESS");
        assertThat(trap).doesNotExist();
        assertThatThrownBy(() -> settings("ca", "a'")).isInstanceOf(IllegalArgumentException.class);
        assertThat(settings("ca", "a").toString()).doesNotContain("token-of");
    }

    @Test
    void leadsToTheDirectorThatItNamesAndToNoOther() {
        String text = NodeUserData.render(settings("ca", "a"));
        assertThat(NodeUserData.leadsTo(text, "10.0.0.1")).isTrue();
        assertThat(NodeUserData.leadsTo(text, "10.0.0.10")).isFalse();
        assertThat(NodeUserData.leadsTo(text, "0.0.0.1")).isFalse();
        String six = NodeUserData.render(
                new NodeUserData.Settings("fd00::7", 8443, "ca", "token-of-sixteen-or-more", "a", "key\n", 600));
        assertThat(NodeUserData.leadsTo(six, "fd00::7")).isTrue();
        assertThat(NodeUserData.leadsTo(six, "fd00::77")).isFalse();
    }
}
