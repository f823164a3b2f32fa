package org.spillway.stage.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.InputPlan.Where;
import org.spillway.stage.store.PieceStore.Assembled;
import org.spillway.stage.tree.TarFormat;

/** The beginning of an input is read before the rest has come, and is never another than in the end. */
final class GrowingInputTest {
    private static final int ADA = 1001;
    private static final String KEY = PieceStore.inputKey("7");
    private static final List<String> PACKS = List.of("1".repeat(64), "2".repeat(64));

    @TempDir
    Path root;

    private Instant now = Instant.parse("2026-11-26T00:00:00Z");
    private PieceStore store;
    /** Small, empty, and two pieces. */
    private final List<byte[]> files = new ArrayList<>();

    @BeforeEach
    void threeFiles() {
        store = new PieceStore(root, () -> now);
        Random random = new Random(1);
        for (int length : new int[] {10, 0, Pieces.BYTES + 1000}) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            files.add(bytes);
        }
    }

    private static TarFormat.Member member(int i, byte[] file) {
        return new TarFormat.Member("d/f" + i, file.length, 1_700_000_000 + i, false);
    }

    private static Digest digest(byte[] bytes) {
        return Digest.of(Sha256.digest().digest(bytes));
    }

    private byte[] piece(int i) {
        byte[] large = files.get(2);
        return switch (i) {
            case 0 -> files.get(0);
            case 1 -> Arrays.copyOf(large, Pieces.BYTES);
            default -> Arrays.copyOfRange(large, Pieces.BYTES, large.length);
        };
    }

    /** The first two pieces in one pack, the third in another. */
    private InputPlan plan() {
        return new InputPlan(
                PACKS,
                List.of(
                        new InputPlan.Part(member(0, files.get(0)), List.of(new Where.InPack(0, 0))),
                        new InputPlan.Part(member(1, files.get(1)), List.of()),
                        new InputPlan.Part(
                                member(2, files.get(2)), List.of(new Where.InPack(0, 1), new Where.InPack(1, 0)))));
    }

    private Recipe recipe() {
        return new Recipe(List.of(
                new Recipe.Part(member(0, files.get(0)), List.of(digest(piece(0)))),
                new Recipe.Part(member(1, files.get(1)), List.of()),
                new Recipe.Part(member(2, files.get(2)), List.of(digest(piece(1)), digest(piece(2))))));
    }

    private String name() throws IOException {
        return digest(recipe().encoded()).hex();
    }

    private byte[] tar() {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        for (int i = 0; i < files.size(); i++) {
            tar.writeBytes(TarFormat.header(member(i, files.get(i))));
            tar.writeBytes(files.get(i));
            tar.writeBytes(new byte[TarFormat.padding(files.get(i).length)]);
        }
        tar.writeBytes(new byte[TarFormat.END_BYTES]);
        return tar.toByteArray();
    }

    private Path send(int pack, int... pieces) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<Digest> digests = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        for (int i : pieces) {
            bytes.writeBytes(piece(i));
            digests.add(digest(piece(i)));
            lengths.add(piece(i).length);
        }
        bytes.writeBytes(PackEnd.of(digests, lengths));
        Path file = root.resolve(PieceStore.packKey(ADA, PACKS.get(pack)) + ".part");
        Files.createDirectories(file.getParent());
        return Files.write(file, bytes.toByteArray());
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    /** A reader on a thread of its own, as a node is. */
    private final class Reader {
        final PipedInputStream in = new PipedInputStream(1 << 20);
        final CompletableFuture<Void> end = new CompletableFuture<>();

        Reader(long from) throws IOException {
            PipedOutputStream out = new PipedOutputStream(in);
            Thread.ofVirtual().start(() -> {
                try (out) {
                    store.copyGrowing(KEY, from, out);
                    end.complete(null);
                } catch (IOException e) {
                    end.completeExceptionally(e);
                }
            });
        }
    }

    private byte[] read(long from) throws IOException {
        ByteArrayOutputStream copy = new ByteArrayOutputStream();
        store.copyGrowing(KEY, from, copy);
        return copy.toByteArray();
    }

    @Test
    void whatHasComeIsReadWhileTheRestIsOnItsWay() throws IOException {
        byte[] tar = tar();
        PieceStore.Expected input = store.expect(ADA, KEY, InputPlan.read(plan().encoded()));
        assertThat(store.expected(KEY)).hasValue(tar.length);
        Reader reader = new Reader(0);
        assertThat(input.advance()).hasValue(0);
        send(0, 0, 1);
        assertThat(input.advance()).hasValue(2);
        int begun = 512 + 512 + 512 + 512 + Pieces.BYTES;
        assertThat(reader.in.readNBytes(begun)).isEqualTo(Arrays.copyOf(tar, begun));
        assertThat(reader.end).as("the second pack has not come").isNotDone();
        assertThat(store.given(KEY)).isEmpty();
        assertThat(store.assemble(ADA, name(), KEY)).isEqualTo(new Assembled.NoRecipe());
        send(1, 2);
        assertThat(input.advance()).isEmpty();
        assertThat(reader.in.readAllBytes()).isEqualTo(Arrays.copyOfRange(tar, begun, tar.length));
        for (int from : new int[] {0, 1, 512, 520, begun - 1, begun, tar.length - 1, tar.length}) {
            assertThat(read(from)).as("from %d", from).isEqualTo(Arrays.copyOfRange(tar, from, tar.length));
        }
        // Nobody has sent a recipe: it follows from the plan and what has come.
        assertThat(store.assemble(ADA, name(), KEY))
                .isEqualTo(new Assembled.Whole(Sha256.checksum(tar.length, sha(tar))));
        assertThat(read(0)).isEqualTo(tar);
        // The next job finds it read lately, and is kept waiting by no plan.
        String next = PieceStore.inputKey("8");
        store.expect(ADA, next, plan());
        assertThat(store.assemble(ADA, name(), next)).isInstanceOf(Assembled.Whole.class);
        store = new PieceStore(root, () -> now);
        assertThat(read(0)).as("the next director has it").isEqualTo(tar);
    }

    private static java.security.MessageDigest sha(byte[] bytes) {
        var digest = Sha256.digest();
        digest.update(bytes);
        return digest;
    }

    @Test
    void aPackThatRotsOnTheWayIsReadByNobody() throws IOException {
        byte[] tar = tar();
        PieceStore.Expected input = store.expect(ADA, KEY, plan());
        Reader reader = new Reader(0);
        send(0, 0, 1);
        flip(send(1, 2), 500);
        assertThat(input.advance()).hasValue(2);
        assertThat(root.resolve(PieceStore.packKey(ADA, PACKS.get(1)))).doesNotExist();
        assertThat(store.assemble(ADA, name(), KEY)).isEqualTo(new Assembled.NoRecipe());
        Files.createDirectories(root.resolve("users/" + ADA + "/recipes"));
        Files.write(root.resolve(PieceStore.recipeKey(ADA, name()) + ".part"), recipe().encoded());
        assertThat(store.assemble(ADA, name(), KEY)).isEqualTo(new Assembled.Missing(List.of(digest(piece(2)))));
        send(1, 2);
        assertThat(input.advance()).isEmpty();
        assertThat(reader.in.readAllBytes()).isEqualTo(tar);
        assertThat(store.assemble(ADA, name(), KEY)).isInstanceOf(Assembled.Whole.class);
    }

    @Test
    void aPackThatLosesItsTailAfterItWasLookedAtIsAskedForAgain() throws IOException {
        List<InputPlan.Part> parts = new ArrayList<>(plan().parts());
        parts.set(
                2,
                new InputPlan.Part(
                        member(2, files.get(2)), List.of(new Where.InPack(0, 1), new Where.Known(digest(piece(2))))));
        PieceStore.Expected input = store.expect(ADA, KEY, new InputPlan(PACKS, parts));
        send(1, 2);
        assertThat(input.advance()).hasValue(0);
        Path second = root.resolve(PieceStore.packKey(ADA, PACKS.get(1)));
        Files.write(second, Arrays.copyOf(Files.readAllBytes(second), 500));
        send(0, 0, 1);
        assertThat(input.advance()).hasValue(2);
        assertThat(second).doesNotExist();
        send(1, 2);
        assertThat(input.advance()).isEmpty();
    }

    @Test
    void aPackThatRotsAfterItWasReadIsReadAgain() throws IOException {
        PieceStore.Expected input = store.expect(ADA, KEY, plan());
        send(0, 0, 1);
        send(1, 2);
        assertThat(input.advance()).isEmpty();
        Files.delete(root.resolve(PieceStore.packKey(ADA, PACKS.get(1))));
        assertThat(store.assemble(ADA, name(), KEY)).isEqualTo(new Assembled.Missing(List.of(digest(piece(2)))));
        flip(send(1, 2), 500);
        assertThat(store.assemble(ADA, name(), KEY))
                .as("what came in its stead is not taken for what was read")
                .isEqualTo(new Assembled.Missing(List.of(digest(piece(2)))));
        send(1, 2);
        assertThat(store.assemble(ADA, name(), KEY)).isInstanceOf(Assembled.Whole.class);
    }

    @Test
    void anotherInputThanWasPlannedIsNotTakenForIt() throws IOException {
        PieceStore.Expected input = store.expect(ADA, KEY, plan());
        send(0, 0, 1);
        send(1, 2);
        assertThat(input.advance()).isEmpty();
        byte[] first = files.get(0);
        Recipe other = new Recipe(List.of(new Recipe.Part(member(5, first), List.of(digest(first)))));
        Files.createDirectories(root.resolve("users/" + ADA + "/recipes"));
        String name = digest(other.encoded()).hex();
        Files.write(root.resolve(PieceStore.recipeKey(ADA, name) + ".part"), other.encoded());
        Assembled.Whole whole = (Assembled.Whole) store.assemble(ADA, name, KEY);
        assertThat(whole.tar().bytes()).isEqualTo(512 + 512 + TarFormat.END_BYTES);
        assertThat(read(0)).hasSize((int) whole.tar().bytes());
    }

    @Test
    void whoWaitsForWhatDoesNotComeIsToldSo() throws IOException {
        PieceStore.Expected input = store.expect(ADA, KEY, plan());
        send(0, 0, 1);
        input.advance();
        Reader reader = new Reader(Pieces.BYTES);
        assertThat(reader.in.readNBytes(100)).as("it has begun").hasSize(100);
        input.giveUp();
        assertThatThrownBy(reader.end::join)
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("the rest of this input does not come");
        assertThat(store.expected(KEY)).isEmpty();
        // A second plan takes the first one's place, as of a head that was started again.
        store.expect(ADA, KEY, plan()).advance();
        Reader earlier = new Reader(Pieces.BYTES);
        assertThat(earlier.in.readNBytes(100)).as("it has begun").hasSize(100);
        PieceStore.Expected next = store.expect(ADA, KEY, plan());
        assertThatThrownBy(earlier.end::join).hasMessageContaining("does not come");
        send(1, 2);
        assertThat(next.advance()).isEmpty();
        assertThat(read(0)).isEqualTo(tar());
    }

    @Test
    void piecesThatAreKnownAreTakenFromWhateverPackHasThem() throws IOException {
        send(0, 0, 1);
        store.have(ADA, new long[0]);
        InputPlan known = new InputPlan(
                List.of(PACKS.get(1)),
                List.of(
                        new InputPlan.Part(member(0, files.get(0)), List.of(new Where.Known(digest(piece(0))))),
                        new InputPlan.Part(member(1, files.get(1)), List.of()),
                        new InputPlan.Part(
                                member(2, files.get(2)),
                                List.of(new Where.Known(digest(piece(1))), new Where.InPack(0, 0)))));
        PieceStore.Expected input = store.expect(ADA, KEY, InputPlan.read(known.encoded()));
        assertThat(input.advance()).hasValue(2);
        send(1, 2);
        assertThat(input.advance()).isEmpty();
        now = now.plus(Duration.ofMinutes(11));
        assertThat(store.assemble(ADA, name(), KEY)).isInstanceOf(Assembled.Whole.class);
        assertThat(read(0)).isEqualTo(tar());
    }

    @Test
    void whatIsNoPlanIsNotRead() throws IOException {
        byte[] good = plan().encoded();
        for (byte[] bytes : List.of(new byte[0], new byte[100], Arrays.copyOf(good, good.length / 2))) {
            assertThatThrownBy(() -> InputPlan.read(bytes)).isInstanceOf(IOException.class);
        }
        InputPlan beyond = new InputPlan(
                List.of(), List.of(new InputPlan.Part(member(0, files.get(0)), List.of(new Where.InPack(0, 0)))));
        assertThatThrownBy(() -> InputPlan.read(beyond.encoded())).hasMessageContaining("no pack 0");
        assertThatThrownBy(() -> new Where.InPack(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new InputPlan.Part(member(0, files.get(0)), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
