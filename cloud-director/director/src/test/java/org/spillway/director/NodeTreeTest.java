package org.spillway.director;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** On a node whose files can share blocks an input lies there once, whatever jobs write to their copies of it. */
@Tag("processes")
final class NodeTreeTest extends OnNodes {
    private static final int LARGE_MIB = 24;

    private TestInstance instance;
    private byte[] bundle;
    private Path kept;

    @BeforeEach
    void boot() throws Exception {
        assumeTrue(TestNodes.ROOT, "only root may mount a disk");
        instance = nodes.instance("tree");
        Path disk = folder.resolve("disk");
        try (var file = new RandomAccessFile(disk.toFile(), "rw")) {
            file.setLength(400L << 20);
        }
        assumeTrue(ran("mkfs.xfs", "-q", disk.toString()), "no mkfs.xfs");
        Path bin = instance.disk.resolve("bin");
        Path aside = folder.resolve("aside");
        Files.move(bin, aside);
        assumeTrue(ran("mount", "-o", "loop", disk.toString(), instance.disk.toString()), "no XFS, or no loop devices");
        Files.setPosixFilePermissions(instance.disk, PosixFilePermissions.fromString("rwx--x--x"));
        assertThat(ran("cp", "-a", aside.toString(), bin.toString())).isTrue();
        Path tree = Files.createDirectories(folder.resolve("home/data/deep"));
        Files.write(tree.resolve("large"), new byte[LARGE_MIB << 20]);
        Files.writeString(tree.resolve("a name"), "seven\n");
        Files.writeString(folder.resolve("home/run"), "#!/bin/sh\necho runs\n");
        Files.setPosixFilePermissions(folder.resolve("home/run"), PosixFilePermissions.fromString("rwxr-xr-x"));
        bundle = Tar.of(folder.resolve("home"), List.of("run", "data/deep/large", "data/deep/a name"));
        kept = instance.disk.resolve("spillway/inputs/60001-ann").resolve(site.stage("x", bundle) + ".tree");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        // Where this machine could lay folders over what is kept: NodeOverTest.
        Files.writeString(instance.disk.resolve("spillway/over"), "no\n");
        boolean rooms = site.sync().nodes().getFirst().gate().stream()
                .anyMatch(check -> check.detail().equals(NodeCageTest.ALL));
        assumeTrue(rooms, "this kernel lets no node isolate");
    }

    @AfterEach
    void unmount() throws Exception {
        if (instance != null) {
            instance.close();
            ran("umount", "-l", instance.disk.toString());
        }
    }

