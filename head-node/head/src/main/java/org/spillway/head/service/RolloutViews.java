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
                rollout == null ? "SETTLED" : rollout.phase().name(),
                rollout != null && rollout.paused(),
                record.named().text(),
                record.settled().text(),
                record.former().text(),
                rollout == null ? "" : rollout.from().text(),
                rollout == null ? "" : rollout.to().text(),
                CauseViews.of(record.cause()),
                rollout == null ? null : rollout.begun(),
                rollout == null ? null : rollout.since(),
                rollout == null ? 0 : rollout.batch(),
                rollout == null ? "" : text(rollout.terms()),
                rollout == null ? 0 : rollout.failed(),
                made.test(rollout == null ? record.settled() : rollout.next()),
                rollout == null ? List.of() : nodes(rollout, now),
                steps(record));
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
