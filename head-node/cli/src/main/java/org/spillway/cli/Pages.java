package org.spillway.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.api.BreakerView;
import org.spillway.api.CallsView;
import org.spillway.api.CheckView;
import org.spillway.api.DecisionView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobView;
import org.spillway.api.NodePageView;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendView;
import org.spillway.policy.Money;
import org.spillway.settings.Quantities;

/** Pages that the commands show to people. Pure: the same answers give the same text. */
final class Pages {
    private static final int MOST_JOBS = 6;

    /** The zone of all that a head, its log and its pages say is UTC, as the Z says. */
    static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    String queue(List<JobView> jobs) {
        return jobs().queue(jobs);
    }

    String tasks(List<JobView> jobs) {
        return jobs().tasks(jobs);
    }

    String job(JobDetail detail) {
        return jobs().job(detail);
    }

    String node(NodePageView view) {
        return new NodePage(this::time).node(view);
    }

    StagePages stages() {
        return new StagePages(this::time);
    }

    private JobPage jobs() {
        return new JobPage(this::time);
    }

    String check(CheckView check) {
        var facts = new Table("queue", check.queue())
                .row("input", check.files() + (check.files() == 1 ? " file, " : " files, ") + check.bytes() + " bytes")
                .row("site", check.site())
                .row("nodes", check.offering())
                .row("staging", check.stagingSeconds() == 0 ? "" : Quantities.write(seconds(check.stagingSeconds())))
                .row("start", time(check.expectedStart()))
                .row("price", check.pricePerHour() + " per hour, at most " + check.costAtMost() + " in all");
        var page = new StringBuilder(facts.toString());
        if (!check.inputs().isEmpty()) {
            var inputs = new Table("INPUT", "FILES", "BYTES", "TARGET");
            check.inputs().forEach(input -> inputs.row(input.pattern(), input.files(), input.bytes(), input.target()));
            page.append('\n').append(inputs);
        }
        page.append('\n').append(plain(check.sentence())).append('\n');
        check.notes().forEach(note -> page.append("note: ").append(plain(note)).append('\n'));
        return page.toString();
    }

