package org.spillway.scaler.simulate.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.policy.Resources;

class LogFileTest {
    private static final String SACCT = """
            JobID|User|Account|Partition|Submit|ElapsedRaw|TimelimitRaw|NNodes|ReqCPUS|ReqMem|ReqTRES|State
            7|ada|bio|gpu|2026-01-05T10:00:00|3600|120|2|16|64G|billing=16,cpu=16,gres/gpu:a100=8,gres/gpu=8,node=2|COMPLETED
            7.batch||bio||2026-01-05T10:00:00|3600|||16||cpu=16|COMPLETED
            8|bob|chem|cpu|2026-01-05T09:00:00|0|UNLIMITED|1|4|4Gc||CANCELLED by 1000
            9|bob|chem|cpu|2026-01-05T08:00:00|60|UNLIMITED|1|4|4Gc||FAILED
            """;

    @TempDir
    Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Path excerpt(String name) throws IOException {
        try (InputStream in = LogFileTest.class.getResourceAsStream(name)) {
            return Files.write(folder.resolve(name), in.readAllBytes());
        }
    }

    @Test
    void phillyIsPutInTheOrderOfTime() throws Exception {
        WorkloadLog log = new LogFile(excerpt("philly-excerpt.csv")).read(null, false);

        assertThat(log.format()).isEqualTo(LogFormat.PHILLY);
        assertThat(log.jobs())
                .hasSize(60)
                .isSortedAccordingTo((a, b) -> a.submit().compareTo(b.submit()));
        assertThat(log.jobs()).allSatisfy(job -> {
            assertThat(job.walltime()).isNull();
            assertThat(job.queue()).hasSize(6);
            assertThat(job.perNode().gpus()).isBetween(1, 8);
        });
    }

    @Test
    void aGangOfMoreThanANodeHasAlikeNodes() throws Exception {
        Path log = file("l.csv", PhillyReader.HEADER + "\n2017-10-09 07:01:55,66.0,12,792.0,a\n");

        LoggedJob job = new LogFile(log).read(null, false).jobs().getFirst();

        assertThat(job.nodes()).isEqualTo(2);
        assertThat(job.perNode().gpus()).isEqualTo(6);
        assertThat(job.duration()).isEqualTo(Duration.ofSeconds(66));
        assertThat(job.submit()).isEqualTo(Instant.parse("2017-10-09T07:01:55Z"));
    }

    @Test
    void metacentrumTellsNodesAndQueues() throws Exception {
        WorkloadLog log = new LogFile(excerpt("metacentrum-excerpt.swf")).read(null, false);

        assertThat(log.format()).isEqualTo(LogFormat.SWF);
        assertThat(log.jobs()).hasSize(30);
        LoggedJob gang = log.jobs().stream()
                .filter(job -> job.id().equals("6"))
                .findFirst()
                .orElseThrow();
        assertThat(gang.nodes()).isEqualTo(8);
        assertThat(gang.perNode()).isEqualTo(Resources.of(8, 8L << 30, 0));
        assertThat(gang.queue()).isEqualTo("q_1d");
        assertThat(gang.walltime()).isEqualTo(Duration.ofDays(1));
        assertThat(gang.duration()).isEqualTo(Duration.ofSeconds(33_765));
    }

    @Test
    void plainSwfCountsProcessorsByTheNode() throws Exception {
        Path log = file("l.swf", """
                ; MaxNodes: 4
                ; MaxProcs: 32
                ; UnixStartTime: 1000000000
                1 60 5 100 20 -1 -1 20 600 1024 1 3 1 1 2 1 -1 -1
                2 90 -1 -1 1 -1 -1 1 600 -1 5 3 1 1 2 1 -1 -1
                """);

        WorkloadLog read = new LogFile(log).read(null, false);

        assertThat(read.leftOut()).isEqualTo(1);
        assertThat(read.machines()).containsExactly(new NodeGroup("node", 4, Resources.of(8, 32L << 30, 0)));
        LoggedJob job = read.jobs().getFirst();
        assertThat(job.nodes()).isEqualTo(3);
        assertThat(job.perNode()).isEqualTo(Resources.of(7, 7 << 20, 0));
        assertThat(job.submit()).isEqualTo(Instant.ofEpochSecond(1_000_000_060));
    }

    @Test
    void machinesStandBesideALogInAnArchive() throws Exception {
        Path archive = folder.resolve("l.tar.gz");
        try (OutputStream out = Files.newOutputStream(archive);
                var tar = new TarArchiveOutputStream(new GZIPOutputStream(out))) {
            entry(tar, "l.swf", "1 60 5 100 20 -1 -1 20 600 -1 1 3 1 1 2 1 -1 -1\n");
            entry(tar, "l.swf.machines", "0\tbig\t20\t80\t1\t1048576\n1\tsmall\t48\t12\t1\t2048\n");
        }

        WorkloadLog log = new LogFile(archive).read(null, false);

        assertThat(log.machines())
                .containsExactly(
                        new NodeGroup("big", 20, Resources.of(80, 1L << 30, 0)),
                        new NodeGroup("small", 48, Resources.of(12, 2L << 20, 0)));
        assertThat(log.jobs().getFirst().nodes()).isEqualTo(1);
    }

