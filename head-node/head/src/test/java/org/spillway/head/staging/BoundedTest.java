package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.spillway.stage.transfer.ChecksumMismatch;

final class BoundedTest {
    @Test
    void takesWhatWasAnnouncedAndNotOneByteMore() throws IOException {
        ByteArrayOutputStream sink = new ByteArrayOutputStream();
        try (Bounded bounded = new Bounded(sink, 3)) {
            bounded.write(new byte[] {1, 2}, 0, 2);
            bounded.write(3);
            assertThatThrownBy(() -> bounded.write(4)).isInstanceOf(ChecksumMismatch.class);
            assertThatThrownBy(() -> bounded.write(new byte[] {5, 6}, 0, 2)).isInstanceOf(ChecksumMismatch.class);
        }
        assertThat(sink.toByteArray()).containsExactly(1, 2, 3);
    }
}
