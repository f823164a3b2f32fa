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
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** An input comes to a node once for all jobs of a user, and none of them sees what another made of it. */
@Tag("processes")
final class NodeInputTest extends OnNodes {
    private static final int BOB = 60_002;
    /** Long enough that a cut lies within its file, and at no block's end. */
    private static final int BYTES = 300_001;

    private static final String READ = "cat data/in | openssl dgst -sha256 -r | cut -c 1-64; echo spoilt >data/in\n";

    private TestInstance instance;
    private byte[] bundle;
    private String said;

    @BeforeEach
    void boot() throws Exception {
        assumeTrue(TestNodes.ROOT, "only root can keep what jobs must not write to");
        instance = nodes.instance("in");
        // A fetch is written down; as long as there is a gate it stops half-way, and says so.
        instance.program("curl", """
                #!/bin/sh
                case "$*" in
                  */input)
                    cd "$SPILLWAY_INSTANCE_DIR" || exit
                    echo "$*" >>fetches
                    [ ! -e gate ] || {
                      part=$(printf '%s\\n' "$*" | sed 's/.* -o \\([^ ]*\\) .*/\\1/')
                      /usr/bin/curl -g -K spillway/curl "${*##* }" | head -c 100000 >>"$part" && : >stopped
                      while [ -e gate ]; do sleep 0.05; done
                    } ;;
                esac
                exec /usr/bin/curl "$@"
                """);
        Path tree = Files.createDirectories(folder.resolve("home/data"));
        StringBuilder content = new StringBuilder();
        for (int line = 0; content.length() < BYTES; line++) {
            content.append("line ").append(line * 31).append('\n');
        }
        Files.writeString(tree.resolve("in"), content);
        said = Digests.hex(content.toString()) + "\n";
        bundle = Tar.of(folder.resolve("home"), List.of("data"));
        instance.boot(site.userData());
        site.untilReady(instance.id);
        // Whatever disk this machine has: NodeTreeTest has one of its own.
        Files.writeString(instance.disk.resolve("spillway/reflinks"), "no\n");
        Files.writeString(instance.disk.resolve("spillway/over"), "no\n");
    }

    private OrderDraft draft(String job) throws Exception {
        OrderDraft draft = nodes.draft(job, instance, READ);
        String key = "jobs/" + job + "/in/0";
        draft.inputs = List.of(new JobOrder.Input(key, bundle.length, site.stage(key, bundle)));
        return draft;
    }

    private void order(String job) throws Exception {
        site.jobs.put(job, draft(job).order());
    }

