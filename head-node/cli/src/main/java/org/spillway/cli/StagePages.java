package org.spillway.cli;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.api.StagedView;
import org.spillway.settings.Quantities;

/** Pages of what a user has in sites. Pure. @param time how an instant is written; empty for none */
record StagePages(Function<@Nullable Instant, String> time) {
    /** All of it. */
    String listed(List<StagedView> stages) {
        if (stages.isEmpty()) {
            return "Nothing is staged.\n";
        }
        var table = new Table("STAGE", "SITE", "STATE", "FILES", "SIZE", "LAST USED", "KEPT UNTIL", "PATHS");
        for (var stage : stages) {
            table.row(
                    stage.id(),
                    stage.site(),
                    stage.state(),
                    stage.files() == 0 ? "" : stage.files(),
                    stage.bytes() == 0 ? "" : size(stage.bytes()),
                    time.apply(stage.usedAt()),
                    stage.state().equals("JOB") ? "the job's end" : time.apply(stage.keptUntil()),
                    paths(stage) + (stage.message().isEmpty() ? "" : ": " + stage.message()));
        }
        return table.toString();
    }

    /** Files on their way. */
    String moving(List<StagedView> stages) {
        var table = new Table("STAGE", "SITE", "DONE", "OF", "FILES", "RATE", "LEFT", "PATHS");
        boolean any = false;
        for (var stage : stages) {
            if (stage.state().equals("WAITING")) {
                any = true;
                var moved = stage.moved();
                table.row(
                        stage.id(),
                        stage.site(),
                        size(moved.bytes()),
                        stage.bytes() == 0 ? "" : size(stage.bytes()),
                        stage.files() == 0 ? "" : stage.files(),
                        moved.bytesPerSecond() == 0 ? "" : Progress.rate(moved.bytesPerSecond()),
                        moved.secondsLeft() == null ? "" : Progress.left(moved.secondsLeft()),
                        paths(stage));
            }
        }
        return any ? table.toString() : "Nothing is on its way.\n";
    }

    /** The end of a stage that was waited for. */
    String there(StagedView stage) {
        var moved = stage.moved();
        return stage.id() + ": " + stage.files() + (stage.files() == 1 ? " file" : " files") + " of "
                + size(stage.bytes()) + " in site " + stage.site() + ", " + size(moved.sentBytes())
                + " over the link, " + size(moved.savedBytes()) + " were there; kept until "
                + time.apply(stage.keptUntil()) + "\n";
    }

    private static String paths(StagedView stage) {
        return String.join(" ", stage.paths());
    }

    /** Rounded: nobody reads eleven digits. */
    private static String size(long bytes) {
        long unit = 1;
        while (bytes / unit >= 10_240 && unit < 1L << 40) {
            unit <<= 10;
        }
        return Quantities.writeBytes(bytes / unit * unit);
    }
}
