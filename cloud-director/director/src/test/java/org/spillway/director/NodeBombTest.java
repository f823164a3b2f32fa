package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** Jobs on a node with a small disk leave more than it can take, or fill it: each costs itself, never the node. */
@Tag("processes")
final class NodeBombTest extends OnNodes {
    private static final int DISK_MIB = 16;

    private TestInstance instance;

    @BeforeEach
    void boot() throws Exception {
        assumeTrue(TestNodes.ROOT, "only root may mount a small disk");
        instance = nodes.instance("bomb");
        Path bin = instance.disk.resolve("bin");
        Path kept = folder.resolve("kept");
        Files.move(bin, kept);
        run("mount", "-t", "tmpfs", "-o", "mode=711,size=" + DISK_MIB + "m", "spillway-test", instance.disk.toString());
        Files.createDirectory(bin);
        Files.move(kept.resolve("poweroff"), bin.resolve("poweroff"));
        instance.boot(site.userData());
        site.untilReady(instance.id);
    }

    @AfterEach
    void unmount() throws Exception {
        if (instance != null) {
            instance.close();
            run("umount", "-l", instance.disk.toString());
        }
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }

    private JobReport end(String job, String script) throws Exception {
        nodes.order(job, instance, script);
        JobReport report = site.untilPhase(job, Phase.ENDED);
        site.jobs.remove(job);
        return report;
    }

    @Test
    void whatIsTooMuchIsNamedAndLeftBehindAndAllElseComesHome() throws Exception {
        JobReport sparse = end("sparse", """
                mkdir results && echo small >results/small && truncate -s 1T results/holes && echo end >>results/holes
                """);
        assertThat(sparse.message()).isEmpty();
        assertThat(sparse.exitCode()).isZero();
        assertThat(sparse.results().bytes()).isLessThan(100_000);
        assertThat(Tar.members(
                        site.staged("jobs/sparse/1/out/n-" + instance.id + ".tar"), folder.resolve("sparse.tar")))
                .anyMatch(member -> member.contains(" 1099511627780 ") && member.endsWith("results/holes"))
                .anyMatch(member -> member.endsWith("results/small"));
        JobReport large = end("large", """
                mkdir results && echo printed && head -c 9M /dev/zero >results/large && echo small >results/small
                """);
        assertThat(large.message())
                .matches("of its results left behind: 1, the largest results/large of 9 MiB:"
                        + " this node has room for [0-6] MiB");
        assertThat(site.results("large", "n-" + instance.id))
                .containsOnlyKeys(".spillway/stdout", "results/small")
                .containsEntry(".spillway/stdout", "printed\n");
        JobReport links = end("links", """
                mkdir results && head -c 1M /dev/zero >one && n=0
                while [ $n -lt 200 ]; do ln -s ../one results/$n; n=$((n + 1)); done
                """);
        assertThat(links.message()).matches("of its results left behind: 1[89][0-9], .*: this node has room.*");
        assertThat(site.results("links", "n-" + instance.id)).containsKey("results/" + 0);
        assertThat(end("next", "echo fine\n").exitCode()).isZero();
    }

    private String lease() {
        try {
            return Files.readString(instance.disk.resolve("spillway/lease"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aJobThatFillsTheDiskIsToldAsItEndedAndTheNodeServesTheNext() throws Exception {
        Path go = folder.resolve("go");
        nodes.order("full", instance, "cat /dev/zero >fill\nwhile [ ! -e " + go + " ]; do sleep 0.1; done\nexit 7\n");
        site.untilPhase("full", Phase.RUNNING);
        TestNodes.await(
                "the disk is full", () -> instance.disk.toFile().getUsableSpace() < 64 * 1024 && lease().length() > 0);
        try (var rest = Files.newOutputStream(instance.disk.resolve("rest"))) {
            while (true) {
                rest.write(new byte[4096]);
            }
        } catch (IOException nothingLeft) {
            assertThat(nothingLeft).hasMessageContaining("No space left");
        }
        String before = lease();
        TestNodes.await("its lease is renewed", () -> !lease().equals(before));
        Files.writeString(go, "");
        assertThat(site.untilPhase("full", Phase.ENDED).exitCode()).isEqualTo(7);
        site.jobs.remove("full");
        Files.delete(instance.disk.resolve("rest"));
        assertThat(end("next", "echo fine\n").exitCode()).isZero();
        OrderDraft input = nodes.draft("input", instance, "exit 0\n");
        input.inputs = List.of(new JobOrder.Input("jobs/input/in/0", 1L << 40, "0".repeat(64)));
        site.jobs.put("input", input.order());
        assertThat(site.untilPhase("input", Phase.REFUSED).message())
                .startsWith("the input needs 2097152 MiB, and this node has room for ");
    }

    @Test
    void noResultsAreLeftBehindForAnInputThatIsOnlyKept() throws Exception {
        Path tree = Files.createDirectories(folder.resolve("home"));
        Files.write(tree.resolve("in"), new byte[3 << 20]);
        byte[] bundle = Tar.of(tree, List.of("in"));
        OrderDraft draft = nodes.draft("input", instance, "rm in\n");
        draft.inputs =
                List.of(new JobOrder.Input("jobs/input/in/0", bundle.length, site.stage("jobs/input/in/0", bundle)));
        site.jobs.put("input", draft.order());
        assertThat(site.untilPhase("input", Phase.ENDED).message()).isEmpty();
        site.jobs.remove("input");
        Path packed = instance.disk.resolve(
                "spillway/inputs/60001-ann/" + draft.inputs.getFirst().sha256());
        Path kept = Files.exists(packed) ? packed : Path.of(packed + ".tree/lock");
        assertThat(kept).hasSize(bundle.length);
        JobReport large = end("large", "mkdir results && head -c 6400K /dev/zero >results/large\n");
        assertThat(large.message()).isEmpty();
        assertThat(large.results().bytes()).isGreaterThan(6400 << 10);
        assertThat(kept).doesNotExist();
    }
}
