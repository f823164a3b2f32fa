package org.spillway.head.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.cipher.BuiltinCiphers;
import org.apache.sshd.common.cipher.Cipher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that move data for days have the compiler and the ciphers for that. */
class LongRunningTest {
    private static final String BOTH_COMPILERS = "mixed mode, sharing";

    private final List<NamedFactory<Cipher>> usual =
            SshClient.setUpDefaultClient().getCipherFactories();

    /** P3: on 7b3e1e2 the head proposed chacha20-poly1305 first, a twentieth of what the processor can do. */
    @Test
    void ciphersOfTheProcessorAreProposedFirstAndNoneIsLeftOut() {
        List<NamedFactory<Cipher>> ordered = SshCiphers.order(usual, BOTH_COMPILERS);
        assertThat(names(ordered))
                .startsWith(BuiltinCiphers.aes128gcm.getName(), BuiltinCiphers.aes256gcm.getName())
                .containsExactlyInAnyOrderElementsOf(names(usual));
    }

    /** The first compiler alone computes AES-GCM at 6 MB/s. */
    @Test
    void aJvmWithoutTheSecondCompilerKeepsTheUsualOrder() {
        assertThat(SshCiphers.order(usual, "mixed mode, emulated-client, sharing"))
                .isEqualTo(usual);
        assertThat(SshCiphers.order(usual, "interpreted mode, sharing")).isEqualTo(usual);
    }

    /** P3: on 7b3e1e2 directors ran with the first compiler alone: 34 s of CPU for what takes 4 s. */
    @ParameterizedTest
    @ValueSource(strings = {"director.sh", "head.sh"})
    void theirJvmsHaveBothCompilers(String program) throws IOException {
        try (var in = SshDirectorLink.class.getResourceAsStream("/org/spillway/head/bootstrap/" + program)) {
            assertThat(in).isNotNull();
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(text.lines().filter(line -> line.contains("nohup")))
                    .isNotEmpty()
                    .noneMatch(line -> line.contains("TieredStopAtLevel"));
        }
    }

    private static List<String> names(List<NamedFactory<Cipher>> factories) {
        return factories.stream().map(NamedFactory::getName).toList();
    }
}
