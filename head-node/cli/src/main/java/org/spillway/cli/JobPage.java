package org.spillway.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobView;
import org.spillway.settings.Quantities;

/** A job, or many, for people. Pure. */
final class JobPage {
    private static final int MOST_NODES = 3;

    private final Function<@Nullable Instant, String> time;

    /** @param time how an instant is written; empty for none */
    JobPage(Function<@Nullable Instant, String> time) {
        this.time = time;
    }

    /** A line for each job; tasks of an array that wait for the same are one. */
    String queue(List<JobView> jobs) {
        var rows = new LinkedHashMap<String, List<JobView>>();
        for (var job : jobs) {
            boolean waits = job.nodes().isEmpty() && !job.state().isTerminal();
            var alike = job.array().isEmpty() || !waits
                    ? "job " + job.id()
                    : String.join("\n", job.array(), job.state().name(), job.site(), job.reason());
            rows.computeIfAbsent(alike, any -> new ArrayList<>()).add(job);
        }
        var table = new Table("JOB", "NAME", "QUEUE", "USER", "STATE", "SITE", "NODE", "SUBMITTED", "REASON");
        rows.values().forEach(alike -> row(table, ids(alike), alike.getFirst()));
        return table.toString();
    }

    /** A line for each task. */
    String tasks(List<JobView> jobs) {
        var table = new Table("JOB", "NAME", "QUEUE", "USER", "STATE", "SITE", "NODE", "SUBMITTED", "REASON");
        jobs.forEach(job -> row(table, job.id(), job));
        return table.toString();
    }

    private void row(Table table, String id, JobView job) {
        table.row(
                id,
                job.name(),
                job.queue(),
                job.user(),
                job.state(),
                job.site(),
                nodes(job),
                time.apply(job.submittedAt()),
                job.reason());
    }

    private static String nodes(JobView job) {
        var nodes = job.nodes();
        return nodes.size() <= MOST_NODES
                ? String.join(",", nodes)
                : String.join(",", nodes.subList(0, MOST_NODES)) + " and " + (nodes.size() - MOST_NODES) + " more";
    }

    /** How an administrator reads what its nodes said, also when they are gone. */
    private static String logs(JobView job) {
        return job.nodes().stream()
                .limit(MOST_NODES)
                .map(node -> "spillway node logs " + node)
                .collect(Collectors.joining("; "));
    }

    /** Ids in short, as {@code 43-[0-4,7]}. */
    private static String ids(List<JobView> alike) {
        if (alike.size() == 1) {
            return alike.getFirst().id();
        }
        var array = alike.getFirst().array();
        var indices = alike.stream()
                .map(job -> Integer.valueOf(job.id().substring(array.length() + 1)))
                .sorted()
                .toList();
        var text = new StringBuilder();
        for (int from = 0; from < indices.size(); ) {
            int to = from;
            while (to + 1 < indices.size() && indices.get(to + 1) == indices.get(to) + 1) {
                to++;
            }
            text.append(text.isEmpty() ? "" : ",").append(indices.get(from));
            text.append(to == from ? "" : "-" + indices.get(to));
            from = to + 1;
        }
        return array + "-[" + text + "]";
    }

    String job(JobDetail detail) {
        var job = detail.job();
        var facts = new Table("job", job.id())
                .row("name", job.name())
                .row("user", job.user() + " (" + job.uid() + ")")
                .row("project", job.project())
                .row("account", job.account())
                .row("queue", job.queue())
                .row("state", job.state() + (job.reason().isEmpty() ? "" : ": " + job.reason()))
                .row("expected start", time.apply(job.expectedStart()))
                .row("exit code", job.exitCode() == null ? "" : job.exitCode())
                .row("site, node", job.site().isEmpty() ? "" : job.site() + ", " + dash(nodes(job)))
                .row("logs of nodes", logs(job))
                .row("attempt", job.attempt())
                .row("asks for", asks(job))
                .row("bytes in, out", job.bytesIn() + ", " + job.bytesOut());
        var image = Objects.requireNonNullElse(detail.container(), "");
        if (!image.isEmpty()) {
            facts.row("container", image);
        }
        var toNodes = detail.ranks().stream()
                .map(JobDetail.RankView::inputBytes)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .summaryStatistics();
        if (toNodes.getCount() > 0) {
            // Bytes that a node had kept from another job are not among them.
            facts.row("bytes to nodes", toNodes.getSum());
        }
        var data = detail.data();
        if (data != null) {
            facts.row("bytes over the link", data.sentBytes() + " out, " + data.homeBytes() + " home");
            facts.row(
                    "bytes saved", data.savedBytes() + " were in the site, " + data.nodeSavedBytes() + " on its nodes");
        }
        if (data != null && data.notices() != null) {
            facts.row(data.notices().times() > 0 ? "taken back" : "work kept", taken(data.notices()));
        }
        if (detail.sync() != null) {
            facts.row("outputs so far", synced(detail.sync()));
        }
        facts.row("cost", job.cost());
        var page = new StringBuilder(facts.toString()).append('\n').append(timings(detail.timings()));
        page.append('\n').append(timeline(detail.timeline()));
        if (detail.ranks().size() > 1) {
            page.append('\n').append(ranks(detail.ranks()));
        }
        if (!detail.transfers().isEmpty()) {
            page.append('\n').append(transfers(detail.transfers()));
        }
        if (!detail.outputs().isEmpty()) {
            var outputs = new Table("OUTPUT", "STATE", "DESTINATION");
            detail.outputs()
                    .forEach(output -> outputs.row(
                            output.pattern() + (output.strict() ? " (strict)" : ""),
                            output.state(),
                            output.destination()));
            page.append('\n').append(outputs);
        }
        for (var warning : detail.warnings()) {
            page.append("\nwarning: ").append(warning.replaceAll("\\p{Cntrl}", "?"));
        }
        return detail.warnings().isEmpty() ? page.toString() : page.append('\n').toString();
    }

