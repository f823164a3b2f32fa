package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** As squeue of 24.11.5 writes an array of 7 that is held, with two tasks that somebody has spoken of. */
final class ArrayRowsTest {
    @Test
    void tasksOfOneIdAreOneJob() {
        List<List<String>> rows = ArrayRows.together(List.of(
                row("1", "1"),
                row("1", "2"),
                row("9", ""),
                row("1", "4"),
                row("1", "6"),
                row("1", "7"),
                row("3", "5"),
                row("2", "3")));

        assertThat(rows).containsExactly(row("1", "1-2,4,6-7"), row("9", ""), row("3", "5"), row("2", "3"));
    }

    @Test
    void rowsThatAreTogetherStay() {
        List<List<String>> rows = List.of(row("1", "1-500:2%10"), row("2", "N/A"), row("3", "7"), row("4", "12345678"));

        assertThat(ArrayRows.together(rows)).isEqualTo(rows);
    }

    @Test
    void aLargeArrayIsOneRow() {
        List<List<String>> rows = IntStream.range(0, 10_000)
                .mapToObj(task -> row("1", Integer.toString(task)))
                .toList();

        assertThat(ArrayRows.together(rows)).containsExactly(row("1", "0-9999"));
    }

    private static List<String> row(String id, String task) {
        List<String> row = new ArrayList<>(Collections.nCopies(SlurmJob.FIELDS.size(), "x"));
        row.set(SlurmJob.FIELDS.indexOf("JobID"), id);
        row.set(SlurmJob.FIELDS.indexOf("ArrayTaskID"), task);
        return row;
    }
}
