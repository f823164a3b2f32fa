package org.spillway.image.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.image.ImageRefused;
import org.spillway.image.tree.Difference.Change;
import org.spillway.image.tree.Entry.Kind;

/** Findings of another machine are read as what they would be if the trees had been compared here. */
final class FindingsTest {
    private static final int SEEDS = Boolean.getBoolean("spillway.seeds.every") ? 4000 : 1000;
    private static final String SHA = "0123456789abcdef".repeat(4);
    private static final String OTHER = "f".repeat(64);

    private static Entry file(String path, int mode, long uid, String sha) {
        return new Entry(path, Kind.FILE, mode, uid, 0, 3, sha, new TreeMap<>());
    }

    private static Entry folder(String path) {
        return new Entry(path, Kind.FOLDER, 0755, 0, 0, 0, "", new TreeMap<>());
    }

    private static Manifest tree(Entry... more) throws IOException {
        var all = new ArrayList<>(List.of(folder(""), folder("opt")));
        all.addAll(List.of(more));
        return Manifest.of(all);
    }

    private static String line(Entry entry) throws IOException {
        String text = new String(tree(entry).text(), StandardCharsets.US_ASCII);
        return text.lines().reduce((earlier, last) -> last).orElseThrow();
    }

    @Test
    void eachLineIsADifference() throws IOException {
        Manifest wanted = tree(
                file("opt/a", 0755, 0, SHA),
                file("opt/b", 0644, 0, SHA),
                Entry.hardLink("opt/c", "opt/b"),
                file("opt/d", 0644, 0, SHA),
                file("opt/e", 0644, 0, SHA));
        Findings found = Findings.parse(
                wanted,
                "is " + line(file("opt/a", 04755, 7, OTHER)) + "\nis " + line(file("opt/c", 0644, 0, SHA)) + "\nis "
                        + line(file("opt/new", 0644, 0, OTHER))
                        + "\ngone opt/d\nbroken opt/e\nmounted .\nmore 5\nseen 7 12 0\n");
        assertThat(found.differences().stream().map(Difference::changes).toList())
                .isEqualTo(List.of(
                        EnumSet.of(Change.CONTENT, Change.MODE, Change.OWNER),
                        EnumSet.of(Change.LINKS),
                        EnumSet.of(Change.ADDED),
                        EnumSet.of(Change.REMOVED),
                        EnumSet.of(Change.UNREADABLE),
                        EnumSet.of(Change.COVERED)));
        assertThat(found.more()).isEqualTo(5);
        assertThat(found.names()).isEqualTo(7);
        assertThat(found.bytes()).isEqualTo(12);
        assertThat(found.same()).isFalse();
        assertThat(DifferenceText.how(found.differences().getFirst()))
                .isEqualTo("other 3 bytes; 0755 to 4755; 0:0 to 7:0");
        assertThat(Findings.parse(wanted, "seen 6 0 0\n").same()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "gone opt/a",
                "seen 1 2",
                "is f\nseen 1 1 0",
                "is f 644 0 0 opt/a 3 short\nseen 1 1 0",
                "rm -rf /\nseen 1 1 0",
                "gone \\x4\nseen 1 1 0"
            })
    void whatIsNoneIsRefusedAndNeverTheSame(String text) {
        assertThatThrownBy(() -> Findings.parse(tree(), text)).isInstanceOf(ImageRefused.class);
    }

    @Test
    void aLineSaysWhatAComparisonHereWouldHaveSaid() throws IOException {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Random random = new Random(seed);
            Entry was = any(random);
            Entry is = random.nextInt(4) == 0 ? was : any(random);
            Set<Change> here = new HashSet<>();
            Difference.between(tree(was), tree(is), path -> false).forEach(one -> here.addAll(one.changes()));
            Difference there = Findings.parse(tree(was), "is " + line(is) + "\nseen 1 0 0\n")
                    .differences()
                    .getFirst();
            assertThat(there.changes()).as("seed " + seed).isEqualTo(here.isEmpty() ? Set.of(Change.LINKS) : here);
            assertThat(there.is()).as("seed " + seed).isEqualTo(is);
        }
    }

    private static Entry any(Random random) {
        var attributes = new TreeMap<String, String>();
        if (random.nextInt(3) == 0) {
            attributes.put("user.x", random.nextBoolean() ? "1" : "");
        }
        Kind kind =
                List.of(Kind.FILE, Kind.SYMLINK, Kind.CHARACTER, Kind.FOLDER).get(random.nextInt(4));
        String content = switch (kind) {
            case FILE -> random.nextBoolean() ? SHA : OTHER;
            case SYMLINK -> random.nextBoolean() ? "a b" : "/c\u00e9";
            case CHARACTER -> random.nextBoolean() ? "1:3" : "1:5";
            default -> "";
        };
        return new Entry(
                "opt/x",
                kind,
                random.nextBoolean() ? 0755 : 02700,
                random.nextInt(2),
                random.nextInt(2),
                kind == Kind.FILE ? random.nextInt(3) : 0,
                content,
                attributes);
    }
}
