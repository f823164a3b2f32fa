package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.stage.Sha256;

/** Outputs of a job that runs, round by round, with the head's part played by the test. */
@Tag("processes")
final class NodeSyncTest {
    @TempDir
    static Path folder;

    private static TestNodes nodes;
    private static TestSite site;
    private static TestInstance instance;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TestNodes(folder);
        site = nodes.site;
        instance = nodes.instance("syncs");
        // A file that asks for it changes while it is read.
        instance.program("tar", """
                #!/bin/sh
                /usr/bin/tar "$@"; status=$?
                [ ! -e results/restless ] || date +%N >>results/restless
                exit "$status"
                """);
        instance.boot(site.userData());
        site.untilReady(instance.id);
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    private static JobReport.Phase phase(Report report, String job) {
        return report.jobs().stream()
                .filter(told -> told.job().equals(job))
                .findFirst()
                .map(JobReport::phase)
                .orElse(Phase.ACCEPTED);
    }

    private static Report.Synced untilRound(String job, int number) throws Exception {
        Report report = site.until(
                "round " + number + " of " + job,
                heard -> heard.jobs().stream()
                        .filter(told -> told.job().equals(job))
                        .map(JobReport::synced)
                        .filter(Objects::nonNull)
                        .anyMatch(round -> round.round() >= number));
        assertThat(phase(report, job)).isEqualTo(Phase.RUNNING);
        return report.jobs().stream()
                .filter(told -> told.job().equals(job))
                .findFirst()
                .map(JobReport::synced)
                .orElseThrow();
    }

    private static boolean isLater(Report report, String job, int round) {
        return report.jobs().stream()
                .filter(told -> told.job().equals(job))
                .map(JobReport::synced)
                .filter(Objects::nonNull)
                .anyMatch(synced -> synced.round() > round);
    }

    private static boolean isKnown(Path known) {
        try {
            return Files.readString(known).contains("results/still");
        } catch (IOException beingWritten) {
            return false;
        }
    }

    private static Map<String, String> files(String job, Report.Synced round) throws Exception {
        byte[] bundle = site.staged("jobs/" + job + "/1/sync/0/" + round.round());
        assertThat(bundle).hasSize((int) round.bytes());
        assertThat(HexFormat.of().formatHex(Sha256.digest().digest(bundle))).isEqualTo(round.sha256());
        return Tar.files(bundle, folder.resolve("round-" + job + "-" + round.round()));
    }

    private static void dealtWith(OrderDraft draft, String job, int round, boolean again) throws Exception {
        draft.sync = new JobOrder.Sync(1, round, again);
        site.jobs.put(job, draft.order());
        site.sync();
    }

    @Test
    void eachRoundHasWhatHasChangedAndTheEndHasAll() throws Exception {
        Path more = folder.resolve("more");
        Path end = folder.resolve("end");
        OrderDraft draft = nodes.draft("counts", instance, """
                mkdir results
                echo one >results/a; echo two >results/b; echo no >other
                while [ ! -e %s ]; do sleep 0.05; done
                echo three >results/b; echo four >results/c
                while [ ! -e %s ]; do sleep 0.05; done
                """.formatted(more, end));
        draft.sync = new JobOrder.Sync(1, 0, false);
        site.jobs.put("counts", draft.order());
        site.untilPhase("counts", Phase.RUNNING);
        Report.Synced first = untilRound("counts", 1);
        assertThat(files("counts", first)).isEqualTo(Map.of("results/a", "one\n", "results/b", "two\n"));
        // The next one waits for the head, however long the first one took.
        Files.writeString(more, "");
        assertThat(untilRound("counts", 1).round()).isEqualTo(first.round());

        int round = first.round();
        Map<String, String> seen = Map.of();
        while (!seen.containsKey("results/c")) {
            dealtWith(draft, "counts", round, false);
            Report.Synced next = untilRound("counts", round + 1);
            round = next.round();
            seen = files("counts", next);
        }
        // The times of what was sent in the first round may have been too young to be believed.
        assertThat(seen).containsEntry("results/b", "three\n").containsEntry("results/c", "four\n");
        dealtWith(draft, "counts", round, true);
        Report.Synced again = untilRound("counts", round + 1);
        assertThat(files("counts", again)).containsKeys("results/b", "results/c");
        assertThat(folder.resolve("state/store/jobs/counts/1/sync/0/" + round)).doesNotExist();

        Files.writeString(end, "");
        JobReport ended = site.untilPhase("counts", Phase.ENDED);
        assertThat(ended.synced()).isNull();
        assertThat(site.results("counts", "n-" + instance.id))
                .containsAllEntriesOf(Map.of("results/a", "one\n", "results/b", "three\n", "results/c", "four\n"));
        assertThat(ended.message()).isEmpty();
    }

    @Test
    void whatIsKnownIsNotSentAgainAndWhatChangesWhileItIsReadIsLeft() throws Exception {
        Path end = folder.resolve("enough");
        OrderDraft draft = nodes.draft("restless", instance, """
                mkdir results
                echo still >results/still; echo first >results/restless
                while [ ! -e %s ]; do sleep 0.05; done
                rm results/restless; echo last >results/last
                sleep 600
                """.formatted(end));
        draft.sync = new JobOrder.Sync(1, 0, false);
        site.jobs.put("restless", draft.order());
        site.untilPhase("restless", Phase.RUNNING);
        Report.Synced first = untilRound("restless", 1);
        int round = first.round();
        assertThat(files("restless", first)).isEqualTo(Map.of("results/still", "still\n"));
        // A file that was younger than two seconds is sent once more.
        Path known = instance.disk.resolve("spillway/jobs/restless.1/sync/sent");
        dealtWith(draft, "restless", round, false);
        while (!Files.readString(known).contains("results/still")) {
            int before = round;
            Report heard = site.until(
                    "known, or another round", report -> isKnown(known) || isLater(report, "restless", before));
            if (isLater(heard, "restless", before)) {
                round = untilRound("restless", before + 1).round();
                dealtWith(draft, "restless", round, false);
            }
        }
        Files.writeString(end, "");
        Map<String, String> next = files("restless", untilRound("restless", round + 1));
        assertThat(next).isEqualTo(Map.of("results/last", "last\n"));
        draft.cancel = true;
        site.jobs.put("restless", draft.order());
        assertThat(site.untilPhase("restless", Phase.ENDED).message()).isEqualTo("cancelled");
    }
}
