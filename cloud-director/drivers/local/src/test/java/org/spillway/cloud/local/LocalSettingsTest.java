package org.spillway.cloud.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.SiteSettings;

final class LocalSettingsTest {
    private static final Path HOME = Path.of("/somewhere");

    private static LocalSettings settings(Map<String, String> options) {
        return LocalSettings.from(SiteSettings.of("cluster", "site", options, HOME));
    }

    @Test
    void defaults() {
        assertThat(settings(Map.of("state", "cloud")))
                .isEqualTo(new LocalSettings(
                        "",
                        HOME.resolve("cloud/token"),
                        HOME.resolve("cloud"),
                        "",
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(5),
                        0));
    }

    @Test
    void everyOptionArrives() {
        Map<String, String> options =
                Map.of("endpoint", "127.0.0.1:80", "tokenFile", "t", "timeoutSeconds", "1", "consistencySeconds", "0");
        assertThat(settings(options))
                .isEqualTo(new LocalSettings(
                        "127.0.0.1:80", HOME.resolve("t"), null, "", Duration.ofSeconds(1), Duration.ZERO, 0));
        assertThat(settings(Map.of("state", "/elsewhere/../cloud", "config", "c.yaml")))
                .extracting(LocalSettings::state, LocalSettings::config)
                .containsExactly(Path.of("/cloud"), "c.yaml");
        assertThat(settings(Map.of("state", "cloud", "sshPort", "65535")).sshPort())
                .isEqualTo(65_535);
    }

    /** ADR 36: with the first compiler alone AES-GCM is 6 MB/s, and that is what a whole site had. */
    @Test
    void aLocalCloudHasTheCompilersOfTheHeadThatStartsIt() {
        assertThat(LocalCloudStarter.compilers("mixed mode, sharing")).isEmpty();
        assertThat(LocalCloudStarter.compilers("mixed mode, emulated-client, sharing"))
                .containsExactly("-XX:TieredStopAtLevel=1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            state=a colour=blue             | colour             | unknown; allowed for driver local: config, consistencySeconds, endpoint, sshPort, state, timeoutSeconds, tokenFile
            timeoutSeconds=3                | state              | missing; give either state, or endpoint and tokenFile
            state=a tokenFile=t             | tokenFile          | goes with endpoint; with state it is found there
            state=a timeoutSeconds=0        | timeoutSeconds     | found '0'; allowed: whole seconds, 1 to 3600
            state=a timeoutSeconds=1.5      | timeoutSeconds     | found '1.5'; allowed: whole seconds, 1 to 3600
            state=a consistencySeconds=3601 | consistencySeconds | found '3601'; allowed: whole seconds, 0 to 3600
            state=a sshPort=0               | sshPort            | found '0'; allowed: 1 to 65535
            state=a sshPort=65536           | sshPort            | found '65536'; allowed: 1 to 65535
            endpoint=here tokenFile=t       | endpoint           | found 'here'; expected HOST:PORT with 127.0.0.1, localhost or [::1]: the token would cross a network in the clear
            endpoint=10.0.0.9:80 tokenFile=t | endpoint          | found '10.0.0.9:80'; expected HOST:PORT with 127.0.0.1, localhost or [::1]: the token would cross a network in the clear
            endpoint=127.0.0.1.example:80   | endpoint           | found '127.0.0.1.example:80'; expected HOST:PORT with 127.0.0.1, localhost or [::1]: the token would cross a network in the clear
            endpoint=localhost:1                    | tokenFile          | missing; endpoint needs the path of the token's file
            endpoint=[::1]:1 tokenFile=t state=a | state             | does not go with endpoint; remove one of them
            endpoint=127.9.0.1:1 tokenFile=t config=a | config           | does not go with endpoint; remove one of them
            """, quoteCharacter = '"')
    void rejectsWithKeyAndWhatIsAllowed(String options, String key, String message) {
        Map<String, String> map = new java.util.HashMap<>();
        for (String option : options.split(" ", -1)) {
            map.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
        }
        assertThatThrownBy(() -> settings(map))
                .isInstanceOfSatisfying(
                        SiteSettings.Invalid.class,
                        invalid -> assertThat(invalid.key()).isEqualTo(key))
                .hasMessage(message);
    }
}
