package org.spillway.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random patterns over random paths: against a matcher that thinks differently, and against GNU find. */
class GlobPropertyTest {
    private static final long SEED = Long.getLong("spillway.seed", new Random().nextLong());
    private static final String[] PIECES = {
        "a", "b", "ä", ".", "*", "?", "[ab]", "[!a]", "[^b.]", "[]^-]", "[!]-]", "[+-a]", "[[x]", "+", "$", "^", "(",
        "|", "\\*", "\\[", "\\\\", " ", "}", "\n"
    };
    private static final String[] NAMES = {
        "a", "b", "ä", ".", "*", "[", "]", "^", "-", "+", "$", "(", "|", "\\", " ", "}", "\n"
    };

    @TempDir
    Path folder;

    private static String pattern(Random random, int depth) {
        StringBuilder pattern = new StringBuilder();
        int names = 1 + random.nextInt(3);
        for (int i = 0; i < names; i++) {
            pattern.append(i > 0 ? "/" : "");
            if (random.nextInt(5) == 0) {
                pattern.append("**");
                continue;
            }
            int pieces = 1 + random.nextInt(3);
            boolean star = false;
            for (int j = 0; j < pieces; j++) {
                String piece = PIECES[random.nextInt(PIECES.length)];
                if (depth < 2 && random.nextInt(8) == 0) {
                    piece = "{" + inner(random, depth) + "," + inner(random, depth) + "}";
                } else if (piece.equals("}") || (piece.equals("*") && star)) {
                    piece = "\\" + piece;
                }
                star = piece.endsWith("*") || piece.endsWith("}"); // braces may end in a star
                pattern.append(piece);
            }
        }
        return pattern.toString();
    }

    private static String inner(Random random, int depth) {
        return "a" + pattern(random, depth + 1).replace("**", "b") + "b";
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder();
        int names = 1 + random.nextInt(3);
        for (int i = 0; i < names; i++) {
            String name = "";
            for (int j = 1 + random.nextInt(3); j > 0; j--) {
                name += NAMES[random.nextInt(3) > 0 ? random.nextInt(4) : random.nextInt(NAMES.length)];
            }
            path.append(i > 0 ? "/" : "").append(name.matches("\\.+") ? "a" : name);
        }
        return path.toString();
    }

