package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.settings.Problems;
import org.spillway.settings.Section;
import org.spillway.settings.SettingsFile;

final class BackupReaderTest {
    @TempDir
    Path folder;

    private final Problems problems = new Problems();

    private Optional<BackupSettings> read(String text) throws IOException {
        var file = Files.writeString(folder.resolve("s.yaml"), text);
        var node = SettingsFile.node(file, problems).orElseThrow();
        return BackupReader.read(new Section(problems, "", node, node), folder.resolve("state"), folder);
    }

    @Test
    void eachKeyIsReadAndHasItsDefault() throws IOException {
        assertThat(read("cluster: a")).isEmpty();
        assertThat(read("backup: { folder: copies, every: 6h }"))
                .contains(new BackupSettings(folder.resolve("copies"), Duration.ofHours(6), null, 7));
        assertThat(read("backup: { folder: /b, cron: '0 30 2 ? * *', keep: 30 }"))
                .contains(new BackupSettings(Path.of("/b"), null, "0 30 2 ? * *", 30));
        assertThat(problems.none()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ folder: /b }|found neither; allowed: one of every, cron",
                "{ folder: /b, every: 1h, cron: '0 30 2 ? * *' }|found both; allowed: one of every, cron",
                "{ folder: /b, every: 1s }|backup.every: found '1s'",
                "{ folder: /b, cron: never }|backup.cron: found 'never'; allowed: a Quartz cron",
                "{ folder: state, every: 1h }|backup.folder: found the state directory itself",
                "{ folder: /b, every: 1h, keep: 0 }|backup.keep: found '0'",
                "{ every: 1h }|backup.folder: missing",
                "{ folder: /b, every: 1h, kept: 3 }|backup.kept"
            })
    void mistakesAreNamed(String section, String message) throws IOException {
        read("backup: " + section);
        assertThat(problems.inOrder().toString().replace(", message=", ": ")).contains(message);
    }
}
