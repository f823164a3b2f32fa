package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.head.journal.ForwardingJournalStore;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.past.Standing;
import org.spillway.policy.Money;

/** Worlds in which something fails for long: the production loop holds there, and a planted mistake is found. */
final class LongFaultsTest {
    private static final int SEEDS = 4;
    private static final int MOST_SEEDS = 40;

    @ParameterizedTest
    @EnumSource(names = {"SICK", "UNWRITABLE", "PAST", "CLOCK"})
    void holdsForTheFirstSeeds(Kind kind) {
        assertThat(LongStream.rangeClosed(1, SEEDS).mapToObj(seed -> FaultSimulation.run(seed, Loop::new, kind)))
                .allSatisfy(verdict -> assertThat(verdict.broken()).isEmpty());
    }

    /**
     * A director and a node that came up since the copy were ended as late, with a job on the node; a job that the copy does
     * not know was stopped on a node that it knows, as soon as its quarantine was over (4857); and all nodes were told to end
     * beside such a job (4222), which is a person's choice.
     */
    @ParameterizedTest
    @ValueSource(longs = {263, 1652, 4222, 4857})
    void holdsForSeedsThatFoundSomething(long seed) {
        assertThat(FaultSimulation.run(seed, Loop::new, Kind.PAST).broken()).isEmpty();
    }

    /** A head an hour behind gave its nodes a deadline that was over by their director's clock: none could ever join (71, 90). */
    @ParameterizedTest
    @ValueSource(longs = {71, 84, 90})
    void holdsForSeedsThatFoundSomethingInClocks(long seed) {
        assertThat(FaultSimulation.run(seed, Loop::new, Kind.CLOCK).broken()).isEmpty();
    }

    @Test
    void findsALoopWithoutABoundForDirectorsThatNeverServe() {
        assertFound(
                Kind.SICK,
                (settings, journal, ports, clock) -> new Loop(boundless(settings), journal, ports, clock),
                "for directors that never served");
    }

    @Test
    void findsAStagerThatDoesNotSayWhatIsNotInPlace() {
        assertFound(
                Kind.UNWRITABLE,
                (settings, journal, ports, clock) -> new Loop(
                        settings, journal, with(ports, published -> new JobRun.Published(List.of(), 1, 1)), clock),
                "the only copy of outputs");
    }

    @Test
    void findsALoopThatEndsWhatItsJournalDoesNotKnow() {
        assertFound(
                Kind.PAST,
                (settings, journal, ports, clock) ->
                        new Loop(settings, new Journal(forgetful(journal.store()), Instant.MIN), ports, clock),
                "of which the journal does not know, was ended");
    }

    @Test
    void findsALoopThatGivesAnAttemptsNumberTwice() {
        assertFound(
                Kind.PAST,
                (settings, journal, ports, clock) ->
                        new Loop(settings, new Journal(ofOneEpoch(journal.store()), Instant.MIN), ports, clock),
                "was started on");
    }

    private static JournalStore forgetful(JournalStore store) {
        return new ForwardingJournalStore(store) {
            @Override
            public Standing standing() {
                return Standing.UNKEPT;
            }
        };
    }

    private static JournalStore ofOneEpoch(JournalStore store) {
        return new ForwardingJournalStore(store) {
            @Override
            public Standing standing() {
                Standing now = super.standing();
                return new Standing(now.tag(), 1, now.known(), now.quarantined(), now.moved());
            }
        };
    }

    private static LoopSettings boundless(LoopSettings settings) {
        Map<String, SitePlan> plans = new TreeMap<>();
        settings.sites().forEach((name, plan) -> {
            SitePlan.Director usual = plan.director();
            plans.put(
                    name,
                    new SitePlan(
                            name,
                            plan.provider(),
                            new SitePlan.Director(
                                    usual.type(),
                                    usual.market(),
                                    usual.zone(),
                                    usual.image(),
                                    usual.idle(),
                                    usual.given(),
                                    Money.parse("1000")),
                            plan.nodes(),
                            plan.home(),
                            plan.owner(),
                            plan.priority(),
                            plan.egressPerGigabyte()));
        });
        return new LoopSettings(
                settings.cluster(),
                settings.lease(),
                settings.spending(),
                settings.maxAttempts(),
                plans,
                settings.planning(),
                settings.limits(),
                settings.roles(),
                settings.markets());
    }

    private static void assertFound(Kind kind, LoopFactory factory, String message) {
        Optional<Verdict> found = LongStream.rangeClosed(1, MOST_SEEDS)
                .mapToObj(seed -> FaultSimulation.run(seed, factory, kind))
                .filter(verdict -> verdict.broken().contains(message))
                .findFirst();
        assertThat(found).as(message).isPresent();
    }

    private static Ports with(Ports ports, UnaryOperator<JobRun.Published> told) {
        return ForwardingStager.in(ports, real -> new ForwardingStager(real) {
            @Override
            public JobRun.Published publish(JobRecord job) throws IOException {
                return told.apply(super.publish(job));
            }
        });
    }
}
