package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager.Growing;
import org.spillway.head.loop.port.Stager.Grown;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.LocalTransfer;
import org.spillway.stage.worker.FileRefused;

/** Results on their way home. */
final class SiteStagerResultsTest extends SiteStagerScene {

    /** The results that a node would have left in the staging space. @return the job when this rank has ended */
    private JobRecord ended(JobRecord job, int rank, Map<String, String> results) throws Exception {
        Path folder = Files.createTempDirectory(temporary, "rank");
        for (Map.Entry<String, String> result : results.entrySet()) {
            Path file = folder.resolve(result.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, result.getValue());
        }
        Process tar = new ProcessBuilder("tar", "-C", folder.toString(), "-chf", "-", ".").start();
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        tar.getInputStream().transferTo(bundle);
        assertThat(tar.waitFor()).isZero();
        Checksum checksum = checksum(bundle.toByteArray());
        try (LocalTransfer transfer = new LocalTransfer(staging)) {
            String key = Orders.outputKey("7", job.run().attempt(), rank);
            transfer.send(key, 0, new ByteArrayInputStream(bundle.toByteArray()));
            transfer.seal(key, checksum);
        }
        return job.with(job.run()
                .ended(
                        "node-" + rank,
                        JobRun.End.of(Instant.EPOCH, Instant.EPOCH, 0, Cause.NONE, true, "store", checksum)));
    }

    @Test
    void resultsComeHomeHiddenAndArePublishedOnce() throws Exception {
        JobSpec.Output[] outputs = {
            new JobSpec.Output(Orders.STDOUT, home + "/job.out", false, false),
            new JobSpec.Output("answer.txt", home + "/answer.txt", false, true),
            new JobSpec.Output("logs/*.log", home + "/logs", true, false),
            new JobSpec.Output("*.txt", home + "/texts", true, false),
            new JobSpec.Output("logs/first.log", home + "/never", false, true), // named, but taken by an earlier one
            new JobSpec.Output("missing", home + "/missing", false, true),
        };
        JobRecord job = job(List.of(), List.of(outputs), 2);
        job = job.with(job.run().startedOn(List.of("node-0", "node-1"), 0));
        job = ended(
                job,
                0,
                Map.of(
                        ".spillway/stdout",
                        "zero",
                        "answer.txt",
                        "42",
                        "logs/first.log",
                        "0",
                        "secret",
                        "not asked for"));
        job = ended(job, 1, Map.of(".spillway/stdout", "one", "answer.txt", "41", "logs/b.log", "1", "more.txt", "m"));
        TreeMap<String, String> before = tree(staging);

        stager.bringHome(EAST, job, moved::add);
        stager.bringHome(EAST, job, moved::add);
        assertThat(tree(home).keySet()).hasSize(2).allMatch(name -> name.startsWith(".spillway-7-"));
        long bytes = job.run().ranks().stream()
                .mapToLong(rank -> rank.end().results().bytes())
                .sum();
        assertThat(moved).endsWith(bytes);

        for (int i = 0; i < 2; i++) {
            JobRun.Published published = stager.publish(job);
            assertThat(published.missing()).containsExactly("missing");
            assertThat(published.files()).isEqualTo(7);
        }
        stager.forget(job);
        stager.forget(job);
        assertThat(tree(home))
                .isEqualTo(Map.of(
                        "job.out", "zero",
                        "job.out.1", "one",
                        "answer.txt", "42",
                        "logs/first.log", "0",
                        "logs/b.log", "1",
                        "texts/more.txt", "m"));
        assertThat(tree(staging)).isEqualTo(before);
        stager.clean(EAST, "7");
        assertThat(tree(staging)).isEmpty();
    }

