package org.spillway.director;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.Recipe;
import org.spillway.stage.tree.TarFormat;

/** Of an input that is nearly one that a node has only what differs comes, and its job finds the whole. */
@Tag("processes")
final class NodeChangesTest extends OnNodes {
    private static final String LIST = "find . -type f -not -path './.spillway*' -exec openssl dgst -sha256 -r '{}' +"
            + " | sort -k 2; find . -mindepth 1 -type d -not -path './.spillway*' | sort; find . ! -user 60001\n";

    private final Map<String, byte[]> files = new TreeMap<>();
    private TestInstance instance;
    private int packs;

    @BeforeEach
    void boot() throws Exception {
        assumeTrue(TestNodes.ROOT, "only root may mount");
        instance = nodes.instance("chg");
        // Each fetch of an input is written down; of a layer a byte is another one as long as somebody wants that.
        instance.program("curl", """
                #!/bin/sh
                case "$*" in
                  */input | */layer*)
                    cd "$SPILLWAY_INSTANCE_DIR" || exit
                    echo "${*##* }" | sed 's|.*/v1/||' >>fetches ;;
                esac
                /usr/bin/curl "$@" || exit
                case "$*" in
                  */layer*)
                    [ ! -e flip ] || printf x | dd "of=$(printf '%s\\n' "$*" | sed 's/.* -o \\([^ ]*\\) .*/\\1/')" bs=1 seek=600 conv=notrunc status=none ;;
                esac
                """);
        instance.program("mount", """
                #!/bin/sh
                case "$*" in
                  *work/refused.1*) echo 'mount: not for this one' >&2; exit 32 ;;
                esac
                exec /usr/bin/mount "$@"
                """);
        instance.boot(site.userData());
        site.untilReady(instance.id);
        assumeTrue(
                !Files.readString(instance.disk.resolve("spillway/over"))
                        .strip()
                        .equals("no"),
                "this kernel, or this disk, takes no layers");
        for (int i = 0; i < 30; i++) {
            file("data/" + i % 3 + "/f" + i, i);
        }
        file("empty/deep/only", 100);
        file("was-file", 101);
        file("was-folder/a", 102);
        file("top", 103);
    }

    private void file(String name, int seed) {
        byte[] bytes = new byte[3_000];
        new SplittableRandom(seed).nextBytes(bytes);
        files.put(name, bytes);
    }

    private void change() {
        file("data/1/f1", 1_001);
        file("data/new/f", 1_002);
        files.remove("data/2/f2");
        files.remove("empty/deep/only");
        files.remove("was-file");
        file("was-file/below", 1_003);
        files.remove("was-folder/a");
        file("was-folder", 1_004);
    }

    private static Digest digest(byte[] bytes) {
        return Digest.of(Sha256.digest().digest(bytes));
    }

    private static TarFormat.Member member(Map.Entry<String, byte[]> file) {
        return new TarFormat.Member(file.getKey(), file.getValue().length, 1_700_000_000, false);
    }

    private byte[] recipe() throws Exception {
        List<Recipe.Part> parts = new ArrayList<>();
        for (var file : files.entrySet()) {
            parts.add(new Recipe.Part(member(file), List.of(digest(file.getValue()))));
        }
        return new Recipe(parts).encoded();
    }

    private String post(String path, byte[] body) throws Exception {
        var answer = site.send(site.headClient(), "POST", path, body);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return new String(answer.body(), StandardCharsets.US_ASCII);
    }

    /** As the head does: all pieces in a pack, and the recipe. @return the order's words on the input */
    private JobOrder.Input stage(String job) throws Exception {
        ByteArrayOutputStream pack = new ByteArrayOutputStream();
        files.values().forEach(pack::writeBytes);
        pack.writeBytes(PackEnd.of(
                files.values().stream().map(NodeChangesTest::digest).toList(),
                files.values().stream().map(bytes -> bytes.length).toList()));
        site.growing(PieceStore.packKey(TestNodes.UID, "%064x".formatted(++packs)), pack.toByteArray());
        String name = digest(recipe()).hex();
        site.growing(PieceStore.recipeKey(TestNodes.UID, name), recipe());
        String[] whole = post("/v1/inputs/" + job + "/" + TestNodes.UID + "/" + name, new byte[0])
                .strip()
                .split(" ", 2);
        return new JobOrder.Input(PieceStore.inputKey(job), Long.parseLong(whole[0]), whole[1]);
    }

