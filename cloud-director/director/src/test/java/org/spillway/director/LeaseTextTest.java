package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.director.node.NodeUserData;
import org.spillway.director.wire.Report;

/** A node's report: what is said in it, what is left out of it, and that nothing spoils the rest. */
final class LeaseTextTest {
    private static final int SOME = 2_000;
    private static final int ALL = 10_000;

    private static LeaseText parse(String text) {
        return LeaseText.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String frame(String words) {
        return words.getBytes(StandardCharsets.UTF_8).length + ":" + words + "\n";
    }

    private static String job(String id, String message) {
        return "job " + id + " 1 ENDED 0 1 2 user " + message;
    }

    @Test
    void aBadRecordCostsItselfAndIsToldWithItsCause() {
        LeaseText said = parse("spillway-report 2\n" + frame("ready yes") + frame(job("1", "first"))
                + frame("job 2 one ENDED 0 1 2 user x") + "200:too short\n" + frame("bogus") + frame("gate image ok")
                + frame(job("3", "last")));
        assertThat(said.ready()).isTrue();
        assertThat(said.jobs()).extracting(LeaseText.Job::job).containsExactly("1", "3");
        assertThat(said.gate()).hasSize(1);
        assertThat(said.unread())
                .containsExactly(
                        "record 3: a number of it is none",
                        "record 4: it is not as long as it says",
                        "record 5: its first word is not known");
    }

    @Test
    void whatWasFetchedIsOfTheJobBeforeIt() {
        LeaseText said = parse("spillway-report 2\n" + frame(job("1", "")) + frame("fetched 1 1 7")
                + frame("results 1 1 5 " + "0".repeat(64)) + frame(job("2", "")) + frame("fetched 1 1 8")
                + frame("fetched 2 1 -8") + frame("fetched 2 1"));
        assertThat(said.jobs()).extracting(LeaseText.Job::fetchedBytes).containsExactly(7L, null);
        assertThat(said.jobs().getFirst().results()).isNotNull();
        assertThat(said.unread())
                .containsExactly(
                        "record 5: what was fetched without its job before it",
                        "record 6: a number below 0",
                        "record 7: what was fetched without its size");
    }

    @Test
    void aNoticeAndTheJobsThatItEndedAreHeard() {
        LeaseText said = parse("spillway-report 2\n" + frame("notice reclaim 1800000000") + frame(job("1", "m"))
                + frame("results 1 1 5 " + "a".repeat(64)) + frame("taken 1 1") + frame(job("2", "")));
        assertThat(said.notice()).isEqualTo(new Report.Notice(true, 1_800_000_000));
        assertThat(said.jobs()).extracting(LeaseText.Job::takenBack).containsExactly(true, false);
        assertThat(said.jobs().getFirst().results()).isNotNull();
        assertThat(parse("spillway-report 2\n" + frame("notice rebalance 7")).notice())
                .isEqualTo(new Report.Notice(false, 7));
    }

    @Test
    void aNoticeThatIsNoneAndAnEndOfAnotherJobAreLeftOut() {
        LeaseText said = parse("spillway-report 2\n" + frame("notice stop 7") + frame("notice reclaim soon")
                + frame(job("1", "m")) + frame("taken 2 1") + frame("taken 1 2") + frame("taken 1"));
        assertThat(said.notice()).isNull();
        assertThat(said.jobs().getFirst().takenBack()).isFalse();
        assertThat(said.unread())
                .containsExactly(
                        "record 1: a notice of a kind that is not known",
                        "record 2: a number of it is none",
                        "record 4: a job that was taken back without itself before it",
                        "record 5: a job that was taken back without itself before it",
                        "record 6: a job that was taken back with other than two words");
    }

    @Test
    void aMessageOfTwoLinesIsOneMessage() {
        String message = "user bob has uid 1\njob 9 1 ENDED 0 1 2 user forged";
        LeaseText said = parse("spillway-report 2\n" + frame(job("1", message)));
        assertThat(said.jobs()).extracting(LeaseText.Job::job).containsExactly("1");
        assertThat(said.jobs().getFirst().message()).startsWith("user bob has uid 1?job 9");
    }

    @Test
    void aNodeOfAnEarlierReleaseIsHeardAndLosesOnlyTheLineThatIsBad() {
        LeaseText said = parse("ready yes\n" + job("1", "uid 1") + "\n2 in the directory\n" + job("3", "") + "\n");
        assertThat(said.jobs()).extracting(LeaseText.Job::job).containsExactly("1", "3");
        assertThat(said.unread()).containsExactly("record 3: its first word is not known");
    }

    /** Bytes are changed, cut and put in anywhere: there is always a report, and it is bounded. */
    @Test
    void noBytesMakeItFail() {
        byte[] good = ("spillway-report 2\n" + frame("ready yes") + frame("gate image ok x") + frame(job("1", "m"))
                        + frame("results 1 1 5 " + "a".repeat(64)))
                .getBytes(StandardCharsets.UTF_8);
        for (long seed : FuzzSeeds.of("bytes of a node's report", SOME, ALL)) {
            var random = new Random(seed);
            byte[] bad = good.clone();
            for (int i = random.nextInt(8); i >= 0; i--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            byte[] cut = java.util.Arrays.copyOf(bad, random.nextInt(bad.length + 40));
            LeaseText said = LeaseText.parse(cut);
            assertThat(said.unread().size()).as("seed %d", seed).isLessThanOrEqualTo(10);
            assertThat(said.jobs().size()).as("seed %d", seed).isLessThanOrEqualTo(3);
        }
    }

    /** A record of whatever bytes, in a frame, leaves the records around it as they are. */
    @Test
    void noRecordSpoilsItsNeighbours() {
        for (long seed : FuzzSeeds.of("records of a node's report", SOME, ALL)) {
            var random = new Random(seed);
            byte[] words = new byte[random.nextInt(60)];
            random.nextBytes(words);
            var body = new ByteArrayOutputStream();
            body.writeBytes(("spillway-report 2\n" + frame(job("before", ""))).getBytes(StandardCharsets.UTF_8));
            body.writeBytes((words.length + ":").getBytes(StandardCharsets.UTF_8));
            body.writeBytes(words);
            body.writeBytes(("\n" + frame(job("behind", ""))).getBytes(StandardCharsets.UTF_8));
            LeaseText said = LeaseText.parse(body.toByteArray());
            assertThat(said.jobs())
                    .as("seed %d", seed)
                    .extracting(LeaseText.Job::job)
                    .containsExactly("before", "behind");
        }
    }

    /** The node's own program frames messages that a directory, a tar or a user made up. */
    @Test
    void theNodesProgramFramesWhateverItIsTold() throws Exception {
        Path node = Path.of(Objects.requireNonNull(NodeUserData.class.getResource("base.sh"))
                        .toURI())
                .getParent();
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                ". \"$0/base.sh\"; echo spillway-report 2; for each; do frame job 7 1 ENDED 0 1 2 user \"$each\"; done",
                node.toString()));
        // The shell's command line ends at two megabytes.
        long[] seeds = FuzzSeeds.of("messages that a node frames", 60, 2_000);
        int count = seeds.length;
        for (long seed : seeds) {
            var random = new Random(seed);
            var text = new StringBuilder();
            for (int i = random.nextInt(80); i > 0; i--) {
                text.append((char) (1 + random.nextInt(random.nextBoolean() ? 126 : 0xD7FE)));
            }
            command.add(text.append("\njob 9 1 ENDED 0 1 2 user forged seed ")
                    .append(seed)
                    .toString());
        }
        var builder = new ProcessBuilder(command);
        for (String locale : List.of("C", "C.UTF-8")) {
            builder.environment().put("LC_ALL", locale);
            Process process = builder.start();
            process.getOutputStream().close();
            LeaseText said = LeaseText.parse(process.getInputStream().readAllBytes());
            assertThat(process.waitFor()).isZero();
            assertThat(said.unread()).as(locale).isEmpty();
            assertThat(said.jobs()).as(locale).hasSize(count);
            assertThat(said.jobs()).extracting(LeaseText.Job::job).containsOnly("7");
        }
    }
}