    /** @return bytes that it says have come for it */
    private long readsWhatWasStaged(String job) throws Exception {
        JobReport report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message()).isZero();
        assertThat(nodes.stdout(job, instance)).isEqualTo(said);
        return requireNonNull(report.fetchedBytes());
    }

    /** By a list of its members: a number in front of which a minus was lost, or read as another, is everybody's. */
    static void endGroupOf(Path runner) throws Exception {
        String group = Files.readString(runner).strip();
        List<ProcessHandle> members = ProcessHandle.allProcesses()
                .filter(process -> group.equals(groupOf(process)))
                .toList();
        assertThat(members).isNotEmpty();
        members.forEach(ProcessHandle::destroyForcibly);
    }

    private static String groupOf(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ", 4)[2];
        } catch (IOException gone) {
            return "gone";
        }
    }

    private long fetches() throws Exception {
        Path list = instance.disk.resolve("fetches");
        return Files.exists(list) ? Files.readAllLines(list).size() : 0;
    }

    private Path kept(String of) throws Exception {
        return instance.disk
                .resolve("spillway/inputs")
                .resolve(of)
                .resolve(new JobOrder.Input("", 0, site.stage("x", bundle)).sha256());
    }

    @Test
    void itIsFetchedOnceAndEachJobHasItsOwn() throws Exception {
        order("a");
        assertThat(readsWhatWasStaged("a")).isEqualTo(bundle.length);
        order("b");
        assertThat(readsWhatWasStaged("b")).isZero();
        assertThat(fetches()).isOne();
        assertThat(kept("60001-ann")).hasBinaryContent(bundle);
    }

    @Test
    void whoStartsTogetherFetchesOnce() throws Exception {
        Files.createFile(instance.disk.resolve("gate"));
        List<String> jobs = IntStream.range(0, 5).mapToObj(i -> "t" + i).toList();
        for (String job : jobs) {
            order(job);
        }
        site.sync();
        TestNodes.await("it stopped half-way", () -> Files.exists(instance.disk.resolve("stopped")));
        for (String job : jobs) {
            TestNodes.await(
                    job + " is there", () -> Files.exists(instance.disk.resolve("spillway/jobs/" + job + ".1/inputs")));
        }
        Files.delete(instance.disk.resolve("gate"));
        long bytes = 0;
        for (String job : jobs) {
            bytes += readsWhatWasStaged(job);
        }
        assertThat(bytes).isEqualTo(bundle.length);
        assertThat(fetches()).isOne();
    }

    @Test
    void anotherUserHasItsOwn() throws Exception {
        site.addUser("bob", BOB);
        order("a");
        readsWhatWasStaged("a");
        OrderDraft other = new OrderDraft("b", "n-" + instance.id, BOB, READ + """
                ls "$DISK/spillway/inputs" || ls "$DISK/spillway/inputs/60001-ann" || cat "$KEPT" && echo escaped
                """);
        other.user = "bob";
        other.inputs = draft("b").inputs;
        other.environment = Map.of(
                "DISK", instance.disk.toString(), "KEPT", kept("60001-ann").toString());
        site.jobs.put("b", other.order());
        assertThat(site.untilPhase("b", Phase.ENDED).message()).isEmpty();
        assertThat(nodes.stdout("b", instance)).isEqualTo(said);
        assertThat(fetches()).isEqualTo(2);
        assertThat(kept("60002-bob")).hasBinaryContent(bundle);
        for (Path path = kept("60001-ann"); !path.equals(instance.disk); path = path.getParent()) {
            assertThat(Files.getOwner(path).getName()).isEqualTo("root");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .as(path.toString())
                    .endsWith("------");
        }
    }

    @Test
    void aByteThatChangedOnTheDiskIsNotUsed() throws Exception {
        order("a");
        readsWhatWasStaged("a");
        FileTime written = Files.getLastModifiedTime(kept("60001-ann"));
        try (var file = new RandomAccessFile(kept("60001-ann").toFile(), "rw")) {
            file.seek(150_000);
            int one = file.read();
            file.seek(150_000);
            file.write(one ^ 1);
        }
        Files.setLastModifiedTime(kept("60001-ann"), written);
        order("b");
        readsWhatWasStaged("b");
        assertThat(fetches()).isEqualTo(2);
        assertThat(kept("60001-ann")).hasBinaryContent(bundle);
        assertThat(instance.disk.resolve("spillway/jobs/b.1/log")).content().contains("is not what it was");
    }

    @Test
    void whatAKilledRunnerHasFetchedIsGoneOnWith() throws Exception {
        Path gate = Files.createFile(instance.disk.resolve("gate"));
        order("a");
        site.sync();
        TestNodes.await("it stopped half-way", () -> Files.exists(instance.disk.resolve("stopped")));
        endGroupOf(instance.disk.resolve("spillway/jobs/a.1/runner"));
        assertThat(site.untilPhase("a", Phase.ENDED).message()).contains("its runner is gone");
        Files.delete(gate);
        assertThat(Files.size(Path.of(kept("60001-ann") + ".part"))).isEqualTo(100_000);
        order("b");
        assertThat(readsWhatWasStaged("b")).isEqualTo(bundle.length - 100_000);
        assertThat(kept("60001-ann")).hasBinaryContent(bundle);
        assertThat(Path.of(kept("60001-ann") + ".part")).doesNotExist();
    }

    @Test
    void aPartWithWrongBytesIsFetchedAnew() throws Exception {
        Path part = Path.of(kept("60001-ann") + ".part");
        Files.createDirectories(part.getParent());
        Files.write(part, "what a disk without power left".getBytes(StandardCharsets.UTF_8));
        order("a");
        readsWhatWasStaged("a");
        Files.write(part, new byte[bundle.length + 1]);
        Files.delete(kept("60001-ann"));
        order("b");
        readsWhatWasStaged("b");
        assertThat(kept("60001-ann")).hasBinaryContent(bundle);
        assertThat(part).doesNotExist();
    }

    @Test
    void whatIsNotWhatWasStagedIsRefusedAndNotKept() throws Exception {
        OrderDraft draft = draft("a");
        String key = draft.inputs.getFirst().key();
        draft.inputs = List.of(new JobOrder.Input(key, bundle.length, Digests.hex("another")));
        site.jobs.put("a", draft.order());
        assertThat(site.untilPhase("a", Phase.REFUSED).message()).isEqualTo("the input is not what was staged");
        try (var files = Files.list(instance.disk.resolve("spillway/inputs/60001-ann"))) {
            assertThat(files).isEmpty();
        }
    }
}
