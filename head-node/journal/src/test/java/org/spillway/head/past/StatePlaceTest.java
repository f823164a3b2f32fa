package org.spillway.head.past;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StatePlaceTest {
    @TempDir
    Path folder;

    @Test
    void aCopyIsElsewhere() throws IOException {
        Path state = Files.createDirectory(folder.resolve("state"));
        assertThat(new StatePlace(state).isElsewhere()).as("nobody has said").isTrue();
        new StatePlace(state).settle();
        assertThat(new StatePlace(state).isElsewhere()).isFalse();
        Path copy = Files.createDirectory(folder.resolve("copy"));
        Files.copy(state.resolve("head.place"), copy.resolve("head.place"));
        assertThat(new StatePlace(copy).isElsewhere()).isTrue();
    }
}
