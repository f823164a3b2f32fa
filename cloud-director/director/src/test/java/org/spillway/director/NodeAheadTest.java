package org.spillway.director;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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

/** A node fetches what has come of an input while the rest is on its way, and its job gets nothing but the whole. */
@Tag("processes")
final class NodeAheadTest extends OnNodes {
    private static final List<String> PACKS = List.of("1".repeat(64), "2".repeat(64));
    /** Of the first file; curl keeps the last few thousand bytes that came to itself until more comes. */
    private static final long BEGINNING = 90_000;

    private static final String READ = "cat f0 f1\n";

    private final List<byte[]> files = Stream.of("the first, ".repeat(9_000), "and the second\n".repeat(9_000))
            .map(NodeAheadTest::bytes)
            .toList();
    private TestInstance instance;
    /** The node's gate found this of layers. */
    private String over;

    @BeforeEach
    void boot() throws Exception {
        assumeTrue(TestNodes.ROOT, "only root can keep what jobs must not write to");
        instance = nodes.instance("ahead");
        // Each fetch of an input is written down.
        instance.program("curl", """
                #!/bin/sh
                case "$*" in
                  */input) echo "${*##* }" >>"$SPILLWAY_INSTANCE_DIR/fetches" ;;
                esac
                exec /usr/bin/curl "$@"
                """);
        instance.boot(site.userData());
        site.untilReady(instance.id);
        Files.writeString(instance.disk.resolve("spillway/reflinks"), "no\n");
        over = Files.readString(instance.disk.resolve("spillway/over"));
        Files.writeString(instance.disk.resolve("spillway/over"), "no\n");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static TarFormat.Member member(int i, byte[] file) {
        return new TarFormat.Member("f" + i, file.length, 1_700_000_000, false);
    }

    private static Digest digest(byte[] bytes) {
        return Digest.of(Sha256.digest().digest(bytes));
    }

    private long length() {
        return TarFormat.END_BYTES
                + files.stream()
                        .mapToLong(file -> 512 + file.length + TarFormat.padding(file.length))
                        .sum();
    }

    /** As the head does when packs of job a's input are about to go. */
    private void plan() throws Exception {
        List<InputPlan.Part> parts = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            parts.add(new InputPlan.Part(member(i, files.get(i)), List.of(new InputPlan.Where.InPack(i, 0))));
        }
        post("/v1/plans/a/" + TestNodes.UID, new InputPlan(PACKS, parts).encoded());
        site.nodes.replaceAll(
                grant -> grant.with(List.of(new Directive.Coming("a", TestNodes.UID, TestNodes.UID, "ann"))));
        site.sync();
    }

    private String post(String path, byte[] body) throws Exception {
        var answer = site.send(site.headClient(), "POST", path, body);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return new String(answer.body(), StandardCharsets.US_ASCII);
    }

    private void send(int pack) throws Exception {
        byte[] file = files.get(pack);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(file);
        bytes.writeBytes(PackEnd.of(List.of(digest(file)), List.of(file.length)));
        site.growing(PieceStore.packKey(TestNodes.UID, PACKS.get(pack)), bytes.toByteArray());
    }

