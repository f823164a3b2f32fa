package org.spillway.head.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Finding M10: a full disk at the start named no path. */
final class StartTroubleTest {
    private static final Path STATE = Path.of("/var/lib/spillway");

    @Test
    void aFullDiskNamesItsPathAndTheRepair() {
        assertThat(StartTrouble.sentence(new IOException("No space left on device"), STATE))
                .isEqualTo("the state directory /var/lib/spillway cannot be used: No space left on device;"
                        + " make room on that disk, then start again");
        assertThat(StartTrouble.sentence(
                        new FileSystemException("/var/lib/spillway/images", null, "Read-only file system"), STATE))
                .startsWith("/var/lib/spillway/images: Read-only file system; mount it");
        assertThat(StartTrouble.sentence(new IOException("/a/b: Too many open files"), STATE))
                .startsWith("/a/b: Too many open files; raise the limit");
    }

    @Test
    void whatSaysItselfWhatToDoIsLeftAsItIs() {
        assertThat(StartTrouble.sentence(new IOException("the journal has jobs in site x"), STATE))
                .isEqualTo("the journal has jobs in site x");
    }
}