    @Test
    void outputGrowsWhileItsJobRunsAndItsResultsFinishIt() throws Exception {
        JobRecord job = job(
                List.of(),
                List.of(
                        new JobSpec.Output(Orders.STDOUT, home + "/job.out", false, false),
                        new JobSpec.Output(Orders.STDERR, home + "/job.err", false, false)),
                2);
        job = job.with(job.run().startedOn(List.of("node-0", "node-1"), 0));
        written.put("node-0 stdout", "zero, one, ");
        written.put("node-1 stdout", "first ");
        var first = List.of(
                new Growing(0, "stdout", 0, true),
                new Growing(0, "stderr", 0, true),
                new Growing(1, "stdout", 0, true));
        assertThat(stager.grow(EAST, job, first))
                .containsExactly(new Grown(11, ""), new Grown(0, ""), new Grown(6, ""));
        assertThat(tree(home)).isEqualTo(Map.of("job.out", "zero, one, ", "job.out.1", "first "));
        written.put("node-0 stdout", "zero, one, two, ");
        assertThat(stager.grow(EAST, job, List.of(new Growing(0, "stdout", 11, false))))
                .containsExactly(new Grown(16, ""));
        Files.writeString(home.resolve("job.out.1"), "its user's own");
        written.put("node-1 stdout", "first second");
        assertThat(stager.grow(EAST, job, List.of(new Growing(1, "stdout", 6, false))))
                .singleElement()
                .satisfies(grown -> assertThat(grown.refused()).contains("is not what the job wrote up to byte 6"));
        Object file = Files.getAttribute(home.resolve("job.out"), "unix:ino");
        job = ended(job, 0, Map.of(".spillway/stdout", "zero, one, two, three", ".spillway/stderr", "said"));
        job = ended(job, 1, Map.of(".spillway/stdout", "first second third"));
        stager.bringHome(EAST, job, moved::add);
        stager.publish(job);
        stager.forget(job);
        assertThat(tree(home))
                .isEqualTo(Map.of(
                        "job.out", "zero, one, two, three", "job.out.1", "first second third", "job.err", "said"));
        assertThat(Files.getAttribute(home.resolve("job.out"), "unix:ino")).isEqualTo(file);
    }

    /** A run that was lost has left its lines; the next one adds its own, and others may write meanwhile. */
    @Test
    void outputThatAddsKeepsWhatWasThere() throws Exception {
        Path log = Files.writeString(home.resolve("all.log"), "before, ");
        JobRecord job = job(List.of(), List.of(new JobSpec.Output(Orders.STDOUT, log.toString(), false, false)), 1);
        JobSpec.Data data = new JobSpec.Data(
                List.of(), job.spec().outputs(), home.toString(), 0, new JobSpec.Streams(log.toString(), "", true));
        job = job.with(job.spec().with(draft -> draft.data = data));
        job = job.with(job.run().startedOn(List.of("node-0"), 0));
        written.put("node-0 stdout", "lost, ");
        assertThat(stager.grow(EAST, job, List.of(new Growing(0, "stdout", 0, true))))
                .containsExactly(new Grown(6, ""));
        job = job.with(job.run().waiting().startedOn(List.of("node-0"), 1));
        written.put("node-0 stdout", "one, ");
        for (int i = 0; i < 2; i++) {
            stager.grow(EAST, job, List.of(new Growing(0, "stdout", 0, true)));
        }
        Files.writeString(log, "other's, ", StandardOpenOption.APPEND);
        job = ended(job, 0, Map.of(".spillway/stdout", "one, two"));
        stager.bringHome(EAST, job, moved::add);
        stager.publish(job);
        stager.publish(job);
        stager.forget(job);
        assertThat(tree(home)).isEqualTo(Map.of("all.log", "before, lost, one, other's, two"));
    }