    private static Glob parsed(String pattern) {
        try {
            return Glob.parse(pattern);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @Test
    void coversWhatTheNaiveMatcherCovers() {
        Random random = new Random(SEED);
        int covered = 0;
        int patterns = 0;
        for (int i = 0; i < 5_000; i++) {
            String pattern = pattern(random, 0);
            Glob glob = parsed(pattern);
            if (glob == null) {
                continue;
            }
            patterns++;
            NaiveGlob naive = NaiveGlob.of(pattern);
            for (int j = 0; j < 20; j++) {
                String path = path(random);
                boolean expected = naive.covers(path);
                covered += expected ? 1 : 0;
                // Each assertion makes objects, and there are 200,000: only what differs is asserted.
                if (glob.covers(path) != expected) {
                    fail("seed %d: '%s' covers '%s': naively %s", SEED, pattern, path, expected);
                }
                if (glob.matches(path) != naive.matches(path)) {
                    fail("seed %d: '%s' matches '%s': naively %s", SEED, pattern, path, naive.matches(path));
                }
            }
        }
        System.out.printf("GlobPropertyTest: seed %d, %d patterns, %d covered%n", SEED, patterns, covered);
        assertThat(patterns).isGreaterThan(2_500);
        assertThat(covered).as("the test tests something").isGreaterThan(250);
    }

    @Test
    void findPrintsWhatIsCovered() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/find")), "no GNU find");
        Random random = new Random(SEED);
        Set<String> paths = new TreeSet<>();
        for (int i = 0; i < 400; i++) {
            make(path(random), paths);
        }
        int printed = 0;
        for (int i = 0; i < 150; i++) {
            String pattern = pattern(random, 0);
            Glob glob = parsed(pattern);
            if (glob == null) {
                continue;
            }
            Set<String> expected =
                    new TreeSet<>(paths.stream().filter(glob::covers).toList());
            assertThat(find(glob.posixRegex()))
                    .as("seed %d: '%s' as '%s'", SEED, pattern, glob.posixRegex())
                    .isEqualTo(expected);
            printed += expected.size();
        }
        assertThat(printed).as("the test tests something").isPositive();
    }

    private void make(String path, Set<String> paths) throws IOException {
        Path file = folder.resolve(path);
        for (Path above = file.getParent(); above.startsWith(folder); above = above.getParent()) {
            if (Files.isRegularFile(above)) {
                return;
            }
        }
        Files.createDirectories(file.getParent());
        if (!Files.exists(file)) {
            Files.createFile(file);
            paths.add(path);
        }
    }

    private Set<String> find(String regex) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        "/usr/bin/find", ".", "-regextype", "posix-extended", "-type", "f", "-regex", regex, "-print0")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("seed %d: %s", SEED, said).isZero();
        Set<String> found = new TreeSet<>();
        for (String path : said.split("\0", -1)) {
            if (!path.isEmpty()) {
                found.add(path.substring(2));
            }
        }
        return found;
    }

    /** Braces by cutting text, names by trying every way; slow and without states. */
    private record NaiveGlob(List<List<String>> ways) {
        static NaiveGlob of(String pattern) {
            return new NaiveGlob(
                    expand(pattern).stream().map(NaiveGlob::parts).distinct().toList());
        }

        boolean covers(String path) {
            if (ways.stream().anyMatch(List::isEmpty)) { // the folder itself
                return true;
            }
            for (String above = path;
                    !above.isEmpty();
                    above = above.substring(0, Math.max(0, above.lastIndexOf('/')))) {
                if (matches(above)) {
                    return true;
                }
            }
            return false;
        }

        boolean matches(String path) {
            List<String> names = List.of(path.split("/", -1));
            return ways.stream().anyMatch(way -> names(way, names));
        }

        private static List<String> parts(String pattern) {
            return Stream.of(pattern.split("/", -1))
                    .filter(part -> !part.isEmpty() && !part.equals("."))
                    .toList();
        }

        private static Set<String> expand(String pattern) {
            int open = special(pattern, "{", 0);
            if (open < 0) {
                return Set.of(pattern);
            }
            List<Integer> cuts = new ArrayList<>(List.of(open));
            int depth = 0;
            int at = open;
            do {
                char c = pattern.charAt(at);
                depth += c == '{' ? 1 : c == '}' ? -1 : 0;
                if ((c == ',' && depth == 1) || depth == 0) {
                    cuts.add(at);
                }
                at = depth == 0 ? at : special(pattern, "{,}", at + 1);
            } while (depth > 0);
            Set<String> all = new HashSet<>();
            for (int i = 1; i < cuts.size(); i++) {
                all.addAll(expand(pattern.substring(0, open)
                        + pattern.substring(cuts.get(i - 1) + 1, cuts.get(i))
                        + pattern.substring(at + 1)));
            }
            return all;
        }

        private static int special(String pattern, String which, int from) {
            for (int i = from; i < pattern.length(); i++) {
                if (pattern.charAt(i) == '\\') {
                    i++;
                } else if (which.indexOf(pattern.charAt(i)) >= 0) {
                    return i;
                }
            }
            return -1;
        }

        private static boolean names(List<String> patterns, List<String> names) {
            if (patterns.isEmpty() || names.isEmpty()) {
                return patterns.isEmpty() && names.isEmpty();
            }
            List<String> morePatterns = patterns.subList(1, patterns.size());
            List<String> moreNames = names.subList(1, names.size());
            if (patterns.getFirst().equals("**")) {
                boolean lastOne = morePatterns.stream().allMatch("**"::equals);
                boolean shown = !names.getFirst().startsWith(".");
                if (lastOne) {
                    return names.stream().noneMatch(name -> name.startsWith("."));
                }
                return names(morePatterns, names) || (shown && names(patterns, moreNames));
            }
            String pattern = patterns.getFirst();
            boolean dotWritten = pattern.startsWith(".") || pattern.startsWith("\\.");
            return (dotWritten || !names.getFirst().startsWith("."))
                    && name(pattern, names.getFirst())
                    && names(morePatterns, moreNames);
        }

        private static boolean name(String pattern, String name) {
            if (pattern.isEmpty()) {
                return name.isEmpty();
            }
            char c = pattern.charAt(0);
            if (c == '*') {
                return name(pattern.substring(1), name) || (!name.isEmpty() && name(pattern, name.substring(1)));
            }
            if (name.isEmpty()) {
                return false;
            }
            if (c == '\\') {
                return pattern.charAt(1) == name.charAt(0) && name(pattern.substring(2), name.substring(1));
            }
            if (c == '[') {
                boolean not = "!^".indexOf(pattern.charAt(1)) >= 0;
                int end = pattern.indexOf(']', not ? 3 : 2);
                String java = pattern.substring(not ? 2 : 1, end)
                        .replace("\\", "\\\\")
                        .replace("[", "\\[")
                        .replace("]", "\\]")
                        .replace("^", "\\^");
                return name.substring(0, 1).matches("[" + (not ? "^" : "") + java + "]")
                        && name(pattern.substring(end + 1), name.substring(1));
            }
            return (c == '?' || c == name.charAt(0)) && name(pattern.substring(1), name.substring(1));
        }
    }
}