    String queues(List<QueueView> queues) {
        var table = new Table("QUEUE", "SITES", "DEFAULT", "MAX WALLTIME", "WAITING", "RUNNING", "MARKETS");
        for (var queue : queues) {
            table.row(
                    queue.name(),
                    String.join(", ", queue.sites()),
                    queue.isDefault() ? "yes" : "",
                    Quantities.write(seconds(queue.maxWalltimeSeconds())),
                    queue.waiting(),
                    queue.running(),
                    String.join(", ", queue.markets()));
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
                "VERSION",
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
                    version(node),
                    String.join(",", node.jobs()),
                    node.reason());
        }
        return table.toString();
    }

    /** The beginning of the digest, and whether the root of the node's jobs is still that. */
    private static String version(NodeView node) {
        boolean differs = List.of("DIFFERS", "REPAIRING", "UNREPAIRED").contains(node.drift());
        return node.version().substring(0, Math.min(12, node.version().length())) + (differs ? " differs" : "");
    }

    String sites(List<SiteView> sites, SpendView spend) {
        var table = new Table("SITE", "DRIVER", "STATE", "DIRECTOR", "NODES", "OF", "JOBS", "CALLS", "REASON");
        for (var site : sites) {
            table.row(
                    site.name(),
                    site.driver(),
                    site.state(),
                    site.director(),
                    site.nodes(),
                    site.maxNodes(),
                    site.jobs(),
                    calls(site.calls()),
                    site.reason());
        }
        return table + "\n" + directory(sites) + spend(spend);
    }

    /** Of all sites at once: they have one directory. */
    private static String directory(List<SiteView> sites) {
        return sites.stream()
                .map(site -> site.directory().text())
                .filter(text -> !text.isEmpty())
                .findFirst()
                .map(text -> text.replaceAll("[\\p{Cc}\\p{Cf}]", "?") + "\n\n")
                .orElse("");
    }

    /** In the last minute, of those that may be; empty where nobody counts. */
    private static String calls(CallsView calls) {
        int allowed = calls.readsAllowed() + calls.changesAllowed();
        return allowed == 0 ? "" : calls.reads() + calls.changes() + "/" + allowed;
    }

    String plan(PlanView plan) {
        var head = (plan.dryRun() ? "Dry run: nothing of this is done (scaler.dryRun).\n\n" : "") + "At "
                + time(plan.at()) + " the policy " + plan.policy();
        if (plan.steps().isEmpty()) {
            return head + " would leave all as it is.\n\n" + spend(plan.spend());
        }
        var table = new Table("ACTION", "TARGET", "COUNT", "COST UP TO", "JOBS", "REASON");
        for (var step : plan.steps()) {
            boolean launch = step.action().equals("launch") || step.action().equals("power-on");
            table.row(
                    step.action(),
                    step.target(),
                    launch ? step.count() : "",
                    launch ? cost(step) : "",
                    some(step.jobs()),
                    step.reason());
        }
        return head + " would:\n\n" + table + "\n" + spend(plan.spend());
    }

    private static String cost(PlanView.StepView step) {
        return step.committed()
                + (step.egress().isMoreThan(Money.ZERO) ? " and " + step.egress() + " for each job's results" : "");
    }

    String decision(DecisionView decision) {
        var page = new StringBuilder("Decision ")
                .append(decision.id())
                .append(" at ")
                .append(time(decision.at()))
                .append(" by the policy ")
                .append(plain(decision.policy()))
                .append(decision.version().isEmpty() ? "" : " in version " + plain(decision.version()))
                .append("\n\nIt saw:\n");
        lines(page, decision.saw());
        page.append(decision.dry() ? "\nIt was a dry run. It would have done:\n" : "\nIt did:\n");
        lines(page, decision.steps());
        if (!decision.limits().isEmpty()) {
            page.append("\nWhat kept it from more:\n");
            lines(page, decision.limits());
        }
        for (var launch : decision.launches()) {
            var table = new Table("OFFERING", "COUNT", "COST UP TO", "");
            table.row(
                    launch.offering(),
                    launch.count(),
                    launch.cost(),
                    decision.dry() ? "would have been launched" : "was launched");
            launch.others().forEach(other -> table.row(other.offering(), other.count(), other.cost(), other.why()));
            page.append("\nIt could have launched:\n").append(table);
            if (launch.more() > 0) {
                page.append("and ").append(launch.more()).append(" more\n");
            }
        }
        return page.toString();
    }

    private static void lines(StringBuilder page, List<String> lines) {
        lines.forEach(line -> page.append("  ").append(plain(line)).append('\n'));
    }

    String breakers(List<BreakerView> breakers) {
        if (breakers.isEmpty()) {
            return "No breaker has ever opened.\n";
        }
        var table = new Table("BREAKER", "STATE", "SINCE", "REASON", "REMEDY");
        for (var breaker : breakers) {
            table.row(
                    breaker.name(),
                    breaker.open() ? "OPEN" : "closed",
                    time(breaker.since()),
                    breaker.reason(),
                    breaker.remedy());
        }
        return table.toString();
    }

    private static String some(List<String> jobs) {
        return jobs.size() <= MOST_JOBS
                ? String.join(",", jobs)
                : String.join(",", jobs.subList(0, MOST_JOBS)) + " and " + (jobs.size() - MOST_JOBS) + " more";
    }

    private String spend(SpendView spend) {
        return "Spend this " + spend.period() + " (since " + time(spend.since()) + "): " + spend.accrued()
                + " accrued, "
                + spend.committed() + " committed, " + spend.left() + " left of " + spend.limit() + " "
                + spend.currency()
                + (spend.egress().isMoreThan(Money.ZERO) ? "; " + spend.egress() + " of it to bring results home" : "")
                + (spend.unknown().isMoreThan(Money.ZERO)
                        ? "; " + spend.unknown()
                                + " of it by machines that the journal does not know ('spillway recover')"
                        : "")
                + "\n";
    }

    private String time(@Nullable Instant at) {
        return at == null ? "" : CLOCK.format(at);
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
