package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.api.SpendPartsView;
import org.spillway.head.cause.Cause;
import org.spillway.head.config.ArchiveSettings;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.EgressRecord;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.ForwardingJournalStore;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** Old jobs leave the journal, and the bill is as before. */
final class OldJobsTest {
    private static final Instant START = Instant.parse("2026-10-31T00:00:00Z");
    private static final Instant MONTH = Instant.parse("2026-11-01T00:00:00Z");
    private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
    private static final ArchiveSettings SOON = new ArchiveSettings(Duration.ofHours(1), Optional.empty());
    private static final HeadConfig.Decisions DECISIONS = new HeadConfig.Decisions(Duration.ofDays(400), 1000);
    private static final Duration LONGEST_PERIOD = Duration.ofDays(32);

    @TempDir
    Path state;

    private JournalStore store = new MemoryJournalStore();

    @BeforeEach
    void open() {
        store = SqliteJournalStore.open(state, false, START);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static NodeRecord node(String id, Instant from, Instant to) {
        Offering offering = Offering.of(
                new OfferingId("east", "a", "std", Market.ON_DEMAND),
                new Resources(4, 8L << 30, 0, "", 0),
                Money.parse("0.123457"));
        return NodeRecord.of(draft -> {
                    draft.id = id;
                    draft.site = "east";
                    draft.intent = "i-" + id;
                })
                .withOffering(offering)
                .withCostFrom(from)
                .withCommittedFor(Duration.ofHours(5))
                .to(NodeState.TERMINATED, Cause.NONE, to);
    }

    private static JobRecord job(String id, String user, String node, Instant from, Instant to) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.owner = new JobSpec.Owner(user, 1000, 1000);
            draft.sites = List.of("east");
            draft.idempotencyKey = JobSpec.Key.of("key-" + id);
            draft.need = new JobSpec.Need(Resources.of(1, 1L << 30, 0), 1, Duration.ofHours(1));
            draft.terms = new JobSpec.Terms("a-" + user, null, Map.of());
        });
        JobRun run = JobRun.NONE
                .at("east")
                .startedOn(List.of(node), 0)
                .ended(node, JobRun.End.of(from, to, 0, Cause.NONE, true, "s", null));
        return new JobRecord(id, spec, JobState.DONE, Cause.NONE, to, run);
    }

    /** A day's node with two jobs, over two months. */
    private void filled() {
        for (int day = 0; day < 25; day++) {
            Instant from = START.plus(Duration.ofDays(day));
            Instant to = from.plus(Duration.ofHours(7));
            List<Entry> entries = new ArrayList<>();
            entries.add(node("n" + day, from, to));
            JobRecord job = job(day + "1", "ada", "n" + day, from.plusSeconds(601), from.plusSeconds(7003));
            entries.add(job);
            entries.add(job(day + "2", "bob", "n" + day, from.plusSeconds(1000), from.plusSeconds(9999)));
            entries.add(EgressRecord.of(job, 1_000_003, Money.parse("0.000007"), to));
            store.write(to, entries, List.of());
        }
    }

    private SpendPartsView spend() {
        return SpendParts.of(new Journal(store, NOW.minus(LONGEST_PERIOD)), "EUR", BudgetPeriod.MONTH, MONTH, NOW);
    }

    @Test
    void theBillIsTheSameToTheMillionthWhateverIsArchived() {
        filled();
        SpendPartsView before = spend();
        assertThat(before.parts()).hasSizeGreaterThan(3);
        new OldJobs(store, SOON, DECISIONS, () -> NOW).keep(NOW.minus(LONGEST_PERIOD));
        assertThat(spend()).isEqualTo(before);
        store.close();
        store = SqliteJournalStore.open(state, false, NOW);
        assertThat(spend()).isEqualTo(before);
        assertThat(store.endedJobs(OptionalInt.empty(), 1000)).hasSize(50);
        Rows rows = new Rows(state);
        assertThat(rows.count("journal.db", "job")).isZero();
        assertThat(rows.count("journal.db", "node")).as("their cost may count").isEqualTo(25);
        // When no period reaches them any more, nodes follow.
        Instant later = NOW.plus(Duration.ofDays(60));
        new OldJobs(store, SOON, DECISIONS, () -> later).keep(later.minus(LONGEST_PERIOD));
        assertThat(rows.count("journal.db", "node")).isZero();
        assertThat(rows.count("archive.db", "node")).isEqualTo(25);
    }

    private record Rows(Path state) {
        long count(String file, String kind) {
            try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + state.resolve(file));
                    var statement = connection.createStatement();
                    var found = statement.executeQuery("SELECT count(*) FROM entry WHERE kind = '" + kind + "'")) {
                return found.getLong(1);
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void theArchiveForgetsOnlyWhereThatIsWanted() {
        filled();
        Instant later = NOW.plus(Duration.ofDays(365));
        new OldJobs(store, SOON, DECISIONS, () -> later).keep(later.minus(LONGEST_PERIOD));
        assertThat(store.endedJobs(OptionalInt.empty(), 1000)).hasSize(50);
        ArchiveSettings forAYear = new ArchiveSettings(Duration.ofHours(1), Optional.of(Duration.ofDays(380)));
        new OldJobs(store, forAYear, DECISIONS, () -> later).keep(later.minus(LONGEST_PERIOD));
        assertThat(store.endedJobs(OptionalInt.empty(), 1000)).isNotEmpty().hasSizeLessThan(40);
    }

    @Test
    void aFailureIsNotRepeatedAtOnceAndAFullDiskIsLeftAlone() {
        int[] calls = {0};
        boolean[] isShort = {false};
        JournalStore failing = new ForwardingJournalStore(store) {
            @Override
            public int archive(Instant jobsBefore, Instant pricedBefore, int decisions) {
                calls[0]++;
                throw new JournalFailure("no");
            }

            @Override
            public boolean isShortOfRoom() {
                return isShort[0];
            }
        };
        Instant[] now = {NOW};
        OldJobs jobs = new OldJobs(failing, SOON, DECISIONS, () -> now[0]);
        jobs.keep(START);
        jobs.keep(START);
        assertThat(calls[0]).isEqualTo(1);
        now[0] = NOW.plus(Duration.ofMinutes(6));
        isShort[0] = true;
        jobs.keep(START);
        assertThat(calls[0]).isEqualTo(1);
        isShort[0] = false;
        jobs.keep(START);
        assertThat(calls[0]).isEqualTo(2);
    }
}
