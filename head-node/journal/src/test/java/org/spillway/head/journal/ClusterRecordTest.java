package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;
import org.spillway.policy.Money;

final class ClusterRecordTest {
    private static final Instant BEGIN = Instant.parse("2026-03-01T08:00:00Z");
    private static final ClusterRecord.User OWNER = new ClusterRecord.User("ada", 1001, 100, "/home/ada", List.of());

    private static Instant hours(int count) {
        return BEGIN.plus(Duration.ofHours(count));
    }

    private static ClusterRecord running() {
        var spec = new ClusterSpec(
                "demo",
                "east",
                List.of(OWNER),
                new ClusterSpec.Fleet(2, "small", "torch", "slurm"),
                Duration.ofHours(8),
                Money.parse("10"),
                BEGIN,
                "");
        var head =
                new ClusterMachine(null, Money.parse("1"), BEGIN, "i-1", "192.0.2.1", 22, "10.0.0.1", null, List.of());
        return new ClusterRecord(
                "mai-c1",
                spec,
                ClusterState.RUNNING,
                Stage.READY,
                Cause.NONE,
                BEGIN,
                Cause.NONE,
                "",
                List.of(),
                head,
                null,
                null);
    }

    @Test
    void aHeadThatIsOffCostsWhatThatCostsAndThenItsPriceAgain() {
        var stopped = running().stopping(new Told("asked"), "", hours(2)).stopped(Money.parse("0.10"), hours(2));
        assertThat(stopped.head().cost(hours(4))).isEqualTo(Money.parse("2.20"));
        assertThat(stopped.head().priceNow()).isEqualTo(Money.parse("0.10"));
        var back = stopped.starting(new Told("asked"), hours(5));
        assertThat(back.head().cost(hours(6))).isEqualTo(Money.parse("3.30"));
        assertThat(back.head().priceNow()).isEqualTo(Money.parse("1"));
        var again = back.stopping(new Told("asked"), "", hours(6)).stopped(Money.parse("0.10"), hours(6));
        var gone = again.deleting(new Told("over"), hours(8)).gone(Money.parse("3.50"), hours(8));
        assertThat(gone.head().cost(hours(20))).isEqualTo(Money.parse("3.50"));
        assertThat(gone.head().priceNow()).isEqualTo(Money.ZERO);
    }

    /** Nobody has said that it costs less. */
    @Test
    void whatIsOffAtAPriceThatNobodyKnowsCountsInFull() {
        var stopped = running().stopping(new Told("asked"), "", hours(2)).stopped(null, hours(2));
        assertThat(stopped.head().cost(hours(4))).isEqualTo(Money.parse("4"));
        assertThat(stopped.head().priceNow()).isEqualTo(Money.parse("1"));
        assertThat(stopped.starting(new Told("asked"), hours(5)).head().cost(hours(6)))
                .isEqualTo(Money.parse("6"));
    }

    @Test
    void aStoppedOneKeepsWhatItReservesAndItsEnd() {
        var stopped = running().stopping(new Told("asked"), "", hours(2)).stopped(null, hours(2));
        assertThat(stopped.isLive()).isTrue();
        assertThat(stopped.reserved()).isEqualTo(Money.parse("10"));
        assertThat(stopped.spec().expires()).isEqualTo(hours(8));
        var longer = stopped.withSpec(stopped.spec().extended(Duration.ofHours(2), Money.parse("5")));
        assertThat(longer.reserved()).isEqualTo(Money.parse("15"));
        assertThat(longer.spec().expires()).isEqualTo(hours(10));
    }

