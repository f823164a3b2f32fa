package org.spillway.proof.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of {@code bench stage} are medians of what it has measured, and their ratios.
 *
 * @param measured values of all rounds by name; with {@code NAME.rsync} beside {@code NAME} where it was compared
 * @param files of the tree
 * @param shape of the line; null for the loopback
 */
record StageFigures(
        Map<String, List<Double>> measured,
        int files,
        @Nullable LinkShape shape) {
    private static final double ONCE = 1.01;
    /** Of rsync's time, over a line. */
    private static final double OVER_A_LINE = 0.45;

    private static final double PART_OF_LINE = 0.9;

    List<Figure> all(String versions, String missing) {
        List<Figure> figures = new ArrayList<>();
        int rounds = measured.values().stream().mapToInt(List::size).max().orElse(0);
        String tree = files + " files of " + StageTree.MEAN_BYTES / 1000 + " kB on average";
        Map<String, String> what = new LinkedHashMap<>();
        what.put("files", tree + ", from submit to the job's first read");
        what.put(StageBench.CHANGED, "the same with 1 % changed");
        what.put(StageBench.UNCHANGED, "the same with nothing changed");
        what.put("large", "one file of " + largeBytes() / 1_000_000 + " MB, likewise");
        what.put("results", tree + ", from the end of the script to its results at home");
        what.forEach((name, how) -> row(figures, name, how + ", median of " + rounds));
        if (shape != null) {
            line(figures, shape);
        }
        alike(figures);
        String each = "CPU seconds for each GB of the first row: ";
        cpu(figures, "cpu.", each);
        cpu(figures, "large.cpu.", "the same of the large file: ");
        figures.add(Figure.plain(
                "stage.director.resident", median("director.resident"), "MiB", "of the director after the first row"));
        figures.add(
                missing.isEmpty()
                        ? Figure.plain("stage.peer", 1, "", versions)
                        : Figure.plain("stage.peer", 0, "", "NOT COMPARED: " + missing));
        return figures;
    }

    private long largeBytes() {
        return files * StageBench.LARGE_BYTES_FOR_A_FILE;
    }

    private double median(String name) {
        return Samples.of(measured.getOrDefault(name, List.of(0.0))).median();
    }

    private void row(List<Figure> figures, String name, String how) {
        double ours = median(name);
        figures.add(Figure.plain("stage." + name, ours, "s", how));
        if (measured.containsKey(name + ".sent")) {
            figures.add(Figure.plain(
                    "stage." + name + ".answered", median(name + ".answered"), "s", "of that, until it was submitted"));
            figures.add(Figure.plain(
                    "stage." + name + ".found", median(name + ".found"), "s", "of that, until its copy could begin"));
            figures.add(Figure.plain(
                    "stage." + name + ".sent", median(name + ".sent"), "s", "then, until the region had it whole"));
            figures.add(Figure.plain(
                    "stage." + name + ".node",
                    median(name + ".node"),
                    "s",
                    "then, until its script had begun to read"));
        }
        if (measured.containsKey(name + ".rsync")) {
            double theirs = median(name + ".rsync");
            figures.add(Figure.plain("stage." + name + ".rsync", theirs, "s", "rsync -a over ssh, the same data"));
            boolean isBulk = name.equals("files") || name.equals("results");
            double target = shape != null && isBulk ? OVER_A_LINE : 1;
            figures.add(
                    Figure.below(target, "stage." + name + ".ratio", ours / theirs, "x rsync", "medians of one run"));
        }
    }

    private void line(List<Figure> figures, LinkShape line) {
        figures.add(Figure.plain("stage.link", line.bytesPerSecond() / 1e6, "MB/s", line.toString()));
        if (measured.containsKey("files.four")) {
            double four = median("files.four");
            figures.add(Figure.plain("stage.files.four", four, "s", "four rsyncs at once, a quarter of the tree each"));
            figures.add(
                    Figure.below(1, "stage.files.four.ratio", median("files") / four, "x four", "medians of one run"));
        }
        double wire = largeBytes() / line.bytesPerSecond();
        figures.add(Figure.below(
                1 / PART_OF_LINE, "stage.large.wire", median("large") / wire, "x wire", "until the job's first read"));
        figures.add(Figure.below(
                1 / PART_OF_LINE,
                "stage.large.sent.wire",
                median("large.sent") / wire,
                "x wire",
                "until the region had it whole"));
        for (String name : List.of("files", StageBench.CHANGED, StageBench.UNCHANGED, "large")) {
            figures.add(Figure.plain(
                    "stage." + name + ".carried", median(name + ".carried"), "MB", "over the line, both ways"));
        }
    }

    private void alike(List<Figure> figures) {
        List<Double> came = measured.get(StageBench.ALIKE);
        if (came != null) {
            // Where the agent is not root, jobs could write to what it kept, and so it keeps nothing.
            double most = came.stream().mapToDouble(Double::doubleValue).max().orElse(0);
            String how = StageBench.ALIKE_JOBS
                    + " jobs with one input at once: what came to nodes, as a part of once to each";
            figures.add(
                    "root".equals(System.getProperty("user.name"))
                            ? Figure.below(ONCE, "stage." + StageBench.ALIKE, most, "x input", how)
                            : Figure.plain("stage." + StageBench.ALIKE, most, "x input", how));
        }
    }

    private void cpu(List<Figure> figures, String row, String each) {
        Map<String, String> whose = new LinkedHashMap<>();
        whose.put("head", "the head and its workers");
        whose.put("workers", "of that, the workers, which begin with the first row");
        whose.put("director", "the director");
        whose.put("sshd", "the local cloud, which is the region's SSH server");
        whose.forEach((name, who) ->
                figures.add(Figure.plain("stage." + row + name, median(row + name), "s/GB", each + who)));
    }
}
