package org.spillway.proof.simulate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.spillway.cli.Table;
import org.spillway.scaler.simulate.PolicyChoice;
import org.spillway.scaler.simulate.Simulation;
import org.spillway.scaler.simulate.SimulationResult;
import org.spillway.scaler.simulate.SimulationSettings;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.report.Sweep;
import org.spillway.scaler.simulate.world.Scenario;

/** A policy against the points of the plain threshold policy, on both halves of a log. */
final class SweepRun {
    private final Scenario scenario;
    private final SimulationSettings settings;
    private final Bar bar;

    SweepRun(Scenario scenario, SimulationSettings settings, Bar bar) {
        this.scenario = scenario;
        this.settings = settings;
        this.bar = bar;
    }

    /** Shows how far it is. */
    @FunctionalInterface
    interface Bar {
        void show(String label, long done, int all);
    }

    record Judged(String text, boolean isDominated) {}

    Judged judge(PolicyChoice<?> policy, List<LoggedJob> jobs) {
        Instant first = jobs.getFirst().submit();
        Instant middle =
                first.plus(Duration.between(first, jobs.getLast().submit()).dividedBy(2));
        List<LoggedJob> before =
                jobs.stream().filter(job -> job.submit().isBefore(middle)).toList();
        List<LoggedJob> after =
                jobs.stream().filter(job -> !job.submit().isBefore(middle)).toList();
        SimulationResult ours = run(policy, after);
        SimulationResult oursBefore = run(policy, before);
        List<SimulationResult> tuned = new ArrayList<>();
        List<SimulationResult> judged = new ArrayList<>();
        for (PolicyChoice<?> point : Sweep.points()) {
            tuned.add(run(point, before));
            judged.add(run(point, after));
        }
        bar.show("", 0, 1);
        return new Judged(
                text(ours, oursBefore, tuned, judged), judged.stream().anyMatch(point -> Sweep.dominates(point, ours)));
    }

    private SimulationResult run(PolicyChoice<?> choice, List<LoggedJob> jobs) {
        return new Simulation(jobs, scenario, settings, choice)
                .run(done -> bar.show(choice.label(), done, jobs.size()));
    }

    private static String text(
            SimulationResult ours,
            SimulationResult oursBefore,
            List<SimulationResult> tuned,
            List<SimulationResult> judged) {
        var best = Sweep.best(tuned);
        var table = new Table(
                "POLICY", "FIRST HALF cost", "p95", "TUNED", "SECOND HALF cost", "p95", "AGAINST " + ours.policy());
        table.row(
                ours.policy(),
                Tables.money(oursBefore.cloud().cost()),
                Times.text(oursBefore.waits().p95()),
                "",
                Tables.money(ours.cloud().cost()),
                Times.text(ours.waits().p95()),
                "");
        int dominating = 0;
        int dominated = 0;
        for (int i = 0; i < judged.size(); i++) {
            var point = judged.get(i);
            boolean better = Sweep.dominates(point, ours);
            boolean worse = Sweep.dominates(ours, point);
            dominating += better ? 1 : 0;
            dominated += worse ? 1 : 0;
            table.row(
                    point.policy(),
                    Tables.money(tuned.get(i).cloud().cost()),
                    Times.text(tuned.get(i).waits().p95()),
                    best.contains(tuned.get(i)) ? "one of the best" : "",
                    Tables.money(point.cloud().cost()),
                    Times.text(point.waits().p95()),
                    better ? "DOMINATES" : worse ? "dominated" : "");
        }
        return "\n" + table + "\n" + dominating + " of " + judged.size() + " points of the threshold policy dominate "
                + ours.policy() + " on the second half, " + dominated + " are dominated by it\n";
    }
}
