package org.spillway.cloud.delegated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.SiteSettings;

final class DelegatedSettingsTest {
    @TempDir
    private Path directory;

    private Map<String, String> good() throws Exception {
        Map<String, String> options = new HashMap<>(Map.of("endpoint", "https://127.0.0.1:8444"));
        for (String key : new String[] {"tokenFile", "keyFile", "certificateFile", "caFile"}) {
            Path file = Files.writeString(directory.resolve(key), "x");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            options.put(key, key);
        }
        return options;
    }

    private DelegatedSettings read(Map<String, String> options) {
        return DelegatedSettings.from(SiteSettings.of("home-c1", "east", options, directory));
    }

    @Test
    void defaultsAndPaths() throws Exception {
        DelegatedSettings settings = read(good());
        assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.tokenFile()).isEqualTo(directory.resolve("tokenFile"));
        assertThat(settings.endpoint()).hasToString("https://127.0.0.1:8444");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "endpoint|http://127.0.0.1:8444|expected https://HOST:PORT",
                "endpoint|https://127.0.0.1|expected https://HOST:PORT",
                "endpoint|https://user@host:1|expected https://HOST:PORT",
                "timeoutSeconds|0|found '0'; allowed: whole seconds, 1 to 3600",
                "timeoutSeconds|1.5|found '1.5'; allowed: whole seconds, 1 to 3600",
                "token|abc|unknown; allowed for driver delegated: caFile, certificateFile, endpoint, keyFile,",
                "caFile|''|missing",
                "keyFile|''|missing",
            })
    void mistakesAreNamed(String key, String value, String message) throws Exception {
        Map<String, String> options = good();
        options.put(key, value);
        assertThatThrownBy(() -> read(options))
                .isInstanceOfSatisfying(
                        SiteSettings.Invalid.class,
                        invalid -> assertThat(invalid.key()).isEqualTo(key))
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"tokenFile", "keyFile"})
    void aSecretThatOthersMayReadIsRefused(String key) throws Exception {
        Map<String, String> options = good();
        Files.setPosixFilePermissions(directory.resolve(key), PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> read(options))
                .isInstanceOf(SiteSettings.Invalid.class)
                .hasMessageContaining("rw-r-----; a secret's file is of mode 600 or 400");
    }
}
