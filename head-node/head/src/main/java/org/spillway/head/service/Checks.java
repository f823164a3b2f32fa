package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.spillway.api.CheckView;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.jobs.PlacementView;
import org.spillway.policy.Money;

/** The prospect of an acceptable submission, for its user. Pure. */
final class Checks {
    private Checks() {}

    static CheckView view(Judgement judgement, PlacementView placement, Instant now) {
        JobSpec spec = judgement.spec();
        Money whole = placement.pricePerHour().perHourFor(spec.walltime()).times(judgement.tasks());
        Money results = placement.egress().times(judgement.tasks());
        Instant start = placement.start();
        return new CheckView(
                spec.queue(),
                judgement.files(),
                judgement.bytes(),
                judgement.inputs(),
                placement.site(),
                placement.offering(),
                Math.ceilDiv(placement.staging().toMillis(), 1000),
                placement.pricePerHour(),
                whole.plus(results),
                start != null && start.isBefore(now) ? now : start,
                sentence(judgement, placement, now),
                notes(judgement, placement));
    }

    private static String sentence(Judgement judgement, PlacementView placement, Instant now) {
        String what = judgement.tasks() == 1 ? "it" : "the first of its " + judgement.tasks() + " tasks";
        if (placement.site().isEmpty()) {
            return "would be accepted and wait: " + placement.reason();
        }
        Instant start = placement.start();
        String when = start == null
                ? "; nothing can be said about when"
                : !start.isAfter(now) ? " at once" : " in about " + rough(Duration.between(now, start));
        String why = placement.reason().isEmpty() ? "" : " (" + placement.reason() + ")";
        return "would be accepted; " + what + " would start in site " + placement.site() + when + why;
    }

    private static List<String> notes(Judgement judgement, PlacementView placement) {
        List<String> notes = new ArrayList<>(judgement.notes());
        if (placement.buys()) {
            notes.add(
                    judgement.spec().nodes() == 1
                            ? "a node would be launched for it"
                            : "nodes would be launched for it");
        }
        if (placement.egress().isMoreThan(Money.ZERO)) {
            notes.add("bringing its results home from site " + placement.site() + " is expected to cost "
                    + placement.egress() + (judgement.tasks() > 1 ? " for each task" : "")
                    + ", and more where they are larger than expected");
        }
        if (judgement.tasks() > 1) {
            notes.add("the price is that of one task, the most in all that of " + judgement.tasks());
        }
        return notes;
    }

    /** Two digits are all that an estimate is worth. */
    static String rough(Duration time) {
        long seconds = Math.max(1, time.toSeconds());
        if (seconds < 100) {
            return seconds + " s";
        }
        long minutes = Math.ceilDiv(seconds, 60);
        return minutes < 100 ? minutes + " min" : Math.ceilDiv(minutes, 60) + " h";
    }
}