    private byte[] recipe() throws Exception {
        List<Recipe.Part> parts = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            parts.add(new Recipe.Part(member(i, files.get(i)), List.of(digest(files.get(i)))));
        }
        return new Recipe(parts).encoded();
    }

    /** The region has all of it: the job may begin. */
    private void order() throws Exception {
        String[] whole = post(
                        "/v1/inputs/a/" + TestNodes.UID + "/" + digest(recipe()).hex(), new byte[0])
                .strip()
                .split(" ", 2);
        site.nodes.replaceAll(grant -> grant.with(List.of()));
        OrderDraft draft = nodes.draft("a", instance, READ);
        draft.inputs = List.of(new JobOrder.Input(PieceStore.inputKey("a"), Long.parseLong(whole[0]), whole[1]));
        site.jobs.put("a", draft.order());
    }

    private void readsBoth() throws Exception {
        readsAll();
        try (var kept = Files.list(kept())) {
            assertThat(kept).singleElement().satisfies(file -> assertThat(file).hasSize(length()));
        }
    }

    private void readsAll() throws Exception {
        JobReport report = site.untilPhase("a", Phase.ENDED);
        assertThat(report.exitCode()).as(report.message()).isZero();
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        files.forEach(both::writeBytes);
        assertThat(Digests.hex(nodes.stdout("a", instance)))
                .isEqualTo(digest(both.toByteArray()).hex());
        assertThat(requireNonNull(report.fetchedBytes())).isEqualTo(length());
    }

    private Path kept() {
        return instance.disk.resolve("spillway/inputs/" + TestNodes.UID + "-ann");
    }

    private Path part() {
        return kept().resolve("ahead-a.part");
    }

    private Path tree() {
        return instance.disk.resolve("work/ahead.a");
    }

    private void untilItHas(long bytes) {
        TestNodes.await("it has " + bytes + " bytes", () -> part().toFile().length() >= bytes);
    }

    private List<String> fetches() throws Exception {
        return Files.readAllLines(instance.disk.resolve("fetches")).stream()
                .map(url -> url.substring(url.indexOf("/v1/")))
                .toList();
    }

    @Test
    void whatHasComeIsThereBeforeTheRegionHasTheRest() throws Exception {
        plan();
        send(0);
        untilItHas(BEGINNING);
        assertThat(part().toFile().length()).isLessThan(length());
        assertThat(Files.exists(instance.disk.resolve("work/a.1"))).isFalse();
        send(1);
        TestNodes.await("it is taken apart", () -> Files.exists(instance.disk.resolve("spillway/ahead/a.whole")));
        assertThat(part().toFile().length()).isEqualTo(length());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tree())))
                .isEqualTo("rwx------");
        assertThat(Files.getAttribute(tree().resolve("f1"), "unix:uid")).isEqualTo(TestNodes.UID);
        order();
        readsBoth();
        assertThat(fetches()).containsExactly("/v1/ahead/a/input");
        assertThat(instance.disk.resolve("spillway/jobs/a.1/ahead"))
                .as("the tree was taken")
                .exists();
        assertThat(tree()).doesNotExist();
    }

    private void takenApartBelowLayers() throws Exception {
        assumeTrue(!over.strip().equals("no"), "this kernel, or this disk, takes no layers");
        Files.writeString(instance.disk.resolve("spillway/over"), over);
        plan();
        send(0);
        send(1);
        TestNodes.await("it is taken apart", () -> Files.exists(instance.disk.resolve("spillway/ahead/a.whole")));
    }

    @Test
    void whereFoldersAreLayersItBecomesTheGroundOfTheJobs() throws Exception {
        takenApartBelowLayers();
        Path made = kept().resolve("ahead-a.tree.new/in/f1");
        Object file = Files.getAttribute(made, "unix:ino");
        assertThat(tree()).as("no other job of the user could reach it").doesNotExist();
        order();
        readsAll();
        assertThat(instance.disk.resolve("spillway/jobs/a.1/ahead")).exists();
        JobOrder.Input input = requireNonNull(site.jobs.get("a")).inputs().getFirst();
        Path tree = kept().resolve(input.sha256() + ".tree");
        assertThat(Files.getAttribute(tree.resolve("in/f1"), "unix:ino")).isEqualTo(file);
        try (var kept = Files.list(kept())) {
            assertThat(kept).as("the packed form has gone").containsExactly(tree);
        }
    }

    /** The tree that was made as it came has gone, and the packed form is compared before it is believed. */
    @Test
    void whereThatHasGoneTheJobGetsWhatWasStaged() throws Exception {
        takenApartBelowLayers();
        Files.delete(kept().resolve("ahead-a.tree.new/lock"));
        order();
        readsAll();
        assertThat(fetches()).containsExactly("/v1/ahead/a/input");
    }

    @Test
    void aJobThatBeginsWhileItsInputIsFetchedWaitsForThat() throws Exception {
        plan();
        send(0);
        untilItHas(BEGINNING);
        send(1);
        order();
        readsBoth();
        assertThat(part()).doesNotExist();
    }

    @Test
    void aDirectorThatIsKilledInBetweenCostsNoByteTwice() throws Exception {
        plan();
        send(0);
        untilItHas(BEGINNING);
        site.restartDirector();
        send(1);
        site.growing(PieceStore.recipeKey(TestNodes.UID, digest(recipe()).hex()), recipe());
        order();
        readsBoth();
        assertThat(fetches().getLast()).isEqualTo("/v1/jobs/a/1/input");
    }

    /** The tree was made of what came; what is kept for others is compared when the next one wants it. */
    @Test
    void aByteThatChangedOnTheDiskIsInNoJob() throws Exception {
        plan();
        send(0);
        send(1);
        TestNodes.await("it is taken apart", () -> Files.exists(instance.disk.resolve("spillway/ahead/a.whole")));
        byte[] bytes = Files.readAllBytes(part());
        bytes[600] ^= 1;
        Files.write(part(), bytes);
        order();
        readsBoth();
        assertThat(fetches()).containsExactly("/v1/ahead/a/input");
        OrderDraft next = nodes.draft("b", instance, READ);
        JobOrder.Input first = requireNonNull(site.jobs.get("a")).inputs().getFirst();
        post("/v1/inputs/b/" + TestNodes.UID + "/" + digest(recipe()).hex(), new byte[0]);
        next.inputs = List.of(new JobOrder.Input(PieceStore.inputKey("b"), first.bytes(), first.sha256()));
        site.jobs.put("b", next.order());
        assertThat(site.untilPhase("b", Phase.ENDED).message()).isEmpty();
        assertThat(nodes.stdout("b", instance)).isEqualTo(nodes.stdout("a", instance));
        assertThat(fetches()).endsWith("/v1/jobs/b/1/input");
        assertThat(instance.disk.resolve("spillway/jobs/b.1/log")).content().contains("is not what it was");
    }

    @Test
    void whatIsNotWhatWasOrderedIsNotTaken() throws Exception {
        plan();
        send(0);
        send(1);
        TestNodes.await("it is taken apart", () -> Files.exists(instance.disk.resolve("spillway/ahead/a.whole")));
        Files.writeString(tree().resolve("f0"), "what another input has");
        Files.writeString(instance.disk.resolve("spillway/ahead/a.whole"), Digests.hex("another") + " *stdin\n");
        order();
        readsBoth();
        assertThat(fetches()).containsExactly("/v1/ahead/a/input");
    }
}
