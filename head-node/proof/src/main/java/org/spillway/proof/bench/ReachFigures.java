package org.spillway.proof.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The figures of {@code bench reach} are medians of what it has measured, and their ratios.
 *
 * @param measured values of all rounds by name; {@code NAME.in} is with declared inputs, {@code NAME.sshfs} by sshfs
 * @param files of each tree
 */
record ReachFigures(Map<String, List<Double>> measured, int files, LinkShape shape) {
    private static final int TARGET_FILES = 2000;
    private static final double MOST_EXTRACT_SECONDS = 6;
    private static final double MOST_HOME_SECONDS = 10;
    private static final double MOST_OF_DECLARED = 2;
    private static final double PART_OF_LINE = 0.8;

    List<Figure> all(String versions, String missing) {
        List<Figure> figures = new ArrayList<>();
        String tree = files + " files of " + ReachTree.BYTES / 1000 + " kB";
        // The promise is for 2,000 files; another number is held to its share.
        double share = files / (double) TARGET_FILES;
        figures.add(Figure.below(
                MOST_EXTRACT_SECONDS * share,
                "reach.extract",
                median("extract"),
                "s",
                "tar x of a tarball in the home below the home, " + tree + ", until the job goes on"));
        figures.add(Figure.below(
                MOST_HOME_SECONDS * share,
                "reach.extract.home",
                median("extract.home"),
                "s",
                "from its begin until all of it is at home"));
        peer(figures, "extract", "the same on sshfs, " + ReachBench.PEER_PART + " times what a part as small takes");
        declared(figures, "build", "cc -O0 of " + ReachTree.sources(files) + " of " + tree + ", beside them");
        declared(figures, "read", "tar c of " + tree);
        peer(figures, "read", "the same on sshfs, " + ReachBench.PEER_PART + " times what a part as small takes");
        large(figures);
        figures.add(Figure.plain("reach.link", shape.bytesPerSecond() / 1e6, "MB/s", shape.toString()));
        figures.add(
                missing.isEmpty()
                        ? Figure.plain("reach.peer", 1, "", versions)
                        : Figure.plain("reach.peer", 0, "", "NOT COMPARED: " + missing));
        return figures;
    }

    private double median(String name) {
        return Samples.of(measured.getOrDefault(name, List.of(0.0))).median();
    }

    private void declared(List<Figure> figures, String name, String how) {
        figures.add(Figure.plain("reach." + name, median(name), "s", how));
        figures.add(Figure.plain(
                "reach." + name + ".in",
                median(name + ".in"),
                "s",
                "the same work on what was declared, in its folder"));
        figures.add(Figure.plain(
                "reach." + name + ".work.ratio", median(name) / median(name + ".in"), "x declared", "of these two"));
        figures.add(Figure.plain(
                "reach." + name + ".all", median(name + ".all"), "s", "from its submission to the end of that work"));
        figures.add(Figure.plain(
                "reach." + name + ".in.all", median(name + ".in.all"), "s", "the same with what was declared"));
        figures.add(Figure.below(
                MOST_OF_DECLARED,
                "reach." + name + ".ratio",
                median(name + ".all") / median(name + ".in.all"),
                "x declared",
                "from submission to the end of the work, medians of one run"));
    }

    private void peer(List<Figure> figures, String name, String how) {
        if (measured.containsKey(name + ".sshfs")) {
            double theirs = median(name + ".sshfs");
            figures.add(Figure.plain("reach." + name + ".sshfs", theirs, "s", how));
            figures.add(Figure.plain(
                    "reach." + name + ".sshfs.ratio", median(name) / theirs, "x sshfs", "medians of one run"));
        }
    }

    private void large(List<Figure> figures) {
        long bytes = files * ReachBench.LARGE_BYTES_FOR_A_FILE;
        double wire = bytes / shape.bytesPerSecond();
        figures.add(
                Figure.plain("reach.large", median("large"), "s", "one file of " + bytes / 1_000_000 + " MB, read"));
        figures.add(Figure.below(
                1 / PART_OF_LINE,
                "reach.large.wire",
                median("large") / wire,
                "x wire",
                "of what the line takes for it"));
        peer(figures, "large", "the same on sshfs");
        figures.add(Figure.plain(
                "reach.large.in.all",
                median("large.in.all"),
                "s",
                "with it declared: from its submission until it was read"));
        figures.add(Figure.plain(
                "reach.large.in.node",
                median("large.in.node"),
                "s",
                "of that, from the region to a node until its job began"));
        figures.add(Figure.plain("reach.other", median("other"), "s", "the same file, on another node of the region"));
        figures.add(Figure.below(
                1 / PART_OF_LINE,
                "reach.other.local",
                median("other") / (median("large.in.node") + median("large.in")),
                "x local",
                "of what that node takes for a declared one that is in the region: to its disk, and read there"));
        figures.add(Figure.below(
                bytes / 1e8, "reach.other.carried", median("other.carried"), "MB", "over the line for it, both ways"));
        figures.add(Figure.plain("reach.again", median("again"), "s", "the same file, by a third job"));
        figures.add(Figure.plain(
                "reach.large.carried", median("large.carried"), "MB", "over the line for the first one, both ways"));
        for (String who : List.of("head", "workers", "director", "sshd")) {
            figures.add(Figure.plain(
                    "reach.cpu." + who, median("cpu." + who), "s/GB", "CPU seconds for each GB of the first one"));
        }
    }
}
