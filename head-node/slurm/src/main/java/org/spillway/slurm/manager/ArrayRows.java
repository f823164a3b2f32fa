package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows of {@code squeue --array}, in which each waiting task of an array stands alone, put together again: tasks that have
 * one id are one job to slurmctld. Releases that know {@code --array-unique} (22.05 does, 24.11 and later do not) need none
 * of it, and without either option tasks that have ids of their own vanish in their array's row.
 */
final class ArrayRows {
    private static final int ID = SlurmJob.FIELDS.indexOf("JobID");
    private static final int TASK = SlurmJob.FIELDS.indexOf("ArrayTaskID");
    /** Slurm's own bound of {@code MaxArraySize}. */
    private static final int MOST = 4_000_001;

    private ArrayRows() {}

    /** In the order of the first row of each id. A row that is no single task stays as it is. */
    static List<List<String>> together(List<List<String>> rows) {
        Map<String, BitSet> tasks = new LinkedHashMap<>();
        for (List<String> row : rows) {
            int task = task(row);
            if (task >= 0) {
                tasks.computeIfAbsent(row.get(ID), _ -> new BitSet()).set(task);
            }
        }
        List<List<String>> together = new ArrayList<>();
        for (List<String> row : rows) {
            BitSet all = task(row) < 0 ? null : tasks.get(row.get(ID));
            if (all == null || all.cardinality() == 1) {
                together.add(row);
            } else if (!all.isEmpty()) {
                List<String> one = new ArrayList<>(row);
                one.set(TASK, ranges(all));
                together.add(one);
                all.clear();
            }
        }
        return together;
    }

    private static int task(List<String> row) {
        String text = row.get(TASK);
        if (text.isEmpty() || text.length() > 7 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        int task = Integer.parseInt(text);
        return task < MOST ? task : -1;
    }

    /** As squeue writes them: {@code 1-2,4,6-7}. */
    private static String ranges(BitSet tasks) {
        var text = new StringBuilder();
        for (int from = tasks.nextSetBit(0); from >= 0; ) {
            int to = tasks.nextClearBit(from) - 1;
            text.append(text.isEmpty() ? "" : ",").append(from);
            if (to > from) {
                text.append('-').append(to);
            }
            from = tasks.nextSetBit(to + 1);
        }
        return text.toString();
    }
}
