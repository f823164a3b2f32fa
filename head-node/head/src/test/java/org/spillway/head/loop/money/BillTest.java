package org.spillway.head.loop.money;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.RecoveryCause;
import org.spillway.head.journal.EgressRecord;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** M9: parts of the spend sum to it, to the millionth, and each has its owner. */
final class BillTest {
    private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

    private static NodeRecord node(String id, boolean director, String price, Instant from) {
        Offering offering = Offering.of(
                new OfferingId("east", "a", "std", Market.ON_DEMAND),
                new Resources(4, 8L << 30, 0, "", 0),
                Money.parse(price));
        return NodeRecord.of(draft -> {
                    draft.id = id;
                    draft.site = "east";
                    draft.role = director ? NodeRecord.Role.DIRECTOR : NodeRecord.Role.NODE;
                    draft.intent = "i-" + id;
                })
                .withOffering(offering)
                .withCostFrom(from)
                .withCommittedFor(Duration.ofHours(5));
    }

    private static JobRecord job(String id, String user, int cpus, String node, Instant from, Instant to) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.owner = new JobSpec.Owner(user, 1000, 1000);
            draft.sites = List.of("east");
            draft.project = "p-" + user;
            draft.need = new JobSpec.Need(Resources.of(cpus, 1L << 30, 0), 1, Duration.ofHours(1));
            draft.terms = new JobSpec.Terms("a-" + user, null, java.util.Map.of());
        });
        JobRun run = JobRun.NONE
                .at("east")
                .startedOn(List.of(node), 0)
                .ended(node, JobRun.End.of(from, to, 0, Cause.NONE, true, "s", null));
        return new JobRecord(id, spec, JobState.DONE, Cause.NONE, to, run);
    }

    private static Money sum(List<Bill.Line> lines) {
        return lines.stream().map(Bill.Line::amount).reduce(Money.ZERO, Money::plus);
    }

    @Test
    void aNodeIsItsJobsByTheirLargestShareAndTheRestIsIdle() {
        Instant end = START.plus(Duration.ofHours(4));
        NodeRecord node = node("n1", false, "1", START)
                .heldBy(new Holders(Set.of("q"), Set.of("ada"), Set.of("a-ada")), START.plus(Duration.ofHours(1)))
                .to(NodeState.TERMINATED, Cause.NONE, end);
        NodeRecord director = node("n2", true, "0.1", START).to(NodeState.TERMINATED, Cause.NONE, end);
        JobRecord ada = job("1", "ada", 2, "n1", START.plus(Duration.ofHours(1)), START.plus(Duration.ofHours(2)));
        JobRecord bob = job("2", "bob", 4, "n1", START.plus(Duration.ofHours(3)), end);
        Bill.Facts facts = new Bill.Facts(List.of(node, director), List.of(ada, bob), List.of(), List.of(), List.of());
        assertThat(Bill.of(facts, START, end))
                .containsExactly(
                        line(Bill.Part.JOBS, new Bill.Owner("ada", "a-ada", "p-ada"), "0.5"),
                        line(Bill.Part.JOBS, new Bill.Owner("bob", "a-bob", "p-bob"), "1"),
                        line(Bill.Part.IDLE, Bill.Owner.SITE, "1"),
                        line(Bill.Part.IDLE, new Bill.Owner("ada", "a-ada", ""), "1.5"),
                        line(Bill.Part.DIRECTORS, Bill.Owner.SITE, "0.4"));
    }

    @Test
    void aShareIsTheLargestOfCpusMemoryAndGpus() {
        NodeRecord node = node("n1", false, "1", START);
        Instant end = START.plus(Duration.ofHours(1));
        NodeUse most = new NodeUse(Bill.Owner.SITE, new Resources(1, 6L << 30, 0, "", 0), false, START, end);
        assertThat(most.share(node.resources())).isEqualTo(NodeUse.WHOLE * 3 / 4);
        NodeUse whole = new NodeUse(Bill.Owner.SITE, Resources.of(1, 1, 0), true, START, end);
        assertThat(whole.share(node.resources())).isEqualTo(NodeUse.WHOLE);
        // Together more than there is: in the relation of their shares.
        assertThat(sum(NodeBill.of(node, List.of(most, whole), START, end))).isEqualTo(Money.parse("1"));
    }

    private static Bill.Line line(Bill.Part part, Bill.Owner owner, String amount) {
        return new Bill.Line(part, "east", owner, Money.parse(amount));
    }

    @Test
    void whatANodeKeepsWhileItIsStoppedIsStorage() {
        Instant stopped = START.plus(Duration.ofHours(1));
        Instant end = START.plus(Duration.ofHours(3));
        NodeRecord node = node("n1", false, "1", START).stoppedAt(Money.parse("0.01"), stopped);
        Bill.Facts facts = new Bill.Facts(List.of(node), List.of(), List.of(), List.of(), List.of());
        assertThat(Bill.of(facts, START, end))
                .containsExactly(
                        line(Bill.Part.IDLE, Bill.Owner.SITE, "1"), line(Bill.Part.STORAGE, Bill.Owner.SITE, "0.02"));
    }

    /** Nodes before, in and after the period, stopped and started, shared by more jobs than they hold, at crooked prices. */
    @Test
    void partsSumToTheBillForEveryHistory() {
        for (long seed = 1; seed <= 2000; seed++) {
            Random random = new Random(seed);
            Instant now = START.plusSeconds(1 + random.nextInt(200_000));
            List<NodeRecord> nodes = new ArrayList<>();
            List<JobRecord> jobs = new ArrayList<>();
            List<EgressRecord> egress = new ArrayList<>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                nodes.add(node(random, "n" + i));
                for (int j = random.nextInt(6); j > 0; j--) {
                    Instant from = at(random);
                    jobs.add(job(
                            "j" + jobs.size(),
                            "u" + random.nextInt(3),
                            1 + random.nextInt(6),
                            "n" + i,
                            from,
                            from.plusNanos(random.nextLong(40_000_000_000_000L))));
                }
            }
            for (JobRecord job : jobs) {
                if (random.nextInt(3) == 0) {
                    egress.add(EgressRecord.of(job, 7, new Money(random.nextInt(999)), at(random)));
                }
            }
            Bill.Facts facts = new Bill.Facts(nodes, jobs, egress, List.of(), List.of());
            List<Bill.Line> lines = Bill.of(facts, START, now);
            assertThat(sum(lines)).as("seed " + seed).isEqualTo(Bill.total(facts, START, now));
            assertThat(lines).as("seed " + seed).allMatch(line -> line.amount().micros() > 0);
        }
    }

    private static Instant at(Random random) {
        return START.minusSeconds(50_000).plusNanos(random.nextLong(200_000_000_000_000L));
    }

    private static NodeRecord node(Random random, String id) {
        Instant from = at(random);
        NodeRecord node = node(id, random.nextInt(5) == 0, "0.0" + (1 + random.nextInt(99_999)), from);
        Instant then = from;
        for (int i = random.nextInt(4); i > 0; i--) {
            then = then.plusNanos(1 + random.nextLong(9_000_000_000_000L));
            node = switch (random.nextInt(3)) {
                case 0 -> node.startedAt(then).stoppedAt(new Money(random.nextInt(5000)), then);
                case 1 -> node.startedAt(then);
                default ->
                    node.heldBy(
                            new Holders(
                                    Set.of("q"), Set.copyOf(List.of("u" + random.nextInt(3), "u" + i)), Set.of("a")),
                            then);
            };
        }
        return random.nextBoolean()
                ? node.startedAt(then).to(NodeState.TERMINATED, Cause.NONE, then.plusSeconds(5))
                : node;
    }

    @Test
    void machinesThatTheJournalDoesNotKnowAreAPartByThemselves() {
        Instant later = Instant.EPOCH.plusSeconds(7200);
        RecoveryRecord unknown = RecoveryRecord.found(
                new RecoveryRecord.Machine(
                        "east",
                        "i-1",
                        new OfferingId("east", "a", "small", Market.ON_DEMAND),
                        "NODE",
                        "a.1.w",
                        "",
                        Instant.EPOCH,
                        Money.parse("0.5"),
                        null),
                RecoveryCause.RecoveryFact.NOT_IN_JOURNAL,
                Instant.EPOCH);
        Bill.Facts facts = new Bill.Facts(List.of(), List.of(), List.of(), List.of(), List.of(unknown));
        assertThat(Bill.total(facts, Instant.EPOCH, later)).isEqualTo(Money.parse("1"));
        assertThat(Bill.of(facts, Instant.EPOCH, later))
                .containsExactly(new Bill.Line(Bill.Part.UNKNOWN, "east", Bill.Owner.SITE, Money.parse("1")));
    }
}
