package org.spillway.proof.simulate;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.spillway.cli.Table;
import org.spillway.policy.Money;
import org.spillway.scaler.simulate.SimulationResult;
import org.spillway.scaler.simulate.SimulationSettings;
import org.spillway.scaler.simulate.log.WorkloadLog;
import org.spillway.scaler.simulate.world.Scenario;
import org.spillway.scaler.simulate.world.SimulatedSite;

/** Tables that are printed. */
final class Tables {
    private Tables() {}

    /** @param fitNowhere jobs that no node could ever take */
    static String heading(WorkloadLog log, int jobs, int fitNowhere, Scenario scenario, SimulationSettings settings) {
        var text = new StringBuilder();
        text.append(log.source())
                .append(" (")
                .append(log.format().text())
                .append("): ")
                .append(jobs);
        text.append(jobs == 1 ? " job" : " jobs");
        if (jobs < log.jobs().size()) {
            text.append(" of ").append(log.jobs().size());
        }
        count(text, log.leftOut(), "never ran or had not ended");
        count(text, fitNowhere, "left out, fit on no node of any site");
        text.append('\n');
        if (log.broken() > 0) {
            text.append(log.broken())
                    .append(" broken lines skipped, the first: ")
                    .append(log.named().getFirst());
            text.append('\n');
        }
        String home = scenario.home().stream()
                .map(group -> group.count() + " x " + group.name() + " of "
                        + group.each().cpus() + " CPUs"
                        + (group.each().gpus() > 0 ? ", " + group.each().gpus() + " GPUs" : ""))
                .collect(Collectors.joining("; "));
        String clouds = scenario.sites().stream().map(SimulatedSite::name).collect(Collectors.joining(", "));
        return text + "home: " + home + "; clouds: " + clouds + "; seed " + settings.seed() + "\n";
    }

    private static void count(StringBuilder text, int count, String what) {
        if (count > 0) {
            text.append(", ").append(count).append(' ').append(what);
        }
    }

    static String results(List<SimulationResult> results) {
        boolean due = results.stream().anyMatch(result -> result.deadlines().of() > 0);
        boolean unfinished = results.stream().anyMatch(result -> result.finished() < result.jobs());
        boolean failed = results.stream().anyMatch(result -> result.effort().failures() > 0);
        var table = new Table(
                "POLICY",
                "WAIT mean",
                "median",
                "p95",
                "SLOWDOWN",
                "HOME",
                "CLOUD h",
                "IDLE h",
                "IDLE cost",
                "COST",
                "RECLAIMED",
                "DECISIONS",
                "TOOK");
        for (var result : results) {
            table.row(
                    result.policy(),
                    Times.text(result.waits().mean()),
                    Times.text(result.waits().median()),
                    Times.text(result.waits().p95()),
                    decimal(result.waits().slowdown(), 2),
                    decimal(100 * result.homeUse(), 1) + " %",
                    decimal(result.cloud().nodeHours(), 0),
                    decimal(result.cloud().idleHours(), 0),
                    money(result.cloud().idleCost()),
                    money(result.cloud().cost()),
                    result.cloud().reclaimed(),
                    result.effort().decisions() + "/" + result.effort().ticks(),
                    decimal(result.effort().took().toMillis() / 1000.0, 1) + " s");
        }
        var text = new StringBuilder(table.toString());
        for (var result : results) {
            if (due) {
                text.append(result.policy())
                        .append(": ")
                        .append(result.deadlines().met())
                        .append(" of ");
                text.append(result.deadlines().of()).append(" deadlines met\n");
            }
            if (unfinished && result.finished() < result.jobs()) {
                text.append(result.policy()).append(": ").append(result.jobs() - result.finished());
                text.append(" jobs never found a place to run, and are in no figure of waiting\n");
            }
            if (failed && result.effort().failures() > 0) {
                text.append(result.policy())
                        .append(": failed in ")
                        .append(result.effort().failures());
                text.append(" decisions\n");
            }
        }
        return text.toString();
    }

    static String money(Money amount) {
        return BigDecimal.valueOf(amount.micros(), 6)
                .setScale(2, RoundingMode.HALF_UP)
                .toPlainString();
    }

    static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
