package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.Cap.Span;
import org.spillway.policy.Limits;
import org.spillway.policy.Limits.Scope;
import org.spillway.policy.Limits.Unit;
import org.spillway.scaler.plan.Bound;

/** Launches that the administrator's limits prevent, in the loop. */
final class LimitStoriesTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int WHOLE = SimProvider.CPUS;

    private static Cap cap(Scope scope, String name, Unit unit, long most) {
        return new Cap(scope, name, List.of(), unit, most, Span.NOW);
    }

    private static Story.Job of(String user, String id) {
        return new Story.Job(id, "east").cpus(WHOLE).of(user, "group-of-" + user);
    }

    private static long live(Story story, String user) {
        return story.journal.liveNodes().stream()
                .filter(node -> !node.isDirector()
                        && (node.heldNow().users().contains(user)
                                || story.journal.runningOn(node.id()).stream()
                                        .anyMatch(job -> job.spec().user().equals(user))))
                .count();
    }

    @Test
    void aUserHasNoMoreNodesThanHeMayAndOthersAreNotKeptWaiting() {
        Story story =
                new Story(List.of(cap(Scope.USER, "ada", Unit.NODES, 1)), null, new SimWorld.Spec("east", 6, 0, "1"));
        story.submit(of("ada", "1"), of("ada", "2"), of("ada", "3"), of("bob", "4"), of("bob", "5"));
        List<Cause> told = new ArrayList<>();
        List<String> holds = new ArrayList<>();
        long[] most = new long[2];
        story.until("all are done", HOUR, () -> {
            most[0] = Math.max(most[0], live(story, "ada"));
            most[1] = Math.max(most[1], live(story, "bob"));
            told.add(story.waits("3"));
            story.loop
                    .explain("3", story.world.clock.now())
                    .ifPresent(facts -> holds.add(facts.obstacles().waitsFor()));
            return story.journal.jobs().isEmpty();
        });
        assertThat(most[0]).as("nodes of ada").isEqualTo(1);
        assertThat(most[1]).as("nodes of bob").isPositive();
        assertThat(told)
                .anyMatch(cause -> (cause instanceof WaitCause.PlanHolds held
                                && held.by() == Bound.Kind.LIMIT
                                && held.name().equals("USER ada"))
                        || (cause instanceof WaitCause.LimitReached limit
                                && limit.scope() == Limits.Scope.USER
                                && limit.name().equals("ada")
                                && limit.used() == limit.most()));
        assertThat(holds).contains("limit of user ada: 1 of 1 nodes");
    }

    @Test
    void forWhomANodeIsSurvivesTheHead() {
        Story story = new Story(
                List.of(cap(Scope.USER, Cap.EACH, Unit.CPUS, WHOLE)), null, new SimWorld.Spec("east", 6, 0, "1"));
        story.submit(of("ada", "1"));
        story.until("a node is bought", HOUR, () -> live(story, "ada") == 1);
        NodeRecord bought = story.journal.liveNodes().stream()
                .filter(node -> !node.isDirector())
                .findFirst()
                .orElseThrow();
        NodeRecord read =
                new Journal(story.world.disk, Instant.MIN).node(bought.id()).orElseThrow();
        assertThat(read.heldNow().users()).isEqualTo(Set.of("ada"));
        assertThat(read.heldNow().queues()).isEqualTo(Set.of("q"));
        // Bob's job runs on it next, and from then on it is his.
        story.until("it is over", HOUR, () -> story.journal.jobs().isEmpty());
        story.submit(of("bob", "2"));
        story.until("bob's is over", HOUR, () -> story.journal.jobs().isEmpty());
        NodeRecord now = story.journal.node(bought.id()).orElseThrow();
        assertThat(now.stretches()).map(stretch -> stretch.holders().users()).contains(Set.of("ada"));
    }

    @Test
    void noMoreJobsRunAtOnceThanThereAreLicences() {
        Story story = new Story(
                List.of(cap(Scope.LICENCE, "solver", Unit.LICENCES, 2)), null, new SimWorld.Spec("east", 6, 0, "1"));
        story.submit(
                of("ada", "1").licence("solver", 1),
                of("ada", "2").licence("solver", 2),
                of("ada", "3").licence("solver", 1),
                of("ada", "4"));
        int[] most = new int[1];
        List<Cause> told = new ArrayList<>();
        story.until("all are done", HOUR, () -> {
            int taken = story.journal.jobs(JobState.RUNNING).stream()
                    .mapToInt(job -> job.spec().terms().licences().getOrDefault("solver", 0))
                    .sum();
            most[0] = Math.max(most[0], taken);
            List.of("1", "2", "3").forEach(id -> told.add(story.waits(id)));
            return story.journal.jobs().isEmpty();
        });
        assertThat(most[0]).isEqualTo(2);
        assertThat(told).anyMatch(cause -> switch (cause) {
            case WaitCause.LicenceTaken taken -> taken.licence().equals("solver");
            case WaitCause.PlanHolds holds ->
                holds.by() == Bound.Kind.LICENCE && holds.name().equals("solver");
            case WaitCause.LimitReached limit ->
                limit.scope() == Scope.LICENCE && limit.name().equals("solver");
            default -> false;
        });
    }

    @Test
    void aSiteLaunchesNoMoreInAMinuteThanItMay() {
        Story story = new Story(
                List.of(cap(Scope.LAUNCHES_PER_MINUTE, "east", Unit.NODES, 2)),
                null,
                new SimWorld.Spec("east", 9, 0, "1"));
        for (int i = 0; i < 6; i++) {
            story.submit(of("ada", "j" + i));
        }
        story.until("all are done", HOUR, () -> {
            Instant minute = story.world.clock.now().minusSeconds(60);
            long launched = story.journal.nodes().stream()
                    .filter(node -> node.costFrom() != null && node.costFrom().isAfter(minute))
                    .count();
            assertThat(launched).as("within a minute").isLessThanOrEqualTo(2);
            return story.journal.jobs().isEmpty();
        });
    }

    @Test
    void aJobThatMayGoElsewhereDoesWhenItsSiteMayHaveNoMore() {
        Story story = new Story(
                List.of(cap(Scope.SITE, "east", Unit.CPUS, WHOLE)),
                null,
                new SimWorld.Spec("east", 9, 0, "1"),
                new SimWorld.Spec("west", 9, 0, "2"));
        for (int i = 0; i < 3; i++) {
            story.submit(new Story.Job("j" + i, "east", "west").cpus(WHOLE));
        }
        story.until("all are done", HOUR, () -> {
            long east = story.journal.liveNodes("east").stream()
                    .filter(node -> !node.isDirector())
                    .count();
            assertThat(east).isLessThanOrEqualTo(1);
            return story.journal.jobs().isEmpty();
        });
        assertThat(story.journal.nodes())
                .anyMatch(node -> !node.isDirector() && node.site().equals("west"));
    }

    @Test
    void whatIsSpentForAnAccountInADayKeepsItFromMore() {
        // A node reserves a minute to register, one to run, ten seconds of idling and four minutes to end: 0.103 an
        // hour.
        Story story = new Story(
                List.of(new Cap(Scope.ACCOUNT, "group-of-ada", List.of(), Unit.MONEY_MICROS, 110_000, Span.DAY)),
                null,
                new SimWorld.Spec("east", 9, 0, "1"));
        for (int i = 0; i < 80; i++) {
            story.submit(of("ada", "a" + i));
        }
        story.submit(of("bob", "b"));
        story.until("bob's is over", HOUR, () -> story.state("b").isTerminal());
        story.passClosely(Duration.ofMinutes(10));
        long spent = story.journal.nodes().stream()
                .filter(node -> !node.isDirector()
                        && node.stretches().stream()
                                .anyMatch(one -> one.holders().accounts().contains("group-of-ada")))
                .mapToLong(node -> node.pricePerHour()
                        .perHourFor(Duration.between(node.costFrom(), node.costTo()))
                        .micros())
                .sum();
        assertThat(spent).isBetween(10_000L, 110_000L);
        assertThat(story.journal.jobs()).as("wait for tomorrow").isNotEmpty();
        assertThat(story.waits(story.journal.jobs().iterator().next().id()))
                .isInstanceOfSatisfying(WaitCause.LimitReached.class, limit -> {
                    assertThat(limit.scope()).isEqualTo(Scope.ACCOUNT);
                    assertThat(limit.name()).isEqualTo("group-of-ada");
                    assertThat(limit.unit()).isEqualTo(Unit.MONEY_MICROS);
                    assertThat(limit.most()).isEqualTo(110_000);
                });
    }
}