    private static void entry(TarArchiveOutputStream tar, String name, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        var entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }

    @Test
    void sacctIsReadByTheNamesOfItsColumns() throws Exception {
        WorkloadLog log = new LogFile(file("sacct.txt", SACCT)).read(null, false);

        assertThat(log.format()).isEqualTo(LogFormat.SACCT);
        assertThat(log.leftOut()).isEqualTo(1);
        assertThat(log.jobs()).extracting(LoggedJob::id).containsExactly("9", "7");
        LoggedJob gang = log.jobs().get(1);
        assertThat(gang.perNode()).isEqualTo(new Resources(8, 32L << 30, 4, "a100", 0));
        assertThat(gang.nodes()).isEqualTo(2);
        assertThat(gang.walltime()).isEqualTo(Duration.ofHours(2));
        assertThat(gang.account()).isEqualTo("bio");
        assertThat(log.jobs().getFirst().perNode().memoryBytes()).isEqualTo(16L << 30);
        assertThat(log.jobs().getFirst().walltime()).isNull();
    }

    @Test
    void brokenLinesAreNamedAndRefused() throws Exception {
        String broken = PhillyReader.HEADER + "\n2017-10-09 07:01:55,66.0,1,66.0,a\nnonsense\n"
                + "2017-10-09 07:01:55,-1,1,66.0,a\n2017-13-09 07:01:55,5,1,5,a\n2017-10-09 07:01:55,5,1.5,5,a\n";
        LogFile log = new LogFile(file("l.csv", broken));

        assertThatThrownBy(() -> log.read(null, false)).isInstanceOfSatisfying(BrokenLog.class, refused -> {
            assertThat(refused).hasMessage("l.csv has 4 broken lines");
            assertThat(refused.isSkippable()).isTrue();
            assertThat(refused.lines())
                    .containsExactly(
                            "l.csv:3: 1 columns instead of 5",
                            "l.csv:4: duration is '-1'; allowed: 0 to 3162240000",
                            "l.csv:5: timestamp is '2017-13-09 07:01:55', not like 2017-10-09 07:01:55",
                            "l.csv:6: num_gpus is '1.5', not a whole number");
        });
        WorkloadLog lenient = log.read(null, true);
        assertThat(lenient.broken()).isEqualTo(4);
        assertThat(lenient.jobs()).hasSize(1);
    }

    @Test
    void brokenLinesOfTheOtherFormatsAreNamedToo() throws Exception {
        LogFile swf = new LogFile(file("l.swf", "1 60 5 100 20 -1 -1 20 600 -1 1 3 1 1 2 1 -1 -1\n2 60 x\n"));
        LogFile sacct =
                new LogFile(file("s.txt", SACCT + "10|eve|x|gpu|yesterday|5|1|1|1|1G||COMPLETED\nshort|line\n"));

        assertThatThrownBy(() -> swf.read(null, false))
                .isInstanceOfSatisfying(
                        BrokenLog.class,
                        refused -> assertThat(refused.lines()).containsExactly("l.swf:2: 3 fields instead of 18"));
        assertThatThrownBy(() -> sacct.read(null, false))
                .isInstanceOfSatisfying(
                        BrokenLog.class,
                        refused -> assertThat(refused.lines())
                                .containsExactly(
                                        "s.txt:6: Submit is 'yesterday', not like 2026-01-05T10:00:00",
                                        "s.txt:7: 2 columns instead of 12"));
    }

    @Test
    void whatNamesNoColumnsThatAreNeededIsNoSacct() throws Exception {
        LogFile log = new LogFile(file("s.txt", "JobID|Submit|State\n1|2026-01-05T10:00:00|COMPLETED\n"));

        assertThatThrownBy(() -> log.read(null, true))
                .hasMessage("the output of sacct has no column ElapsedRaw or Elapsed");
    }

    @Test
    void whatIsNoLogIsRefused() throws Exception {
        LogFile log = new LogFile(file("letter.txt", "Dear Sir or Madam,\n"));

        assertThat(log.format()).isEmpty();
        assertThatThrownBy(() -> log.read(null, true)).hasMessageContaining("is no log that is known");
    }

    @Test
    void aJournalIsSeenByItsFirstBytes() throws Exception {
        var bytes = new ByteArrayOutputStream();
        bytes.write("SQLite format 3\0".getBytes(StandardCharsets.US_ASCII));
        bytes.write(new byte[100]);

        assertThat(new LogFile(Files.write(folder.resolve("journal.db"), bytes.toByteArray())).format())
                .contains(LogFormat.JOURNAL);
    }

    @Test
    void textOfALogSteersNoTerminal() throws Exception {
        LogFile log = new LogFile(file("l.csv", PhillyReader.HEADER + "\n\u001b[31m,1,1,1,a\n"));

        assertThatThrownBy(() -> log.read(null, false))
                .isInstanceOfSatisfying(
                        BrokenLog.class,
                        refused -> assertThat(String.join("", refused.lines())).doesNotContain("\u001b"));
        assertThat(List.of(LogFormat.values())).hasSize(4);
    }
}
