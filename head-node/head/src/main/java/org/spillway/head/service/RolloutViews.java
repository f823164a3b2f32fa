package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.spillway.api.RolloutView;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.rollout.Member;
import org.spillway.head.rollout.Rollout;
import org.spillway.head.rollout.RolloutPlan;
import org.spillway.head.rollout.Terms;
import org.spillway.head.rollout.Version;
import org.spillway.settings.Quantities;

/** Rollouts as the API shows them. */
record RolloutViews(Journal journal, Predicate<Version> made) {
    private static final int MOST_STEPS = 50;

    RolloutView of(RolloutRecord record, Instant now) {
        Rollout rollout = record.rollout();
        return new RolloutView(
                record.category(),
                record.named().text(),
                record.settled().text(),
                record.former().text(),
                made.test(rollout == null ? record.settled() : rollout.next()),
                rollout == null ? null : progress(rollout, now),
                steps(record));
    }

    private static RolloutView.RolloutProgress progress(Rollout rollout, Instant now) {
        return new RolloutView.RolloutProgress(
                rollout.phase().name(),
                rollout.paused(),
                rollout.from().text(),
                rollout.to().text(),
                CauseViews.of(rollout.cause()),
                rollout.since(),
                rollout.batch(),
                text(rollout.terms()),
                rollout.failed(),
                nodes(rollout, now));
    }

    private static String text(Terms terms) {
        return "canary " + terms.canary() + ", batch " + terms.batchText() + ", soak "
                + Quantities.write(Duration.ofSeconds(terms.soakSeconds())) + ", within "
                + Quantities.write(Duration.ofSeconds(terms.withinSeconds())) + ", at most " + terms.maxFailures()
                + " failures";
    }

    private static List<RolloutView.RolloutNodeView> nodes(Rollout rollout, Instant now) {
        List<String> late = RolloutPlan.heldUp(rollout, now);
        return rollout.members().stream()
                .map(one -> node(one, late.contains(one.node())))
                .toList();
    }

    private static RolloutView.RolloutNodeView node(Member member, boolean late) {
        return new RolloutView.RolloutNodeView(
                member.node(),
                member.batch(),
                member.stage().name(),
                member.since(),
                late,
                CauseViews.of(member.cause()));
    }

    private List<RolloutView.RolloutStepView> steps(RolloutRecord record) {
        List<JournalStore.Transition> all = journal.store().timeline(record.kind(), record.id());
        return all.subList(Math.max(0, all.size() - MOST_STEPS), all.size()).stream()
                .map(one -> new RolloutView.RolloutStepView(one.at(), one.to(), one.reason()))
                .toList();
    }
}
