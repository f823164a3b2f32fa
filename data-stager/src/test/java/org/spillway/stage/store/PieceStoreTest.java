package org.spillway.stage.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.PieceStore.Assembled;
import org.spillway.stage.tree.TarFormat;

final class PieceStoreTest {
    private static final int ADA = 1001;
    private static final int BOB = 1002;
    private static final String KEY = PieceStore.inputKey("7");

    @TempDir
    Path root;

    private Instant now = Instant.parse("2026-11-24T00:00:00Z");
    private PieceStore store;
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

    private static Digest digest(byte[] bytes) {
        return Digest.of(Sha256.digest().digest(bytes));
    }

    private static List<byte[]> pieces(byte[] file) {
        List<byte[]> pieces = new ArrayList<>();
        for (int i = 0; i < Pieces.count(file.length); i++) {
            int from = i * Pieces.BYTES;
            pieces.add(Arrays.copyOfRange(file, from, from + Pieces.length(file.length, i)));
        }
        return pieces;
    }

    private Recipe recipe() {
        List<Recipe.Part> parts = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            var member = new TarFormat.Member("d/f" + i + "\n", files.get(i).length, 1_700_000_000 + i, i == 0);
            parts.add(new Recipe.Part(
                    member,
                    pieces(files.get(i)).stream().map(PieceStoreTest::digest).toList()));
        }
        return new Recipe(parts);
    }

    /** As the head does. @return the name of the file */
    private Path send(int uid, String name, List<byte[]> pieces) throws IOException {
        ByteArrayOutputStream pack = new ByteArrayOutputStream();
        pieces.forEach(pack::writeBytes);
        pack.writeBytes(PackEnd.of(
                pieces.stream().map(PieceStoreTest::digest).toList(),
                pieces.stream().map(piece -> piece.length).toList()));
        Path file = root.resolve(PieceStore.packKey(uid, name) + ".part");
        Files.createDirectories(file.getParent());
        return Files.write(file, pack.toByteArray());
    }

    private List<byte[]> all() {
        return files.stream().flatMap(file -> pieces(file).stream()).toList();
    }

    private String sendRecipe(int uid) throws IOException {
        byte[] encoded = recipe().encoded();
        String name = digest(encoded).hex();
        Path file = root.resolve(PieceStore.recipeKey(uid, name) + ".part");
        Files.createDirectories(file.getParent());
        Files.write(file, encoded);
        return name;
    }

    private byte[] tar() {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        List<Recipe.Part> parts = recipe().parts();
        for (int i = 0; i < parts.size(); i++) {
            tar.writeBytes(TarFormat.header(parts.get(i).member()));
            tar.writeBytes(files.get(i));
            tar.writeBytes(new byte[TarFormat.padding(files.get(i).length)]);
        }
        tar.writeBytes(new byte[TarFormat.END_BYTES]);
        return tar.toByteArray();
    }

    private byte[] copy(long from) throws IOException {
        ByteArrayOutputStream copy = new ByteArrayOutputStream();
        store.copy(KEY, from, copy);
        return copy.toByteArray();
    }

    @Test
    void anInputIsPutTogetherOfWhatCameAndReadFromAnyByte() throws IOException {
        send(ADA, "p1", all());
        String recipe = sendRecipe(ADA);
        Assembled.Whole whole = (Assembled.Whole) store.assemble(ADA, recipe, KEY);
        byte[] tar = tar();
        assertThat(whole.tar().bytes()).isEqualTo(tar.length);
        assertThat(whole.tar().sha256()).isEqualTo(digest(tar).hex());
        assertThat(store.given(KEY)).contains(whole.tar());
        for (int from : new int[] {0, 1, 511, 512, 520, 1024, 3000, Pieces.BYTES + 2000, tar.length - 1, tar.length}) {
            assertThat(copy(from)).as("from %d", from).isEqualTo(Arrays.copyOfRange(tar, from, tar.length));
        }
        store = new PieceStore(root, () -> now);
        assertThat(store.assemble(ADA, recipe, PieceStore.inputKey("8")))
                .as("the next director knows it all again from the packs")
                .isEqualTo(whole);
    }

    @Test
    void nobodyGetsWhatAnotherHasSent() throws IOException {
        send(ADA, "p1", all());
        long[] prefixes =
                all().stream().mapToLong(piece -> digest(piece).prefix()).toArray();
        assertThat(store.have(ADA, prefixes)).containsOnly(1);
        assertThat(store.have(BOB, prefixes)).as("BOB guesses all digests").containsOnly(0);
        String recipe = sendRecipe(BOB);
        assertThat(store.assemble(BOB, recipe, KEY))
                .isEqualTo(new Assembled.Missing(
                        all().stream().map(PieceStoreTest::digest).toList()));
        assertThat(store.given(KEY)).isEmpty();
        assertThat(store.assemble(ADA, recipe, KEY)).isEqualTo(new Assembled.NoRecipe());
        for (String name : List.of("../" + "0".repeat(61), "x".repeat(64), "")) {
            assertThatThrownBy(() -> store.assemble(BOB, name, KEY)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatIsCutOffIsNotThere() throws IOException {
        Path pack = send(ADA, "p1", all());
        byte[] bytes = Files.readAllBytes(pack);
        long[] one = {digest(files.get(0)).prefix()};
        for (int length : new int[] {0, 9, 100, bytes.length - 40, bytes.length - 1}) {
            Files.write(pack, Arrays.copyOf(bytes, length));
            assertThat(store.have(ADA, one)).as("%d bytes of it", length).containsExactly(0);
            assertThat(pack).as("the head goes on with it").exists();
        }
        Files.write(pack, bytes);
        assertThat(store.have(ADA, one)).containsExactly(1);
        assertThat(pack).doesNotExist();
        byte[] recipe = recipe().encoded();
        String name = digest(recipe).hex();
        Path half = root.resolve(PieceStore.recipeKey(ADA, name) + ".part");
        Files.createDirectories(half.getParent());
        Files.write(half, Arrays.copyOf(recipe, recipe.length - 1));
        assertThat(store.assemble(ADA, name, KEY)).isEqualTo(new Assembled.NoRecipe());
    }

    @Test
    void aByteThatFlippedAtRestIsFoundAndAskedForAgain() throws IOException {
        send(ADA, "p1", List.of(files.get(0)));
        send(ADA, "p2", pieces(files.get(2)));
        String recipe = sendRecipe(ADA);
        Assembled whole = store.assemble(ADA, recipe, KEY);
        Path pack = root.resolve(PieceStore.packKey(ADA, "p2"));
        byte[] bytes = Files.readAllBytes(pack);
        bytes[12345] ^= 1;
        Files.write(pack, bytes);
        now = now.plus(Duration.ofMinutes(11));
        assertThat(store.assemble(ADA, recipe, KEY))
                .isEqualTo(new Assembled.Missing(pieces(files.get(2)).stream()
                        .map(PieceStoreTest::digest)
                        .toList()));
        assertThat(pack).doesNotExist();
        send(ADA, "p2", pieces(files.get(2)));
        assertThat(store.assemble(ADA, recipe, KEY)).isEqualTo(whole);
        // A pack whose end is wrong holds nothing.
        bytes[bytes.length - 50] ^= 1;
        Files.write(pack, bytes);
        store = new PieceStore(root, () -> now);
        assertThat(store.have(ADA, new long[] {
                    digest(pieces(files.get(2)).getFirst()).prefix()
                }))
                .containsExactly(0);
    }

    @Test
    void whatAJobHasStaysAndWhatIsOldGoes() throws IOException {
        send(ADA, "p1", List.of(files.get(0)));
        send(ADA, "p2", pieces(files.get(2)));
        send(ADA, "unused", List.of(new byte[] {1}));
        send(BOB, "theirs", List.of(new byte[] {2}));
        store.have(ADA, new long[0]);
        store.have(BOB, new long[0]);
        String recipe = sendRecipe(ADA);
        store.assemble(ADA, recipe, KEY);
        for (String pack : List.of("p1", "p2", "unused")) {
            Files.setLastModifiedTime(root.resolve(PieceStore.packKey(ADA, pack)), FileTime.from(now));
        }
        Files.setLastModifiedTime(root.resolve(PieceStore.packKey(BOB, "theirs")), FileTime.from(now));
        Eviction eviction = new Eviction(root, store);
        eviction.evict(now.plus(Eviction.FRESH).minusSeconds(1), Long.MAX_VALUE);
        assertThat(root.resolve(PieceStore.packKey(ADA, "unused"))).as("fresh").exists();
        eviction.evict(now.plus(Eviction.FRESH).plusSeconds(1), 1);
        assertThat(root.resolve(PieceStore.packKey(ADA, "unused")).toFile().exists()
                        ^ root.resolve(PieceStore.packKey(BOB, "theirs"))
                                .toFile()
                                .exists())
                .as("room for a byte is made by one of them")
                .isTrue();
        eviction.evict(now.plus(Eviction.AGE_MOST).plusSeconds(1), 0);
        assertThat(root.resolve(PieceStore.packKey(ADA, "unused"))).doesNotExist();
        assertThat(root.resolve(PieceStore.packKey(BOB, "theirs"))).doesNotExist();
        assertThat(copy(0)).as("a job has it").isEqualTo(tar());
        Files.delete(root.resolve(KEY + PieceStore.RECIPE_SUFFIX));
        eviction.evict(now.plus(Eviction.AGE_MOST).plusSeconds(1), 0);
        assertThat(store.have(ADA, new long[] {digest(files.get(0)).prefix()})).containsExactly(0);
        assertThat(store.assemble(ADA, recipe, KEY)).isNotInstanceOf(Assembled.Whole.class);
    }

    /** Before, every question for it was an error until the director was started again. */
    @Test
    void aPackThatHasLostItsTailIsAskedForAgain() throws IOException {
        Path pack = send(ADA, "p1", all());
        String recipe = sendRecipe(ADA);
        Assembled whole = store.assemble(ADA, recipe, KEY);
        Path named = pack.resolveSibling("p1");
        Files.write(named, Arrays.copyOf(Files.readAllBytes(named), 1000));
        now = now.plus(Duration.ofMinutes(11));
        assertThat(store.assemble(ADA, recipe, KEY)).isInstanceOf(Assembled.Missing.class);
        send(ADA, "p1", all());
        assertThat(store.assemble(ADA, recipe, KEY)).isEqualTo(whole);
    }

    @Test
    void whatIsNoRecipeIsNotRead() {
        for (byte[] bytes :
                List.of(new byte[0], new byte[100], "recipe".getBytes(java.nio.charset.StandardCharsets.US_ASCII))) {
            assertThatThrownBy(() -> Recipe.read(new java.io.ByteArrayInputStream(bytes)))
                    .isInstanceOf(IOException.class);
        }
        var member = new TarFormat.Member("f", 10, 0, false);
        assertThatThrownBy(() -> new Recipe.Part(member, List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Digest.ofHex("00")).isInstanceOf(IllegalArgumentException.class);
    }
}
