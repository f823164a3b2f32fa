package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;

/**
 * A wall clock of some processes' own, which can be set while they run; their children have it too. Not by libfaketime:
 * under it each timed wait of a JVM returns at once, whatever the offset, and the machine has no CPU left.
 */
record OddClock(Path library, Path seconds) {
    /** Skips the test where none can be made. @param name of its file in that folder */
    static OddClock make(Path folder, String name) throws IOException, InterruptedException {
        Path library = folder.resolve("odd-clock.so");
        if (!Files.exists(library)) {
            Path source = folder.resolve("odd-clock.c");
            try (InputStream given =
                    Objects.requireNonNull(OddClock.class.getResourceAsStream("odd-clock.c"), "odd-clock.c")) {
                Files.copy(given, source);
            }
            assumeTrue(
                    TwoHeadsTest.isThere("gcc", "--version"),
                    "there is no gcc here, with which a clock of a process's own is made");
            TwoHeadsTest.run(
                    "gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library.toString(), source.toString());
        }
        OddClock clock = new OddClock(library, folder.resolve(name));
        clock.set(0);
        return clock;
    }

    /** Of a process whose clock it is to be. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "MACHINE_CLOCK", seconds.toString());
    }

    /** From this moment on it is off by so many. */
    void set(long offset) throws IOException {
        ByteBuffer value = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        value.putLong(offset).flip();
        // In place: processes look at these bytes.
        try (FileChannel file = FileChannel.open(seconds, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertThat(file.write(value, 0)).isEqualTo(Long.BYTES);
        }
    }
}
