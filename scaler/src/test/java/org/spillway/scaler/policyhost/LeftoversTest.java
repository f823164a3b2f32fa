package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LeftoversTest {
    @TempDir
    private Path temporary;

    private Path folder(String name, String owner) throws IOException {
        Path folder = Files.createDirectory(temporary.resolve(name));
        Files.createDirectories(folder.resolve("work-1/deep"));
        Files.writeString(folder.resolve("work-1/deep/file"), "x");
        if (!owner.isEmpty()) {
            Files.writeString(folder.resolve("owner"), owner);
        }
        return folder;
    }

    @Test
    void onlyFoldersOfProcessesThatAreGoneAreSwept() throws IOException {
        Path own = folder("spillway-policies-own", "");
        Leftovers.own(own);
        long self = ProcessHandle.current().pid();
        Path gone = folder("spillway-policies-gone", "4194305 0 " + Leftovers.numbering());
        Path reused = folder("spillway-policies-reused", self + " 1000 " + Leftovers.numbering());
        Path contained = folder("spillway-policies-contained", "4194305 0 pid:[1]");
        Path unsaid = folder("spillway-policies-unsaid", "");
        Path strange = folder("spillway-policies-strange", "who knows");
        Path another = folder("something-else", "4194305 0");
        Path link = Files.createSymbolicLink(temporary.resolve("spillway-policies-link"), another);

        assertThat(Leftovers.sweep(temporary, Containment.uid() + 1))
                .as("another user's")
                .isZero();
        assertThat(Leftovers.sweep(temporary, Containment.uid())).isEqualTo(2);
        assertThat(gone).doesNotExist();
        assertThat(reused).as("the process of that number is another one now").doesNotExist();
        assertThat(own).exists();
        assertThat(contained)
                .as("its owner may live in a container that shares the folder")
                .exists();
        assertThat(unsaid).exists();
        assertThat(strange).exists();
        assertThat(another).exists();
        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    @Test
    void linksAreRemovedAndNotFollowed() throws IOException {
        Path outside = Files.createDirectory(temporary.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "x");
        Path folder = folder("spillway-policies-links", "");
        Files.createSymbolicLink(folder.resolve("work-1/out"), outside);
        Files.createSymbolicLink(folder.resolve("file"), outside.resolve("precious"));
        Leftovers.delete(folder);
        assertThat(folder).doesNotExist();
        assertThat(outside.resolve("precious")).exists();
        Leftovers.delete(folder);
    }

    @Test
    void whatIsNestedWithoutEndIsLeftAndSaid() throws IOException {
        Path folder = Files.createDirectory(temporary.resolve("deep"));
        Path deep = folder;
        for (int i = 0; i < 80; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        assertThatThrownBy(() -> Leftovers.delete(folder)).hasMessageContaining("more than 64");
    }
}
