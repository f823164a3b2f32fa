package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeadProcessTest {
    @ParameterizedTest
    @ValueSource(strings = {"ANSI_X3.4-1968", "ISO-8859-1", ""})
    void doesNotTakeJobsFromSlurmWhenItCannotNameTheirFolders(String encoding) {
        assertThatThrownBy(() -> HeadProcess.refuseOtherThanUtf8(encoding))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("LC_ALL=C.UTF-8");
    }

    @Test
    void takesThemWithUtf8() {
        assertThatCode(() -> HeadProcess.refuseOtherThanUtf8("UTF-8")).doesNotThrowAnyException();
    }
}