    private static boolean ran(String... command) throws Exception {
        try {
            Process process = new ProcessBuilder(command).inheritIO().start();
            return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    private JobReport run(String job, String script) throws Exception {
        OrderDraft draft = nodes.draft(job, instance, script);
        String key = "jobs/" + job + "/in/0";
        draft.inputs = List.of(new JobOrder.Input(key, bundle.length, site.stage(key, bundle)));
        site.jobs.put(job, draft.order());
        JobReport report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message()).isZero();
        return report;
    }

    private long used() throws Exception {
        var store = Files.getFileStore(instance.disk);
        return store.getTotalSpace() - store.getUnallocatedSpace();
    }

    @Test
    void copiesShareTheirBlocksUntilOneIsWrittenTo() throws Exception {
        String script = """
                ./run && cat 'data/deep/a name' && tr -d '\\0' <data/deep/large | wc -c && find . ! -user 60001
                find . -not -path './.spillway*' -printf '%m %P\\n' | sort
                echo spoilt | tee 'data/deep/a name' run >>data/deep/large; rm -r data/deep && touch data/new
                """;
        String expected = "runs\nseven\n0\n600 data/deep/a name\n600 data/deep/large\n700 \n700 data\n700 data/deep\n"
                + "700 run\n";
        assertThat(requireNonNull(run("a", script).fetchedBytes())).isEqualTo(bundle.length);
        assertThat(nodes.stdout("a", instance)).isEqualTo(expected);
        assertThat(kept.resolve("in/data/deep/a name")).hasContent("seven");
        long before = used();
        for (String job : List.of("b", "c")) {
            assertThat(requireNonNull(
                            run(job, script.replace("rm -r data/deep && ", "")).fetchedBytes()))
                    .isZero();
            assertThat(nodes.stdout(job, instance)).isEqualTo(expected);
        }
        assertThat(used() - before).isLessThan(LARGE_MIB << 19);
        try (var all = Files.walk(kept)) {
            assertThat(all)
                    .allSatisfy(
                            path -> assertThat(Files.getOwner(path).getName()).isEqualTo("root"));
        }
        try (var left = Files.list(kept.getParent())) {
            assertThat(left).containsExactly(kept);
        }
    }

    @Test
    void whatChangedOnTheDiskIsFetchedAnew() throws Exception {
        run("a", "true\n");
        Path file = kept.resolve("in/data/deep/a name");
        Files.writeString(file, "eight\n");
        assertThat(requireNonNull(run("b", "cat 'data/deep/a name'\n").fetchedBytes()))
                .isEqualTo(bundle.length);
        assertThat(nodes.stdout("b", instance)).isEqualTo("seven\n");
        // The same bytes under another name.
        Files.move(file, file.resolveSibling("b name"));
        assertThat(requireNonNull(run("n", "cat 'data/deep/a name'\n").fetchedBytes()))
                .isEqualTo(bundle.length);
        // A disk that rots sets no time: what was written down of names and times is made to fit. An hour is over.
        Files.writeString(file, "eight\n");
        Path lines = kept.resolve("list");
        TestNodes.await("its bytes are written down", () -> NodeOverTest.lines(lines) == 2);
        String contents = Files.readAllLines(lines).get(1);
        Process names = new ProcessBuilder(
                        "sh",
                        "-c",
                        "cd \"$0/in\" && LC_ALL=C find . -printf '%y %m %s %T@ %C@ %p\\0' |"
                                + " LC_ALL=C sort -z | openssl dgst -sha256 -r",
                        kept.toString())
                .start();
        Files.writeString(
                lines, new String(names.getInputStream().readAllBytes(), StandardCharsets.US_ASCII) + contents + "\n");
        Files.setLastModifiedTime(lines, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        assertThat(requireNonNull(run("c", "cat 'data/deep/a name'\n").fetchedBytes()))
                .isEqualTo(bundle.length);
        assertThat(nodes.stdout("c", instance)).isEqualTo("seven\n");
        assertThat(instance.disk.resolve("spillway/jobs/c.1/log")).content().contains("is not what it was");
    }

    @Test
    void halvesOfTreesAreNotUsedAndGo() throws Exception {
        Path half = Files.createDirectories(kept.resolve("in/data"));
        Files.writeString(half.resolve("new"), "of a removal that was cut off");
        Path making = Path.of(kept + ".dead.1");
        Files.createDirectories(making.resolve("in"));
        assertThat(requireNonNull(run("a", "ls data\n").fetchedBytes())).isEqualTo(bundle.length);
        assertThat(nodes.stdout("a", instance)).isEqualTo("deep\n");
        assertThat(making).doesNotExist();
        assertThat(requireNonNull(run("b", "ls data\n").fetchedBytes())).isZero();
    }

    @Test
    void aBundleWithALinkIsKeptAsItCame() throws Exception {
        Files.createSymbolicLink(folder.resolve("home/link"), Path.of("data/deep/a name"));
        bundle = Tar.of(folder.resolve("home"), List.of("link", "data"));
        run("a", "cat link; echo x >link\n");
        assertThat(requireNonNull(run("b", "cat link\n").fetchedBytes())).isZero();
        assertThat(nodes.stdout("b", instance)).isEqualTo("seven\n");
        Path packed = kept.resolveSibling(site.stage("x", bundle));
        assertThat(packed).hasBinaryContent(bundle);
        assertThat(Path.of(packed + ".tree")).doesNotExist();
    }
}