    @Test
    void aCheckpointComesHomeAndGoesOnToAnotherRegion() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("a", home + "/a", false, true)), 1);
        job = ended(job.with(job.run().startedOn(List.of("node-0"), 0)), 0, Map.of("a", "half".repeat(50_000)));
        Checksum left = job.run().ranks().getFirst().end().results();
        int attempt = job.run().attempt();
        JobRecord waits = job.with(job.run()
                .withReclaimed(new Reclaimed(
                        1, 1000, Money.ZERO, attempt, "east", "store", List.of(left), Reclaimed.Way.REGION))
                .waiting());
        Path there = staging.resolve(Orders.outputKey("7", attempt, 0));
        byte[] bundle = Files.readAllBytes(there);
        for (int i = 0; i < 2; i++) {
            stager.bringCheckpoint(EAST, waits);
        }
        assertThat(tree(home).keySet()).hasSize(1).allMatch(name -> name.startsWith(".spillway-7-"));
        stager.clean(EAST, "7");
        assertThat(there).doesNotExist();
        for (int i = 0; i < 2; i++) {
            stager.sendCheckpoint(EAST, waits);
            assertThat(Files.readAllBytes(there)).isEqualTo(bundle);
        }
        stager.forget(waits);
        assertThat(tree(home)).isEmpty();
        stager.clean(EAST, "7");
        assertThatThrownBy(() -> stager.sendCheckpoint(EAST, waits)).isInstanceOf(FileRefused.class);
    }

    @Test
    void whatTheNextJobHasAsItsInputIsKeptWhereItWasMade() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("made", home + "/made", true, true)), 1);
        job = job.with(job.run().startedOn(List.of("node-0"), 0));
        String text = "made ".repeat(100_000);
        job = ended(job, 0, Map.of("made/one", text, "made/two", text + "2", "made/three", ""));
        JobRecord next = named("8", job(List.of(new JobSpec.Input(home + "/made", "")), List.of(), 1));
        followed = true;
        stager.bringHome(EAST, job, moved::add);
        stager.publish(job);
        JobRun.Staged staged = stager.stageIn(EAST, next, "s", null, moved::add);
        assertThat(staged.sentBytes()).isLessThan(1000);
        assertThat(staged.files()).isEqualTo(3);
        assertThat(checksum(input("8"))).isEqualTo(staged.bundle());
    }

    @Test
    void resultsThatTheDiskAtHomeCannotTakeDoNotFillItFirst() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("a", home + "/a", false, true)), 1);
        job = ended(job.with(job.run().startedOn(List.of("node-0"), 0)), 0, Map.of("a", "x"));
        JobRun.End end = job.run().ranks().getFirst().end();
        JobRun.End claimed = JobRun.End.of(
                end.started(), end.ended(), 0, end.cause(), true, end.store(), new Checksum(1L << 52, "0".repeat(64)));
        JobRecord huge = job.with(job.run().startedOn(List.of("node-0"), 0).ended("node-0", claimed));
        assertThatThrownBy(() -> stager.bringHome(EAST, huge, moved::add))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("its results need 4294967296 MiB");
        assertThat(tree(home)).isEmpty();
    }

    /** The number of its user was given to another while the job ran. */
    @Test
    void resultsOfANumberThatIsAnothersAreTouchedByNobody() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("a", home + "/a", false, true)), 1);
        JobRecord ended = ended(job.with(job.run().startedOn(List.of("node-0"), 0)), 0, Map.of("a", "x"));
        SiteStager.Owners own = owners;
        owners = spec -> {
            throw new FileRefused("uid 7001 is another's by now");
        };
        assertThatThrownBy(() -> stager.bringHome(EAST, ended, moved::add))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("another's by now");
        assertThat(tree(home)).isEmpty();
        owners = own;
        stager.bringHome(EAST, ended, moved::add);
        owners = spec -> {
            throw new FileRefused("uid 7001 is another's by now");
        };
        assertThatThrownBy(() -> stager.publish(ended)).isInstanceOf(FileRefused.class);
        assertThat(home.resolve("a")).doesNotExist();
        owners = own;
        assertThat(stager.publish(ended).missing()).isEmpty();
        assertThat(home.resolve("a")).hasContent("x");
    }

    @Test
    void anOutputThatCannotBeWrittenWithholdsNoOtherAndIsGivenBackLater() throws Exception {
        Path blocked = file("blocked", "a file");
        JobSpec.Output[] outputs = {
            new JobSpec.Output(Orders.STDOUT, home + "/job.out", false, false),
            new JobSpec.Output("model", blocked + "/model", true, true),
            new JobSpec.Output("answer.txt", home + "/answer.txt", false, true),
        };
        JobRecord job = job(List.of(), List.of(outputs), 1);
        job = ended(
                job.with(job.run().startedOn(List.of("node-0"), 0)),
                0,
                Map.of(".spillway/stdout", "said", "model/w", "weights", "answer.txt", "42"));
        stager.bringHome(EAST, job, moved::add);
        JobRun.Published first = stager.publish(job);
        assertThat(first.missing()).isEmpty();
        assertThat(first.unplaced()).singleElement().satisfies(one -> {
            assertThat(one.pattern()).isEqualTo("model");
            assertThat(one.said()).contains(blocked.toString());
        });
        assertThat(home.resolve("job.out")).hasContent("said");
        assertThat(home.resolve("answer.txt")).hasContent("42");
        Path kept = Path.of(first.kept().getFirst());
        assertThat(new ProcessBuilder("tar", "-tf", kept.toString()).start().waitFor())
                .as("its user can take it apart")
                .isZero();
        Files.writeString(home.resolve("answer.txt"), "43, as I think");
        Files.delete(blocked);
        JobRun.Published second = stager.publish(job);
        assertThat(second.unplaced()).isEmpty();
        assertThat(second.kept()).isEmpty();
        stager.forget(job);
        assertThat(tree(home))
                .isEqualTo(Map.of("job.out", "said", "answer.txt", "43, as I think", "blocked/model/w", "weights"));
    }

    @Test
    void resultsOfAJobWhoseOwnFolderIsGoneLieBesideAnOutput() throws Exception {
        Path blocked = file("was-a-folder", "a file");
        JobSpec.Output output = new JobSpec.Output("a", home + "/results/a", false, false);
        JobRecord job = job(List.of(), List.of(output), 1);
        JobSpec moved =
                job.spec().with(draft -> draft.data = new JobSpec.Data(List.of(), List.of(output), blocked.toString()));
        JobRecord of = new JobRecord("7", moved, job.jobState(), Cause.NONE, Instant.EPOCH, job.run());
        JobRecord ended = ended(of.with(of.run().startedOn(List.of("node-0"), 0)), 0, Map.of("a", "1"));
        stager.bringHome(EAST, ended, this.moved::add);
        assertThat(stager.publish(ended).files()).isEqualTo(1);
        stager.forget(ended);
        assertThat(tree(home)).isEqualTo(Map.of("was-a-folder", "a file", "results/a", "1"));
    }

    @Test
    void bundlesOfLostAttemptsAreForgottenToo() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("a", home + "/a", false, false)), 1);
        JobRecord first = ended(job.with(job.run().startedOn(List.of("node-0"), 0)), 0, Map.of("a", "1"));
        stager.bringHome(EAST, first, moved::add);
        JobRecord second = ended(
                first.with(first.run()
                        .waiting()
                        .startedOn(List.of("node-0"), first.run().attempt())),
                0,
                Map.of("a", "2"));
        stager.bringHome(EAST, second, moved::add);
        assertThat(tree(home)).hasSize(2);
        stager.publish(second);
        stager.forget(second);
        assertThat(tree(home)).isEqualTo(Map.of("a", "2"));
    }

    @Test
    void aSiteThatSendsSomethingElseIsNotPublished() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("a", home + "/a", false, false)), 1);
        JobRecord ended = ended(job.with(job.run().startedOn(List.of("node-0"), 0)), 0, Map.of("a", "1"));
        Path there = staging.resolve(Orders.outputKey("7", 1, 0));
        byte[] bytes = Files.readAllBytes(there);
        bytes[600] ^= 1;
        Files.write(there, bytes);
        assertThatThrownBy(() -> stager.bringHome(EAST, ended, moved::add))
                .isInstanceOf(org.spillway.stage.transfer.ChecksumMismatch.class);
        Files.write(there, new byte[bytes.length + 1]);
        assertThatThrownBy(() -> stager.bringHome(EAST, ended, moved::add)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> stager.publish(ended)).isInstanceOf(IOException.class);
        assertThat(home.resolve("a")).doesNotExist();
    }
}
