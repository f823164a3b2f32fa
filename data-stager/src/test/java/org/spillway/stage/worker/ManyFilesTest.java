package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.stage.worker.UserFiles.Packed;

/** As many files as the data set has that this was first made for. */
@Tag("processes")
class ManyFilesTest extends OwnWorker {
    private static final int FILES = 112_249;
    private static final int IN_A_FOLDER = 1000;

    /** P1: on 7b3e1e2 refused, "more than 100000 files". */
    @Test
    void oneBundleHoldsThem() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Path file = folder.resolve(
                    "a-folder-with-a-name-%03d/a-file-with-a-longer-name-%06d.dat".formatted(i / IN_A_FOLDER, i));
            if (i % IN_A_FOLDER == 0) {
                Files.createDirectory(file.getParent());
            }
            Files.write(file, new byte[] {1});
        }
        List<Packed> files = packed(worker.find(folder.toString(), ROOMY));
        assertThat(files).hasSize(FILES);
        assertThat(pack(files)).hasSize((int) Bundles.length(files));
        assertThat(started).as("its memory is enough").hasSize(1);
    }
}
