package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HostListTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "onprem1|onprem1",
                "onprem[1-2]|onprem1 onprem2",
                "west[1-2,7],east1|west1 west2 west7 east1",
                "n[08-11]|n08 n09 n10 n11",
                "r[1-2]n[0-1]-ib|r1n0-ib r1n1-ib r2n0-ib r2n1-ib",
                "b,a|b a"
            })
    void listsAreExpandedInTheirOrder(String text, String names) {
        assertThat(HostList.names(text)).containsExactly(names.split(" "));
    }

    @Test
    void nothingIsNoHost() {
        assertThat(HostList.names("(null)")).isEmpty();
        assertThat(HostList.names("")).isEqualTo(List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "west[1-2",
                "west1-2]",
                "west[a-b]",
                "west[]",
                "a,,b",
                "n[0-999999999]",
                "r[1-999]n[1-999]",
                "a[1[2]]"
            })
    void nonsenseIsRefused(String text) {
        assertThatThrownBy(() -> HostList.names(text)).isInstanceOf(NumberFormatException.class);
    }
}
