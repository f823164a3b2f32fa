package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.journal.JobSpec;

class BundleNamesTest {
    @ParameterizedTest
    @CsvSource({
        "/h/u/a.csv, '', /h/u/a.csv, a.csv",
        "/h/u/a.csv, b.csv, /h/u/a.csv, b.csv",
        "/h/u/a.csv, in/, /h/u/a.csv, in/a.csv",
        "/h/u/data, '', /h/u/data/x/y, data/x/y",
        "/h/u/data/, '', /h/u/data/x/y, data/x/y",
        "/h/u/data, in, /h/u/data/x/y, in/x/y",
        "/h/u/data, in/, /h/u/data/x/y, in/data/x/y",
        "/h/u/data/*.csv, '', /h/u/data/a.csv, a.csv",
        "/h/u/data/*.csv, in, /h/u/data/a.csv, in/a.csv",
        "/h/u/data/*.csv, in/, /h/u/data/a.csv, in/a.csv",
        "'/h/u/{a,b}/**', in, /h/u/a/x/y, in/a/x/y",
        "/h/u/odd\\*, '', /h/u/odd*, odd*",
        "/h/u/odd\\*, in, /h/u/odd*/x, in/x",
        "/*.csv, '', /a.csv, a.csv",
        "/data, '', /data/a, data/a",
    })
    void keepsWhatTheUserMeans(String pattern, String target, String path, String name) {
        assertThat(BundleNames.of(new JobSpec.Input(pattern, target)).apply(path))
                .isEqualTo(name);
    }

    @Test
    void leavesSpillwaysOwnFolderAlone() {
        assertThatThrownBy(() ->
                        BundleNames.of(new JobSpec.Input("/h/.spillway", "")).apply("/h/.spillway/script"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Spillway's own");
    }
}
