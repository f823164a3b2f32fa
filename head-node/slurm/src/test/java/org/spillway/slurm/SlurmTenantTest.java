package org.spillway.slurm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SlurmTenantTest {
    @ParameterizedTest
    @ValueSource(strings = {"ANSI_X3.4-1968", "ISO-8859-1", ""})
    void doesNotTakeJobsFromSlurmWhenItCannotNameTheirFolders(String encoding) {
        assertThatThrownBy(() -> SlurmTenant.refuseOtherThanUtf8(encoding))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("LC_ALL=C.UTF-8");
    }

    @Test
    void takesThemWithUtf8() {
        assertThatCode(() -> SlurmTenant.refuseOtherThanUtf8("UTF-8")).doesNotThrowAnyException();
    }
}
