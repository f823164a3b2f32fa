package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.store.PieceStore;

/** A job's input that is staged right after its submission, and one that the region has. */
final class StagedAtOnceTest extends SiteStagerScene {
    private JobRecord withInput(String pattern) throws IOException {
        return job(List.of(new JobSpec.Input(home + "/" + pattern, "")), List.of(), 1);
    }

    private void submitted(JobRecord job) throws Exception {
        stager.look(job.spec(), job.spec().inputs().getFirst());
    }

    private Map<String, String> given(String job) throws Exception {
        Path out = Files.createTempDirectory(temporary, "node");
        Path bundle = Files.write(temporary.resolve("input.tar"), input(job));
        assertThat(new ProcessBuilder("tar", "-xf", bundle.toString(), "-C", out.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        return tree(out);
    }

    /** 4,000 files were looked at three times before the first byte was sent. */
    @Test
    void whatItsSubmissionHasFoundIsNotLookedForAgain() throws Exception {
        file("data/a", "1");
        JobRecord job = withInput("data");
        submitted(job);
        file("data/b", "2");
        assertThat(stager.measure(job.spec()).files()).isEqualTo(1);
        stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(given("7")).as("as it was submitted").isEqualTo(Map.of("data/a", "1"));
        submitted(job);
        stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(given("7")).isEqualTo(Map.of("data/a", "1", "data/b", "2"));
    }

    @Test
    void aFileThatChangedOrWentSinceItsSubmissionIsStagedAsItIsNow() throws Exception {
        file("data/a", "1");
        file("data/b", "2");
        JobRecord job = withInput("data");
        submitted(job);
        file("data/a", "longer than before");
        Files.delete(home.resolve("data/b"));
        JobRun.Staged staged = stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(given("7")).isEqualTo(Map.of("data/a", "longer than before"));
        assertThat(staged.bundle()).isEqualTo(checksum(input("7")));
        assertThat(staged.files()).isEqualTo(1);
    }

    /** Outputs of others are there when these have ended, and a task of an array may wait for the one before it. */
    @Test
    void jobsThatWaitForOthersLookForThemselves() throws Exception {
        file("data/a", "1");
        JobRecord job = withInput("data");
        JobSpec.Dependency after = new JobSpec.Dependency("1", true);
        for (JobSpec spec : List.of(
                job.spec().with(draft -> draft.after = List.of(after)),
                job.spec().with(draft -> draft.array = new JobSpec.ArrayTask("7", 0, 1)))) {
            Files.deleteIfExists(home.resolve("data/b"));
            JobRecord waiting = new JobRecord("7", spec, job.jobState(), job.cause(), job.since(), job.run());
            submitted(waiting);
            file("data/b", "2");
            assertThat(stager.measure(spec).files()).isEqualTo(2);
            stager.stageIn(EAST, waiting, "s", null, moved::add);
            assertThat(given("7")).isEqualTo(Map.of("data/a", "1", "data/b", "2"));
        }
    }

    @Test
    void resultsThatCameHomeSinceAreSeen() throws Exception {
        file("data/a", "1");
        JobRecord job = withInput("data");
        submitted(job);
        file("data/b", "2");
        stager.publish(job(List.of(), List.of(), 1));
        stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(given("7")).isEqualTo(Map.of("data/a", "1", "data/b", "2"));
    }

    @Test
    void anInputThatTheRegionHasCostsOneQuestion() throws Exception {
        noise(50);
        JobRecord job = withInput("data");
        JobRun.Staged first = stager.stageIn(EAST, job, "s", null, moved::add);
        digestsAsked = 0;
        moved.clear();
        JobRun.Staged again = stager.stageIn(EAST, named("8", job), "s", null, moved::add);
        assertThat(digestsAsked).isZero();
        assertThat(again.bundle()).isEqualTo(first.bundle()).isEqualTo(checksum(input("8")));
        assertThat(again.sentBytes()).isZero();
        assertThat(moved).containsExactly(first.bundle().bytes());
    }

    /** The head's word that it was there is not believed. */
    @Test
    void whatTheRegionHasLostSinceIsSentAgain() throws Exception {
        noise(50);
        JobRecord job = withInput("data");
        JobRun.Staged first = stager.stageIn(EAST, job, "s", null, moved::add);
        Path user = staging.resolve("users/" + job.spec().uid());
        for (String lost : List.of("recipes", "packs")) {
            try (Stream<Path> files = Files.list(user.resolve(lost))) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            store = new PieceStore(staging, java.time.InstantSource.system());
            long before = sentBytes;
            JobRun.Staged again = stager.stageIn(EAST, named("8", job), "s", null, moved::add);
            assertThat(again.bundle()).isEqualTo(first.bundle()).isEqualTo(checksum(input("8")));
            assertThat(sentBytes - before > 50_000).as(lost).isEqualTo(lost.equals("packs"));
            assertThat(given("8")).isEqualTo(below(tree(home.resolve("data"))));
        }
    }

    /** A wrong byte at rest there is found before a node has it, also where nothing was to be sent. */
    @Test
    void aPackThatRottedSinceIsSentAgain() throws Exception {
        noise(50);
        JobRecord job = withInput("data");
        JobRun.Staged first = stager.stageIn(EAST, job, "s", null, moved::add);
        Path pack;
        try (Stream<Path> packs =
                Files.list(staging.resolve("users/" + job.spec().uid() + "/packs"))) {
            pack = packs.findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(pack);
        bytes[1000] ^= 1;
        Files.write(pack, bytes);
        newDirector();
        assertThat(stager.stageIn(EAST, named("8", job), "s", null, moved::add).bundle())
                .isEqualTo(first.bundle())
                .isEqualTo(checksum(input("8")));
        assertThat(given("8")).isEqualTo(below(tree(home.resolve("data"))));
    }

    private void noise(int files) throws IOException {
        Random random = new Random(5);
        for (int i = 0; i < files; i++) {
            byte[] noise = new byte[2000 + i];
            random.nextBytes(noise);
            Files.write(file("data/f" + i, ""), noise);
        }
    }

    private static TreeMap<String, String> below(TreeMap<String, String> tree) {
        TreeMap<String, String> below = new TreeMap<>();
        tree.forEach((name, content) -> below.put("data/" + name, content));
        return below;
    }
}
