package org.spillway.proof.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.SiteView;
import org.spillway.cli.Table;

/** The page that is shown while the demo runs. Pure. */
final class ProgressPage {
    private static final int MOST_JOBS = 14;

    private ProgressPage() {}

    /** A block of lines, each at most {@code columns} wide. */
    static List<String> block(Scene scene, int columns) {
        List<String> lines = new ArrayList<>();
        var sites = new Table("SITE", "DIRECTOR", "NODES", "READY", "JOBS THERE");
        for (SiteView site : scene.sites()) {
            sites.row(
                    site.name(),
                    site.state(),
                    site.nodes() + " of " + site.maxNodes(),
                    ready(scene, site.name()),
                    states(scene, site.name()));
        }
        lines.addAll(sites.toString().lines().toList());
        lines.add("");
        var jobs = new Table("JOB", "NAME", "QUEUE", "STATE", "SITE", "WHY");
        List<JobView> shown = scene.jobs().stream()
                .filter(job -> !job.state().isTerminal())
                .limit(MOST_JOBS)
                .toList();
        for (JobView job : shown) {
            jobs.row(job.id(), job.name(), job.queue(), job.state(), job.site(), job.reason());
        }
        if (!shown.isEmpty()) {
            lines.addAll(jobs.toString().lines().toList());
        }
        long ended =
                scene.jobs().stream().filter(job -> job.state().isTerminal()).count();
        lines.add(String.format(
                Locale.ROOT,
                "%d s   %d of %d jobs ended   spent %s %s, %s more reserved, limit %s",
                scene.at().toSeconds(),
                ended,
                scene.jobs().size(),
                scene.spend().accrued(),
                scene.spend().currency(),
                scene.spend().committed(),
                scene.spend().limit()));
        return lines.stream()
                .map(line -> line.substring(0, Math.min(line.length(), columns)))
                .toList();
    }

    private static long ready(Scene scene, String site) {
        return scene.nodes().stream()
                .filter(node -> node.site().equals(site) && node.role().equals("node"))
                .filter(node -> node.state() == org.spillway.api.NodeState.READY)
                .count();
    }

    private static String states(Scene scene, String site) {
        Map<JobState, Long> counts = scene.jobs().stream()
                .filter(job -> job.site().equals(site))
                .collect(Collectors.groupingBy(JobView::state, TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    /** Changes from one scene to the next, a line each; for where no block can be redrawn. */
    static List<String> changes(Scene before, Scene after) {
        List<String> lines = new ArrayList<>();
        for (SiteView site : after.sites()) {
            boolean same = before.sites().stream()
                    .anyMatch(
                            old -> old.name().equals(site.name()) && old.state().equals(site.state()));
            if (!same) {
                lines.add("site " + site.name() + ": " + site.state());
            }
        }
        for (NodeView node : after.nodes()) {
            boolean same =
                    before.nodes().stream().anyMatch(old -> old.id().equals(node.id()) && old.state() == node.state());
            boolean told = node.state() == org.spillway.api.NodeState.READY
                    || node.state().isTerminal();
            if (!same && told) {
                lines.add(node.role() + " " + node.id() + " (" + node.offering() + ") of " + node.site() + ": "
                        + node.state() + because(node.reason()));
            }
        }
        for (JobView job : after.jobs()) {
            boolean same =
                    before.jobs().stream().anyMatch(old -> old.id().equals(job.id()) && old.state() == job.state());
            if (!same) {
                lines.add("job " + job.id() + " (" + job.name() + ", queue " + job.queue() + "): " + job.state()
                        + (job.site().isEmpty() ? "" : " in " + job.site())
                        + because(job.reason()));
            }
        }
        return lines;
    }

    private static String because(String reason) {
        return reason.isEmpty() ? "" : ": " + reason.replaceAll("\\p{Cntrl}", "?");
    }
}
