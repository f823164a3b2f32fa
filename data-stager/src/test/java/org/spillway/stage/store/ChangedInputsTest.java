package org.spillway.stage.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;

final class ChangedInputsTest {
    private static final int ADA = 1001;
    private static final int BOB = 1002;
    private static final String KEY = PieceStore.inputKey("new");

    @TempDir
    Path root;

    private PieceStore store;
    private ChangedInputs changed;
    private final Map<String, String> files = new TreeMap<>();
    private int sent;

    @BeforeEach
    void manyFiles() {
        store = new PieceStore(root, () -> Instant.parse("2026-11-24T00:00:00Z"));
        changed = new ChangedInputs(store);
        for (int i = 0; i < 100; i++) {
            files.put("d" + i % 3 + "/f" + i, "file " + i + "\n".repeat(2_000));
        }
    }

    private static Digest digest(byte[] bytes) {
        return Digest.of(Sha256.digest().digest(bytes));
    }

    /** As the head does. @return the SHA-256 of the input's stream */
    private String give(int uid, String key) throws IOException {
        List<Recipe.Part> parts = new ArrayList<>();
        ByteArrayOutputStream pack = new ByteArrayOutputStream();
        List<Digest> digests = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        files.forEach((name, text) -> {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            digests.add(digest(bytes));
            lengths.add(bytes.length);
            pack.writeBytes(bytes);
            parts.add(new Recipe.Part(
                    new TarFormat.Member(name, bytes.length, 1_700_000_000, false), List.of(digest(bytes))));
        });
        pack.writeBytes(PackEnd.of(digests, lengths));
        put(PieceStore.packKey(uid, "%064x".formatted(++sent)), pack.toByteArray());
        byte[] recipe = new Recipe(parts).encoded();
        String name = digest(recipe).hex();
        put(PieceStore.recipeKey(uid, name), recipe);
        return ((PieceStore.Assembled.Whole) store.assemble(uid, name, key))
                .tar()
                .sha256();
    }

    private void put(String key, byte[] bytes) throws IOException {
        Path file = root.resolve(key + ".part");
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }

    private void change() {
        files.put("d0/f0", "another");
        files.remove("d1/f1");
        files.put("new", "new");
    }

    @Test
    void whatIsToldIsWhatIsSent() throws IOException {
        String base = give(ADA, PieceStore.inputKey("old"));
        change();
        give(ADA, KEY);
        ChangedInputs.Layer layer =
                changed.layer(KEY, List.of("0".repeat(64), base)).orElseThrow();
        assertThat(layer.base()).isEqualTo(base);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.writeBytes(TarFormat.gone("d1/f1"));
        for (String name : List.of("d0/f0", "new")) {
            byte[] bytes = files.get(name).getBytes(StandardCharsets.US_ASCII);
            expected.writeBytes(TarFormat.header(new TarFormat.Member(name, bytes.length, 1_700_000_000, false)));
            expected.writeBytes(bytes);
            expected.writeBytes(new byte[TarFormat.padding(bytes.length)]);
        }
        expected.writeBytes(new byte[TarFormat.END_BYTES]);
        for (ChangedInputs asked : List.of(changed, new ChangedInputs(store))) {
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            asked.copy(KEY, base, sent);
            assertThat(sent.toByteArray()).isEqualTo(expected.toByteArray());
        }
        assertThat(layer.stream())
                .isEqualTo(new Checksum(
                        expected.size(), digest(expected.toByteArray()).hex()));
    }

    @Test
    void nobodysInputIsTheBaseOfAnothers() throws IOException {
        String base = give(BOB, PieceStore.inputKey("old"));
        change();
        give(ADA, KEY);
        assertThat(changed.layer(KEY, List.of(base))).isEmpty();
        assertThatThrownBy(() -> changed.copy(KEY, base, new ByteArrayOutputStream()))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void whatIsMostlyAnotherOneIsNoLayer() throws IOException {
        String base = give(ADA, PieceStore.inputKey("old"));
        for (int i = 0; i < 40; i++) {
            files.put("d" + i % 3 + "/f" + i, "other " + i + "\n".repeat(2_000));
        }
        give(ADA, KEY);
        assertThat(changed.layer(KEY, List.of(base))).isEmpty();
    }

    @Test
    void aByteThatChangedSinceTheInputWasReadIsNotSent() throws IOException {
        String base = give(ADA, PieceStore.inputKey("old"));
        change();
        give(ADA, KEY);
        Path pack = root.resolve(PieceStore.packKey(ADA, "%064x".formatted(sent)));
        byte[] bytes = Files.readAllBytes(pack);
        bytes[3] ^= 1;
        Files.write(pack, bytes);
        assertThat(changed.layer(KEY, List.of(base))).isEmpty();
    }

    @Test
    void aLayerThatWeighsMoreThanTheWholeIsNone() throws IOException {
        files.clear();
        for (int i = 0; i < 20; i++) {
            files.put("f" + i, "small");
        }
        String base = give(ADA, PieceStore.inputKey("old"));
        files.clear();
        files.put("g", "small");
        give(ADA, KEY);
        assertThat(changed.layer(KEY, List.of(base))).isEmpty();
    }
}
