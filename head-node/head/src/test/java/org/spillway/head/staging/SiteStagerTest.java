package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.worker.FileRefused;

/** Inputs on their way to a site. */
final class SiteStagerTest extends SiteStagerScene {
    private static final DirectorTarget HERE = new DirectorTarget("here", "n2", "i-2", "127.0.0.1", 22, "127.0.0.1");

    private JobRecord withInput(String pattern) throws IOException {
        return job(List.of(new JobSpec.Input(home + "/" + pattern, "")), List.of(), 1);
    }

    private TreeMap<String, String> unpackedAtTheSite() throws Exception {
        Path out = Files.createTempDirectory(temporary, "node");
        Path bundle = staging.resolve(Orders.inputKey("7"));
        assertThat(new ProcessBuilder("tar", "-xf", bundle.toString(), "-C", out.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        return tree(out);
    }

    @Test
    void filesFoldersAndGlobsTravelAsOneBundle() throws Exception {
        file("numbers.txt", "1 2 3");
        file("data/a.csv", "a");
        file("data/deep/b.csv", "b");
        file("data/notes.txt", "no");
        file("models/one/w", "w1");
        JobRecord job = job(
                List.of(
                        new JobSpec.Input(home + "/numbers.txt", ""),
                        new JobSpec.Input(home + "/data/**/*.csv", "in"),
                        new JobSpec.Input(home + "/models", ""),
                        new JobSpec.Input(home + "/data/notes.txt", "numbers.txt")), // the first one has the name
                List.of(),
                1);
        JobRun.Staged staged = stager.stageIn(EAST, job, "store-1", null, moved::add);
        assertThat(staged.store()).isEqualTo("store-1");
        assertThat(staged.files()).isEqualTo(4);
        assertThat(staged.bundle()).isEqualTo(checksum(Files.readAllBytes(staging.resolve(Orders.inputKey("7")))));
        assertThat(unpackedAtTheSite())
                .isEqualTo(Map.of("numbers.txt", "1 2 3", "in/a.csv", "a", "in/deep/b.csv", "b", "models/one/w", "w1"));
        assertThat(stager.measure(job.spec()))
                .isEqualTo(new Stager.Extent(4, staged.bundle().bytes()));
        assertThat(moved).isSorted().endsWith(staged.bundle().bytes());

        file("data/a.csv", "changed since");
        stager.stageIn(EAST, job, "store-1", null, moved::add);
        assertThat(unpackedAtTheSite()).as("sealed before, staged anew").containsEntry("in/a.csv", "changed since");
    }

    @Test
    void whatAnotherJobHasBroughtIsNotBroughtOnceMore() throws Exception {
        file("data/a.csv", "a");
        JobRecord first = withInput("data");
        JobRun.Staged there = stager.stageIn(EAST, first, "s", null, moved::add);
        first = first.with(first.run().at("east").withStaged(there));
        long sent = sentBytes;
        JobRecord second = named("8", first);
        JobRun.Staged shared = stager.stageIn(EAST, second, "s", first, moved::add);
        assertThat(sentBytes).isEqualTo(sent);
        assertThat(shared).isEqualTo(there);
        stager.clean(EAST, "7");
        assertThat(checksum(Files.readAllBytes(staging.resolve(Orders.inputKey("8")))))
                .isEqualTo(there.bundle());

        // The first bundle has gone; it lies in another space; the files have changed meanwhile: all of that is copied.
        JobRecord third = named("9", first);
        assertThat(stager.stageIn(EAST, third, "s", first, moved::add)).isEqualTo(there);
        assertThat(sentBytes).isGreaterThan(sent);
        sent = sentBytes;
        JobRecord elsewhere =
                first.with(first.run().withStaged(new JobRun.Staged("t", 1, there.bundle(), there.listing())));
        stager.stageIn(EAST, named("10", first), "s", elsewhere, moved::add);
        assertThat(sentBytes).isGreaterThan(sent);
        sent = sentBytes;
        file("data/a.csv", "changed");
        JobRecord ninth = third.with(third.run().withStaged(there));
        JobRun.Staged changed = stager.stageIn(EAST, named("11", first), "s", ninth, moved::add);
        assertThat(sentBytes).isGreaterThan(sent);
        assertThat(changed.bundle()).isNotEqualTo(there.bundle());
    }

    @Test
    void aCutOffCopyGoesOn() throws Exception {
        byte[] large = new byte[3_000_000];
        new Random(1).nextBytes(large);
        Files.write(file("data/large", ""), large);
        file("data/small", "s");
        JobRecord job = withInput("data");
        breaksAfter = 1_000_000;
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .hasMessage("the line broke");
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .hasMessage("the line broke");
        breaksAfter = Long.MAX_VALUE;
        JobRun.Staged staged = stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(sentBytes)
                .as("each byte went once")
                .isEqualTo(staged.bundle().bytes());
        assertThat(moved).isSorted();
        assertThat(unpackedAtTheSite()).hasSize(2);
    }

    @Test
    void aFileThatChangedBetweenTriesIsFoundAndTheNextOneIsWhole() throws Exception {
        file("data/a", "x".repeat(100_000));
        file("data/b", "y".repeat(100_000));
        JobRecord job = withInput("data");
        breaksAfter = 150_000;
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .hasMessage("the line broke");
        breaksAfter = Long.MAX_VALUE;
        file("data/a", "z".repeat(100_000));
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .isInstanceOf(org.spillway.stage.transfer.ChecksumMismatch.class);
        stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(unpackedAtTheSite()).containsEntry("data/a", "z".repeat(100_000));
    }

    @Test
    void whatIsPinnedDoesNotLeaveHome() throws Exception {
        Path secret = file("pinned/secret", "secret");
        Files.createSymbolicLink(home.resolve("link"), secret);
        Files.createSymbolicLink(home.resolve("folder"), secret.getParent());
        for (String way : List.of("pinned", "link", "folder", "p*", "l*")) {
            JobRecord job = withInput(way);
            assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                    .as(way)
                    .isInstanceOf(FileRefused.class)
                    .hasMessageContaining("may not leave home");
            assertThat(stager.measure(job.spec()).pinned()).as(way).startsWith(home.toString());
        }
        assertThat(Files.exists(staging) ? tree(staging) : Map.of()).isEqualTo(Map.of());
        stager.stageIn(HERE, withInput("link"), "s", null, moved::add);
        assertThat(unpackedAtTheSite()).isEqualTo(Map.of("link", "secret"));
    }

    @Test
    void inputsThatDoNotGoTogetherAreRefused() throws Exception {
        file("a", "1");
        file("b/c", "2");
        JobRecord clash =
                job(List.of(new JobSpec.Input(home + "/a", "x"), new JobSpec.Input(home + "/b", "x")), List.of(), 1);
        assertThatThrownBy(() -> stager.measure(clash.spec()))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("'x' would be both a file and a folder");
        JobRecord climbing = job(List.of(new JobSpec.Input(home + "/a", "../x")), List.of(), 1);
        assertThatThrownBy(() -> stager.measure(climbing.spec())).isInstanceOf(FileRefused.class);
        assertThatThrownBy(() -> stager.measure(withInput("none*").spec()))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("nothing matches");
        assertThat(stager.measure(job(List.of(), List.of(), 1).spec())).isEqualTo(new Stager.Extent(0, 0));
    }
}
