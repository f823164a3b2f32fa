package org.spillway.proof.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.cli.Table;
import org.spillway.policy.Money;

/** The report for people. Pure. */
final class ReportPage {
    private static final long KIB = 1024;

    private ReportPage() {}

    /** @param begin zero of the seconds that are shown */
    static String of(DemoReport report, Instant begin) {
        var page = new StringBuilder();
        page.append("Where each job's time went, in seconds after the start:\n\n")
                .append(jobs(report, begin));
        page.append('\n').append(answer(report));
        page.append(line("gang", gang(report.gang())));
        var instances = report.instances();
        page.append(line(
                "instances",
                instances.launched() + " launched, " + instances.terminated() + " ended; instances left: "
                        + instances.left() + ", as the clouds themselves say"
                        + (instances.kept() ? " (kept on request)" : "")));
        var owners = report.owners();
        page.append(line(
                "owners",
                owners.instances() + " instances served; " + owners.unowned().size()
                        + " without an owner after the sweep, " + owners.twins().size() + " nodes that two joined as"));
        if (!report.regions().cloud().equals("local")) {
            page.append(line(
                    "cloud",
                    report.regions().cloud() + ", regions "
                            + String.join(", ", report.regions().names()) + "; "
                            + instances.bill().size() + " things on the bill, as the drivers say"));
        }
        var notice = report.regions().notice();
        if (notice != null) {
            page.append(line("notice", NoticeAct.text(notice)));
        }
        var identity = report.identity();
        page.append(line(
                "users",
                "added " + identity.user() + " while jobs ran; found in " + identity.found()
                        + " after so many seconds; jobs " + (identity.ranAsUser() ? "ran" : "did NOT run")
                        + " as their own user"));
        page.append(line("image", image(report.images())));
        var chaos = report.chaos();
        if (chaos != null) {
            page.append(line(
                    "chaos",
                    chaos.what() + (chaos.at() == null ? "" : " at " + chaos.at() + " s") + " (seed " + chaos.seed()
                            + ")"));
        }
        page.append(line("data", data(report.jobs())));
        page.append(line("cost", total(report.jobs()) + " for the jobs, and " + report.seconds() + " s in all"));
        List<String> broken = report.broken();
        broken.forEach(promise -> page.append("BROKEN: ").append(promise).append('\n'));
        return page.append(broken.isEmpty() ? "All as promised.\n" : "").toString();
    }

    private static String jobs(DemoReport report, Instant begin) {
        var table = new Table(
                "JOB", "NAME", "QUEUE", "SITE", "STATE", "TRY", "SUBMIT", "STAGED", "ASKED", "READY", "START", "END",
                "HOME", "KIB IN", "OUT", "SAVED", "COST", "KEPT");
        for (DemoReport.JobPart job : report.jobs()) {
            JobDetail.Timings times = job.timeline();
            table.row(
                    job.id(),
                    job.name(),
                    job.queue(),
                    job.site(),
                    job.state(),
                    job.attempt(),
                    after(begin, times.submitted()),
                    after(begin, times.stagedIn()),
                    after(begin, times.nodeAsked()),
                    after(begin, times.nodeReady()),
                    after(begin, times.started()),
                    after(begin, times.ended()),
                    after(begin, times.stagedOut()),
                    Math.ceilDiv(job.bytesIn(), KIB),
                    Math.ceilDiv(job.bytesOut(), KIB),
                    Math.ceilDiv(job.bytesSaved(), KIB),
                    job.cost(),
                    job.kept().isMoreThan(Money.ZERO) ? job.kept() : "");
        }
        return table.toString();
    }

    private static String after(Instant begin, @Nullable Instant at) {
        if (at == null) {
            return "";
        }
        return String.format(Locale.ROOT, "%.1f", Duration.between(begin, at).toMillis() / 1000.0);
    }

    private static String answer(DemoReport report) {
        var part = report.answer();
        long jobs = part.got().values().stream().mapToLong(Answer.Line::jobs).sum();
        return line(
                "answer",
                part.got().size() + " virtual clusters with " + jobs + " jobs, "
                        + (part.equal() ? "equal to" : "NOT equal to") + " what was computed directly; "
                        + report.inRegions() + " of " + report.jobs().size() + " jobs ran in a region");
    }

    private static String gang(DemoReport.GangPart gang) {
        return gang.withinSeconds() == null
                ? "did not start"
                : gang.starts().size() + " nodes started within " + gang.withinSeconds() + " s";
    }

    private static String image(DemoReport.ImagesPart images) {
        String digest = images.home().substring(0, Math.min(12, images.home().length()));
        return (images.digestsEqual() ? "the same" : "NOT the same") + " at home, on "
                + images.directors().size() + " directors and " + images.nodes() + " nodes; now " + digest;
    }

    private static String data(List<DemoReport.JobPart> jobs) {
        long in = jobs.stream().mapToLong(DemoReport.JobPart::bytesIn).sum();
        long saved = jobs.stream().mapToLong(DemoReport.JobPart::bytesSaved).sum();
        return Math.ceilDiv(in, KIB) + " KiB of input for the jobs; on the ways to sites and to nodes together "
                + Math.ceilDiv(saved, KIB) + " KiB were saved, as they were there";
    }

    private static Money total(List<DemoReport.JobPart> jobs) {
        return jobs.stream().map(DemoReport.JobPart::cost).reduce(Money.ZERO, Money::plus);
    }

    private static String line(String what, String text) {
        return String.format(Locale.ROOT, "%-10s %s%n", what, text);
    }
}