    @Test
    void isReadAsItWasWrittenAndAlsoFromBeforeAnyCouldBeStopped() {
        var stopped = running().stopping(new Told("asked"), "", hours(2)).stopped(Money.parse("0.10"), hours(2));
        assertThat(EntryJson.read("cluster", stopped.id(), EntryJson.write(stopped)))
                .isEqualTo(stopped);
        var before = EntryJson.write(running())
                .replaceFirst(",\"results\":\"\"", "")
                .replaceFirst(",\"image\":\"torch\",\"workload\":\"slurm\"", "");
        assertThat(before).doesNotContain("results").doesNotContain("torch");
        assertThat(((ClusterRecord) EntryJson.read("cluster", "mai-c1", before)).spec())
                .as("from before results came home, and images could be chosen")
                .extracting(ClusterSpec::results, ClusterSpec::image, ClusterSpec::workload)
                .containsExactly("", "", "");
        assertThat(EntryJson.write(running())).contains(",\"approval\":null");
        assertThat(EntryJson.read(
                        "cluster", "mai-c1", EntryJson.write(running()).replace(",\"approval\":null", "")))
                .as("from before anybody was asked")
                .isEqualTo(running());
        var old = EntryJson.write(running()).replaceFirst(",\"stops\":\\[[^\\]]*\\]", "");
        assertThat(old).doesNotContain("stops");
        assertThat(EntryJson.read("cluster", "mai-c1", old)).isEqualTo(running());
    }

    /** As journals in the field have it: the parts of its nodes lie among the others. */
    @Test
    void theOrderIsStoredAsItWasBeforeItHadParts() {
        var written = EntryJson.write(running());
        assertThat(written).contains("\"nodes\":2,\"nodeType\":\"small\",").doesNotContain("fleet");
        var begin = written.indexOf("\"spec\":{");
        var before = written.substring(0, begin)
                + """
                "spec":{"name":"demo","site":"east","users":[{"name":"ada","uid":1001,"gid":100,"home":"/home/ada",\
                "groups":[]}],"nodes":2,"nodeType":"small","ttl":"PT8H","budget":BUDGET,\
                "createdAt":"2026-03-01T08:00:00Z","results":"","image":"torch","workload":"slurm"}""".replace(
                                "BUDGET",
                                written.replaceAll("(?s).*?\"budget\":([^,}]*[,}]?).*", "$1")
                                        .replaceAll(",$", ""))
                + written.substring(written.indexOf(",\"clusterState\""));
        assertThat(EntryJson.read("cluster", "mai-c1", before)).isEqualTo(running());
    }

    /** Neither time nor money of the head count while nobody has agreed. */
    @Test
    void oneThatWaitsReservesNoMoneyAndItsTimeBeginsWhenSomebodyAgrees() {
        var spec = running().spec();
        var waiting = new ClusterRecord(
                        "mai-c1",
                        spec,
                        ClusterState.REQUESTED,
                        Stage.HEAD_INSTANCE,
                        Cause.NONE,
                        BEGIN,
                        Cause.NONE,
                        "",
                        List.of(),
                        ClusterMachine.NONE,
                        null,
                        null)
                .waiting(new Told("nodes: found 2"), hours(100), BEGIN);
        assertThat(waiting.isLive()).isTrue();
        assertThat(waiting.reserved()).isEqualTo(Money.ZERO);
        assertThat(EntryJson.read("cluster", "mai-c1", EntryJson.write(waiting)))
                .isEqualTo(waiting);
        var approved = waiting.approved("carol", hours(50));
        assertThat(approved.clusterState()).isEqualTo(ClusterState.REQUESTED);
        assertThat(approved.spec().expires()).isEqualTo(hours(58));
        assertThat(approved.reserved()).isEqualTo(Money.parse("10"));
        assertThat(approved.creating(hours(50)).approval()).isEqualTo(approved.approval());
        assertThat(EntryJson.read("cluster", "mai-c1", EntryJson.write(approved)))
                .isEqualTo(approved);
        assertThat(waiting.rejected(new Told("no"), "carol", hours(1)).reserved())
                .isEqualTo(Money.ZERO);
        assertThat(waiting.withdrawn(new Told("no"), hours(1)).clusterState()).isEqualTo(ClusterState.DELETED);
    }
}