    /** A job that finds the files as they are now. @return the digest of its input */
    private String runs(String job, String more) throws Exception {
        JobOrder.Input input = stage(job);
        OrderDraft draft = nodes.draft(job, instance, LIST + more);
        draft.inputs = List.of(input);
        site.jobs.put(job, draft.order());
        JobReport report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message()).isZero();
        came = requireNonNull(report.fetchedBytes());
        StringBuilder expected = new StringBuilder();
        files.forEach((name, bytes) ->
                expected.append(digest(bytes).hex()).append(" *./").append(name).append('\n'));
        files.keySet().stream()
                .flatMap(name -> Path.of(name).getNameCount() < 2 ? java.util.stream.Stream.of() : folders(name))
                .distinct()
                .sorted()
                .forEach(folder -> expected.append("./").append(folder).append('\n'));
        assertThat(nodes.stdout(job, instance)).isEqualTo(expected.toString());
        return input.sha256();
    }

    private long came;

    private static java.util.stream.Stream<String> folders(String name) {
        List<String> all = new ArrayList<>();
        for (Path up = Path.of(name).getParent(); up != null; up = up.getParent()) {
            all.add(up.toString());
        }
        return all.stream();
    }

    private List<String> fetches() throws Exception {
        return Files.readAllLines(instance.disk.resolve("fetches"));
    }

    private Path kept(String sha) {
        return instance.disk.resolve("spillway/inputs/60001-ann/" + sha + ".tree");
    }

    @Test
    void onlyWhatDiffersComesAndTheJobFindsTheWhole() throws Exception {
        String first = runs("a", "");
        long whole = came;
        change();
        String second = runs("b", "rm -r data; echo spoilt >top\n");
        assertThat(came).isPositive().isLessThan(whole / 4);
        assertThat(kept(second).resolve("base")).hasContent(first);
        assertThat(runs("c", "")).isEqualTo(second);
        assertThat(came).as("it is kept as well").isZero();
        file("data/0/f0", 2_000);
        String third = runs("d", "");
        assertThat(kept(third).resolve("base")).as("a base is whole").hasContent(first);
        assertThat(fetches())
                .containsExactly("jobs/a/1/input", "jobs/b/1/layer?on=" + first, "jobs/d/1/layer?on=" + first);
    }

    @Test
    void anotherInputIsFetchedWhole() throws Exception {
        runs("a", "");
        for (int i = 0; i < 20; i++) {
            file("data/" + i % 3 + "/f" + i, 5_000 + i);
        }
        runs("b", "");
        assertThat(fetches()).containsExactly("jobs/a/1/input", "jobs/b/1/input");
    }

    @Test
    void aWrongByteOfALayerIsInNoJob() throws Exception {
        runs("a", "");
        change();
        Files.createFile(instance.disk.resolve("flip"));
        String second = runs("b", "");
        assertThat(fetches()).last().isEqualTo("jobs/b/1/input");
        assertThat(kept(second).resolve("base")).doesNotExist();
    }

    /** A difference alone makes no copy. */
    @Test
    void whereAMountIsRefusedTheWholeIsFetched() throws Exception {
        String first = runs("a", "");
        change();
        runs("b", "");
        runs("refused", "");
        assertThat(fetches()).containsExactly("jobs/a/1/input", "jobs/b/1/layer?on=" + first, "jobs/refused/1/input");
        assertThat(instance.disk.resolve("spillway/jobs/refused.1/log"))
                .content()
                .contains("no layer over it: mount: not for this one");
        runs("c", "");
    }

    @Test
    void aBaseThatIsNotWhatItWasSpoilsNothing() throws Exception {
        String first = runs("a", "");
        change();
        runs("b", "");
        Files.writeString(kept(first).resolve("in/top"), "spoilt");
        runs("c", "");
        assertThat(fetches()).last().isEqualTo("jobs/c/1/input");
        assertThat(instance.disk.resolve("spillway/jobs/c.1/log")).content().contains("is not what it was");
    }

    /** The difference is had in no time: the whole is not fetched while the rest is on its way. */
    @Test
    void nothingIsFetchedAheadThatIsNearlyHere() throws Exception {
        String first = runs("a", "");
        change();
        List<InputPlan.Part> parts = new ArrayList<>();
        List<byte[]> fresh = new ArrayList<>();
        for (var file : files.entrySet()) {
            boolean isNew = List.of("data/1/f1", "data/new/f", "was-file/below", "was-folder")
                    .contains(file.getKey());
            parts.add(new InputPlan.Part(
                    member(file),
                    List.of(
                            isNew
                                    ? new InputPlan.Where.InPack(0, fresh.size())
                                    : new InputPlan.Where.Known(digest(file.getValue())))));
            if (isNew) {
                fresh.add(file.getValue());
            }
        }
        post("/v1/plans/b/" + TestNodes.UID, new InputPlan(List.of("9".repeat(64)), parts).encoded());
        site.nodes.replaceAll(
                grant -> grant.with(List.of(new Directive.Coming("b", TestNodes.UID, TestNodes.UID, "ann"))));
        Path log = instance.disk.resolve("spillway/log");
        site.sync();
        TestNodes.await("it has been told", () -> read(log).contains("what differs of the input of job b"));
        site.nodes.replaceAll(grant -> grant.with(List.of()));
        runs("b", "");
        assertThat(fetches()).containsExactly("jobs/a/1/input", "jobs/b/1/layer?on=" + first);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException notYet) {
            return "";
        }
    }
}
