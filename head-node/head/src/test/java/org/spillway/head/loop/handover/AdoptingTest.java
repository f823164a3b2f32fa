package org.spillway.head.loop.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.journal.JobSpec;

/** Outputs of a foreign job that lie in its folder. */
final class AdoptingTest {
    private static List<String> inside(String folder, String pattern) {
        JobSpec.Output output = new JobSpec.Output(pattern, "/home/u/out", false, true);
        return Adopting.inFolder(new JobSpec.Data(List.of(), List.of(output), folder)).outputs().stream()
                .map(JobSpec.Output::pattern)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "/home/u, out/*, out/*",
        "/home/u, /home/u/out, out",
        "/home/u/, /home//u/a/out/, a/out",
        "/, /out, out",
        "/home/été, /home/été/sorties, sorties",
    })
    void isCollectedThere(String folder, String pattern, String expected) {
        assertThat(inside(folder, pattern)).containsExactly(expected);
    }

    @ParameterizedTest
    @CsvSource({"/home/u, /home/u", "/home/u, /home/u/", "/home/u, /home/ux/out", "/home/u, /tmp/out"})
    void orIsNot(String folder, String pattern) {
        assertThat(inside(folder, pattern)).isEmpty();
    }

    /** A NUL is what no locale can say. */
    @Test
    void aNameThatNoPathCanBeMadeOfIsText() {
        assertThat(inside("/home/u\0", "/home/u\0/a\0")).containsExactly("a\0");
    }
}
