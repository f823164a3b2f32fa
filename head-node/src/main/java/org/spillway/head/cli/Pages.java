package org.spillway.head.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.head.config.Quantities;
import org.spillway.head.rest.JobDetail;
import org.spillway.head.rest.JobView;
import org.spillway.head.rest.NodeView;
import org.spillway.head.rest.PlanView;
import org.spillway.head.rest.SiteView;
import org.spillway.head.rest.SpendView;

/** What the commands show to people. Pure: the same answers give the same text. */
final class Pages {
    private final DateTimeFormatter clock;

    Pages(ZoneId zone) {
        clock = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(zone);
    }

    String queue(List<JobView> jobs) {
        var table = new Table("JOB", "NAME", "QUEUE", "USER", "STATE", "SITE", "NODE", "SUBMITTED", "REASON");
        for (var job : jobs) {
            table.row(
                    job.id(),
                    job.name(),
                    job.queue(),
                    job.user(),
                    job.state(),
                    job.site(),
                    String.join(",", job.nodes()),
                    time(job.submittedAt()),
                    job.reason());
        }
        return table.toString();
    }

    String job(JobDetail detail) {
        var job = detail.job();
        var facts = new Table("job", job.id())
                .row("name", job.name())
                .row("user", job.user() + " (" + job.uid() + ")")
                .row("queue", job.queue())
                .row("state", job.state() + (job.reason().isEmpty() ? "" : ": " + job.reason()))
                .row("exit code", job.exitCode() == null ? "" : job.exitCode())
                .row("site, node", job.site().isEmpty() ? "" : job.site() + ", " + dash(String.join(", ", job.nodes())))
                .row("attempt", job.attempt())
                .row("asks for", asks(job))
                .row("submitted", time(job.submittedAt()))
                .row("started", time(job.startedAt()))
                .row("ended", time(job.endedAt()))
                .row("cost", job.cost());
        var page = new StringBuilder(facts.toString()).append('\n').append(timeline(detail.timeline()));
        if (!detail.transfers().isEmpty()) {
            page.append('\n').append(transfers(detail.transfers()));
        }
        if (!detail.outputs().isEmpty()) {
            var outputs = new Table("OUTPUT", "STATE", "DESTINATION");
            detail.outputs().forEach(output -> outputs.row(output.pattern(), output.state(), output.destination()));
            page.append('\n').append(outputs);
        }
        for (var warning : detail.warnings()) {
            page.append("\nwarning: ").append(warning.replaceAll("\\p{Cntrl}", "?"));
        }
        return detail.warnings().isEmpty() ? page.toString() : page.append('\n').toString();
    }

    private String timeline(List<JobDetail.Moment> moments) {
        var table = new Table("STATE", "AT", "AFTER", "REASON");
        Instant before = null;
        for (var moment : moments) {
            table.row(
                    moment.state(),
                    time(moment.at()),
                    before == null ? "" : since(before, moment.at()),
                    moment.reason());
            before = moment.at();
        }
        return table.toString();
    }

    private static String transfers(List<JobDetail.TransferView> transfers) {
        var table = new Table("TRANSFER", "STATE", "BYTES", "OF", "PATH", "SHA-256");
        for (var transfer : transfers) {
            table.row(
                    transfer.direction(),
                    transfer.state(),
                    transfer.movedBytes(),
                    transfer.totalBytes(),
                    transfer.what(),
                    transfer.sha256());
        }
        return table.toString();
    }

    String nodes(List<NodeView> nodes) {
        var table = new Table(
                "NODE",
                "SITE",
                "ROLE",
                "STATE",
                "OFFERING",
                "INSTANCE",
                "ADDRESS",
                "SINCE",
                "PER HOUR",
                "JOB",
                "REASON");
        for (var node : nodes) {
            table.row(
                    node.id(),
                    node.site(),
                    node.role(),
                    node.state(),
                    node.offering(),
                    node.instance(),
                    node.address(),
                    time(node.since()),
                    node.pricePerHour(),
                    String.join(",", node.jobs()),
                    node.reason());
        }
        return table.toString();
    }

    String sites(List<SiteView> sites, SpendView spend) {
        var table = new Table("SITE", "DRIVER", "STATE", "DIRECTOR", "NODES", "OF", "JOBS", "REASON");
        for (var site : sites) {
            table.row(
                    site.name(),
                    site.driver(),
                    site.state(),
                    site.director(),
                    site.nodes(),
                    site.maxNodes(),
                    site.jobs(),
                    site.reason());
        }
        return table + "\n" + spend(spend);
    }

    String plan(PlanView plan) {
        var head = "At " + time(plan.at()) + " the policy " + plan.policy();
        if (plan.steps().isEmpty()) {
            return head + " would leave all as it is.\n\n" + spend(plan.spend());
        }
        var table = new Table("ACTION", "TARGET", "COUNT", "COST UP TO", "REASON");
        for (var step : plan.steps()) {
            boolean launch = step.action().equals("launch");
            table.row(
                    step.action(),
                    step.target(),
                    launch ? step.count() : "",
                    launch ? step.committed() : "",
                    step.reason());
        }
        return head + " would:\n\n" + table + "\n" + spend(plan.spend());
    }

    private String spend(SpendView spend) {
        return "Spend this " + spend.period() + " (since " + time(spend.since()) + "): " + spend.accrued()
                + " accrued, "
                + spend.committed() + " committed, " + spend.left() + " left of " + spend.limit() + " "
                + spend.currency() + "\n";
    }

    private static String asks(JobView job) {
        return job.cpus() + " cpus, "
                + (job.memoryBytes() == 0 ? "any memory" : Quantities.writeBytes(job.memoryBytes())) + ", " + job.gpus()
                + " gpus" + (job.gpuModel().isEmpty() ? "" : " (" + job.gpuModel() + ")") + ", "
                + Quantities.write(Duration.ofSeconds(job.walltimeSeconds()));
    }

    private String time(@Nullable Instant at) {
        return at == null ? "" : clock.format(at);
    }

    private static String since(Instant from, Instant to) {
        long millis = Duration.between(from, to).toMillis();
        return String.format(Locale.ROOT, "%d.%01ds", millis / 1000, Math.abs(millis % 1000) / 100);
    }

    private static String dash(String text) {
        return text.isEmpty() ? "-" : text;
    }
}
