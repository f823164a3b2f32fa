package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.stage.reach.Entry;

final class FileHandleTest {
    private static Entry file(String name, int mode, long bytes, String identity) {
        return new Entry(name, mode, 1000, 1000, bytes, 7, identity, "", true);
    }

    @Test
    void saysToAnyDirectorWhichFileItIs() {
        var handle = new FileHandle(3, "/home/ann/d:1/ü x", file("ü x", 0100600, 12, "(dev=1,ino=2) 12 7 8"));
        assertThat(FileHandle.of(handle.text())).isEqualTo(handle);
    }

    @Test
    void takesNothingElse() {
        for (FileHandle each : List.of(
                new FileHandle(1, "/a/b", file("c", 0100600, 1, "i")),
                new FileHandle(1, "/a/b", file("b", 0040700, 1, "i")),
                new FileHandle(1, "/a/b", file("b", 0100600, -1, "i")),
                // Several files are asked for at once by words between slashes.
                new FileHandle(1, "/a/b", file("b", 0100600, 1, "i/c/j")))) {
            assertThatIllegalArgumentException().isThrownBy(() -> FileHandle.of(each.text()));
        }
        for (String each : List.of("", "5", "1:/a", "1:!/a", "x:AAAA/a", "/1:a")) {
            assertThatIllegalArgumentException().as(each).isThrownBy(() -> FileHandle.of(each));
        }
    }
}
