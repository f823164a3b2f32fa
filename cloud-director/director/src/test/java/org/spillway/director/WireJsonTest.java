package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Reach;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.DirectoryReport;
import org.spillway.director.wire.Report.GateCheck;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.director.wire.Report.NodeReport;

/** A director's report as the head reads it: a part that cannot be read costs that part. */
final class WireJsonTest {
    private static final int SOME = 2_000;
    private static final int ALL = 10_000;

    private static Report report() {
        return new Report(
                Directive.SCHEMA,
                "test",
                "boot",
                "store",
                7,
                List.of(),
                List.of(
                        new NodeReport("n1", 0.5, true, "", List.of(new GateCheck("image", true, "ok")), null, null),
                        new NodeReport("n2", 0.5, true, "", List.of(), null, new Report.Notice(true, 1_800_000_000)),
                        new NodeReport("n3", 0.5, false, "", List.of(), null, null)),
                List.of(
                        new JobReport(
                                "1",
                                1,
                                "n1",
                                Phase.RUNNING,
                                null,
                                1,
                                0,
                                null,
                                "",
                                true,
                                null,
                                7L,
                                new Report.Synced(3, 10240, "0".repeat(64)),
                                new Report.Written(7, 0)),
                        new JobReport("2", 1, "n1", Phase.ENDED, 0, 1, 2, null, "", true, true, null, null, null)),
                List.of("a"),
                DirectoryReport.NONE,
                1);
    }

    private static Directive directive() {
        return new Directive(
                Directive.SCHEMA,
                "site",
                7,
                30,
                List.of(new Directive.LaunchGrant("intent", "a".repeat(64), 1, 1)),
                List.of(),
                List.of(new Directive.NodeGrant("n1", null)),
                List.of(new OrderDraft("1", "n1", 1000, "true\n").order()),
                List.of(),
                Directive.ImageGrant.NONE,
                Directive.DirectoryGrant.NONE,
                Isolation.PREFERRED,
                new Mounts(List.of(new Mounts.Mount("/data", "10.0.0.5:/data", "nfs", "ro", 20, ""))),
                new Reach(List.of("/proj")),
                new Forwards(List.of(new Forwards.Forward(
                        "licence", "licence.example.org", List.of(27000, 27001), List.of("cad")))));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aWholeReportIsReadWhole() throws Exception {
        var heard = WireJson.hearReport(WireJson.write(report()));
        assertThat(heard.report()).isEqualTo(report());
        assertThat(heard.unread()).isEmpty();
    }

    @Test
    void aDirectorOfAnEarlierReleaseSaysNothingOfWhatWasFetched() throws Exception {
        String now = new String(WireJson.write(report()), StandardCharsets.UTF_8);
        String before = now.replace(",\"fetchedBytes\":7", "");
        assertThat(before).isNotEqualTo(now);
        var heard = WireJson.hearReport(bytes(before));
        assertThat(heard.unread()).isEmpty();
        assertThat(heard.report().jobs())
                .extracting(JobReport::fetchedBytes)
                .containsOnlyNulls()
                .hasSize(2);
    }

    @Test
    void aNodeThatCannotBeReadCostsNoOtherItsLease() throws Exception {
        String good = new String(WireJson.write(report()), StandardCharsets.UTF_8);
        String bad = good.replace("\"node\":\"n2\",\"silentSeconds\":0.5", "\"node\":\"n2\",\"silentSeconds\":\"late\"")
                .replace("\"RUNNING\"", "\"DANCING\"");
        assertThat(bad).isNotEqualTo(good);
        var heard = WireJson.hearReport(bytes(bad));
        assertThat(heard.report().nodes()).extracting(NodeReport::node).containsExactly("n1", "n3");
        assertThat(heard.report().jobs()).extracting(JobReport::job).containsExactly("2");
        assertThat(heard.unread()).hasSize(2).anyMatch(cause -> cause.startsWith("nodes 2: "));
    }

    private static byte[] changed(byte[] good, Random random) {
        byte[] bad = good.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            bad[random.nextInt(bad.length)] = (byte) (32 + random.nextInt(95));
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(bad, random.nextInt(bad.length)) : bad;
    }

    /** The other way: what the head says is carried out as a whole or not at all. */
    @Test
    void noBytesOfADirectiveBringAnythingElse() throws Exception {
        byte[] good = WireJson.write(directive());
        int read = 0;
        long[] seeds = FuzzSeeds.of("bytes of a directive", SOME, ALL);
        for (long seed : seeds) {
            try {
                Directive heard = WireJson.readDirective(changed(good, new Random(seed)));
                assertThat(heard.jobs().size()).as("seed %d", seed).isLessThanOrEqualTo(1);
                heard.jobs().forEach(OrderCheck::problem);
                read++;
            } catch (WireJson.Malformed expected) {
                assertThat(expected.getMessage()).as("seed %d", seed).startsWith("not a ");
            }
        }
        assertThat(read).isBetween(seeds.length / 20, seeds.length);
    }

    /** Bytes of a report are changed and cut: it is read as far as it goes, or refused as a whole by one exception. */
    @Test
    void noBytesBringAnythingElse() {
        byte[] good = WireJson.write(report());
        int read = 0;
        long[] seeds = FuzzSeeds.of("bytes of a director's report", SOME, ALL);
        for (long seed : seeds) {
            byte[] bad = changed(good, new Random(seed));
            try {
                var heard = WireJson.hearReport(bad);
                assertThat(heard.report().nodes().size()).as("seed %d", seed).isLessThanOrEqualTo(3);
                read++;
            } catch (WireJson.Malformed expected) {
                assertThat(expected.getMessage()).as("seed %d", seed).startsWith("not a ");
            }
        }
        assertThat(read).isBetween(seeds.length / 20, seeds.length);
        for (String odd : List.of("", "null", "[]", "7", "{}", "{\"nodes\":[null]}")) {
            assertThatThrownBy(() -> WireJson.hearReport(bytes(odd))).isInstanceOf(WireJson.Malformed.class);
        }
    }
}
