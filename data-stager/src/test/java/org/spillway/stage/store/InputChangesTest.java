package org.spillway.stage.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;

final class InputChangesTest {
    private static Recipe.Part part(String name, int content, boolean executable) {
        byte[] bytes = {(byte) content};
        return new Recipe.Part(
                new TarFormat.Member(name, 1, 1_700_000_000, executable),
                List.of(Digest.of(Sha256.digest().digest(bytes))));
    }

    private static Recipe of(Map<String, Integer> files) {
        return new Recipe(files.entrySet().stream()
                .map(file -> part(file.getKey(), file.getValue(), false))
                .toList());
    }

    private static List<String> written(InputChanges changes) {
        return changes.written().stream().map(part -> part.member().name()).toList();
    }

    private static InputChanges between(Map<String, Integer> base, Map<String, Integer> next) {
        return InputChanges.between(of(new TreeMap<>(base)), of(new TreeMap<>(next)))
                .orElseThrow();
    }

    @Test
    void whatIsNewOrOtherIsWritten() {
        InputChanges changes = between(Map.of("a", 1, "d/b", 2, "d/c", 3), Map.of("a", 1, "d/b", 4, "d/c", 3, "e", 5));
        assertThat(written(changes)).containsExactly("d/b", "e");
        assertThat(changes.gone()).isEmpty();
        assertThat(changes.bytes()).isEqualTo(2);
    }

    @Test
    void aModeOrATimeAloneIsAChange() {
        Recipe base = new Recipe(List.of(part("a", 1, false)));
        Recipe next = new Recipe(List.of(part("a", 1, true)));
        assertThat(written(InputChanges.between(base, next).orElseThrow())).containsExactly("a");
    }

    @Test
    void ofAFolderThatIsGoneItselfIsHidden() {
        InputChanges changes = between(Map.of("a/b/c", 1, "a/b/d", 2, "a/e", 3, "f", 4), Map.of("a/e", 3));
        assertThat(written(changes)).isEmpty();
        assertThat(changes.gone()).containsExactlyInAnyOrder("a/b", "f");
    }

    @Test
    void whatTakesAnothersPlaceHidesItByItself() {
        InputChanges toFile = between(Map.of("a/b", 1, "a/c", 2), Map.of("a", 3));
        assertThat(written(toFile)).containsExactly("a");
        assertThat(toFile.gone()).isEmpty();
        InputChanges toFolder = between(Map.of("a", 1), Map.of("a/b", 2));
        assertThat(written(toFolder)).containsExactly("a/b");
        assertThat(toFolder.gone()).isEmpty();
    }

    @Test
    void namesThatMayMeanTheSameFileAreNotUnderstood() {
        for (String name : List.of("./a", "a//b", "../a", "/a", "a/", "a/./b")) {
            assertThat(InputChanges.between(of(Map.of(name, 1)), of(Map.of("a", 1))))
                    .as(name)
                    .isEmpty();
            assertThat(InputChanges.between(of(Map.of("a", 1)), of(Map.of(name, 1))))
                    .as(name)
                    .isEmpty();
        }
        Recipe twice = new Recipe(List.of(part("a", 1, false), part("a", 2, false)));
        assertThat(InputChanges.between(of(Map.of("a", 2)), twice)).isEmpty();
    }

    /** A layer as overlayfs reads it: what the upper one has, and of the lower one what nothing hides. */
    private static Map<String, Integer> laid(
            Map<String, Integer> base, InputChanges changes, Map<String, Integer> next) {
        Map<String, Integer> seen = new TreeMap<>(base);
        for (String gone : changes.gone()) {
            seen.keySet().removeIf(name -> name.equals(gone) || name.startsWith(gone + "/"));
        }
        for (String written : written(changes)) {
            seen.keySet().removeIf(name -> name.startsWith(written + "/") || written.startsWith(name + "/"));
            seen.put(written, next.get(written));
        }
        return seen;
    }

    @Test
    void aLayerOverTheBaseIsTheOther() {
        for (int seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            Map<String, Integer> base = tree(random);
            Map<String, Integer> next = tree(random);
            InputChanges changes = between(base, next);
            assertThat(laid(base, changes, next)).as("seed " + seed).isEqualTo(next);
            List<String> all = new ArrayList<>(changes.gone());
            all.addAll(written(changes));
            assertThat(all).as("seed " + seed).doesNotHaveDuplicates();
            // In tar's order: nothing that is written lies below what is gone.
            for (String gone : changes.gone()) {
                assertThat(written(changes))
                        .as("seed " + seed)
                        .noneMatch(name -> name.startsWith(gone + "/") || gone.startsWith(name + "/"));
            }
        }
    }

    /** No file is a folder of another one, as in a real tree. */
    private static Map<String, Integer> tree(Random random) {
        Map<String, Integer> files = new TreeMap<>();
        for (int left = random.nextInt(12); left > 0; left--) {
            StringBuilder name = new StringBuilder();
            for (int depth = random.nextInt(3); depth >= 0; depth--) {
                name.append(name.isEmpty() ? "" : "/").append((char) ('a' + random.nextInt(3)));
            }
            String file = name.toString();
            boolean taken = files.keySet().stream()
                    .anyMatch(other -> other.startsWith(file + "/") || file.startsWith(other + "/"));
            if (!taken) {
                files.put(file, random.nextInt(2));
            }
        }
        return files;
    }
}