    private static String taken(JobDetail.NoticeView notices) {
        String where = notices.site().isEmpty() ? "" : " in " + notices.site();
        String times = notices.times() + (notices.times() == 1 ? " time" : " times") + " with notice; ";
        return (notices.times() > 0 ? times : "") + notices.savedSeconds() + " s of work kept, " + notices.saved()
                + " saved"
                + (notices.home() || !where.isEmpty()
                        ? "; its checkpoint is" + where
                                + (notices.home() ? (where.isEmpty() ? "" : " and") + " at home" : "")
                        : "");
    }

    private String synced(JobDetail.SyncView sync) {
        var every = "each " + Quantities.write(Duration.ofSeconds(sync.everySeconds()));
        return sync.lastAt() == null
                ? every + ", nothing yet"
                : every + ", last at " + time.apply(sync.lastAt()) + ": " + sync.files()
                        + (sync.files() == 1 ? " file, " : " files, ") + sync.bytes() + " bytes (" + sync.allBytes()
                        + " over the link in all)"
                        + (sync.message().isEmpty() ? "" : "; " + sync.message());
    }

    /** Where its time went. A node that was there before the job is said to be. */
    private String timings(JobDetail.Timings timings) {
        var steps = new LinkedHashMap<String, @Nullable Instant>();
        steps.put("submitted", timings.submitted());
        steps.put("site chosen", timings.stageInBegun());
        steps.put("input there", timings.stagedIn());
        steps.put("node asked", timings.nodeAsked());
        steps.put("node ready", timings.nodeReady());
        steps.put("node given", timings.allocated());
        steps.put("started", timings.started());
        steps.put("ended", timings.ended());
        steps.put("results home", timings.stagedOut());
        var table = new Table("STEP", "AT", "SINCE SUBMIT");
        for (Map.Entry<String, @Nullable Instant> step : steps.entrySet()) {
            Instant at = step.getValue();
            if (at != null) {
                boolean before = at.isBefore(timings.submitted());
                table.row(step.getKey(), time.apply(at), before ? "before" : since(timings.submitted(), at));
            }
        }
        return table.toString();
    }

    private String timeline(List<JobDetail.Moment> moments) {
        var table = new Table("STATE", "AT", "AFTER", "REASON");
        Instant before = null;
        for (var moment : moments) {
            table.row(
                    moment.state(),
                    time.apply(moment.at()),
                    before == null ? "" : since(before, moment.at()),
                    moment.reason());
            before = moment.at();
        }
        return table.toString();
    }

    private String ranks(List<JobDetail.RankView> ranks) {
        var table = new Table("RANK", "NODE", "ADDRESS", "STARTED", "ENDED", "EXIT CODE", "REASON");
        for (var rank : ranks) {
            table.row(
                    rank.rank(),
                    rank.node(),
                    rank.address(),
                    time.apply(rank.startedAt()),
                    time.apply(rank.endedAt()),
                    rank.exitCode() == null ? "" : rank.exitCode(),
                    rank.lost() ? "its node was lost" : rank.message());
        }
        return table.toString();
    }

    private static String transfers(List<JobDetail.TransferView> transfers) {
        var table = new Table("TRANSFER", "STATE", "BYTES", "OF", "RATE", "LEFT", "WHAT", "SHA-256");
        for (var transfer : transfers) {
            table.row(
                    transfer.direction(),
                    transfer.state(),
                    transfer.movedBytes(),
                    transfer.totalBytes() == 0 ? "" : transfer.totalBytes(),
                    transfer.bytesPerSecond() == 0 ? "" : Progress.rate(transfer.bytesPerSecond()),
                    transfer.secondsLeft() == null ? "" : Progress.left(transfer.secondsLeft()),
                    transfer.what(),
                    transfer.sha256());
        }
        return table.toString();
    }

    private static String asks(JobView job) {
        var nodes = job.nodeCount() == 1 ? "" : job.nodeCount() + " nodes, each ";
        return nodes + job.cpus() + " cpus, "
                + (job.memoryBytes() == 0 ? "any memory" : Quantities.writeBytes(job.memoryBytes())) + ", " + job.gpus()
                + " gpus" + (job.gpuModel().isEmpty() ? "" : " (" + job.gpuModel() + ")") + ", "
                + Quantities.write(Duration.ofSeconds(job.walltimeSeconds()));
    }

    private static String since(Instant from, Instant to) {
        long millis = Duration.between(from, to).toMillis();
        return String.format(Locale.ROOT, "%d.%01ds", millis / 1000, Math.abs(millis % 1000) / 100);
    }

    private static String dash(String text) {
        return text.isEmpty() ? "-" : text;
    }
}
