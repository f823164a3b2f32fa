package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A workload manager is a tenant: its name stands in its own module. No file elsewhere has it, neither
 * Java nor a shell program of nodes and heads. The list of those that may is empty; an entry that nobody needs is a mistake, too.
 */
final class SlurmIsATenantTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern NAME = Pattern.compile("\\w*slurm\\w*", Pattern.CASE_INSENSITIVE);

    /** Empty, and to stay so. */
    private static final Map<String, String> NAMED_BESIDES = Map.of();

    @Test
    void noFileOutsideOfItsModuleNamesSlurm() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (Path file : sources()) {
            sources.merge(name(file), Files.readString(file), String::concat);
        }
        assertThat(mistakes(sources, NAMED_BESIDES)).isEmpty();
    }

    @Test
    void itBites() {
        Map<String, String> may = Map.of("head/Old", "a reason");
        assertThat(mistakes(Map.of("head/Old", "// of Slurm"), may)).isEmpty();
        assertThat(mistakes(Map.of("head/Old", "String slurm;", "head/New", "if (manager.equals(\"slurm\")) {"), may))
                .containsExactly("head/New names slurm");
        assertThat(mistakes(Map.of("head/Old", "new SlurmGrant(ofSlurmd)", "head/New", "/** As SLURM_JOB_ID. */"), may))
                .containsExactly("head/New names SLURM_JOB_ID");
        assertThat(mistakes(Map.of("head/Old", "a manager of any make"), may))
                .containsExactly("head/Old may name it and does not any more: take it off the list");
        assertThat(mistakes(Map.of(), may)).hasSize(1);
    }

    /** @param sources by name; @param may names of those that may, with why */
    private static List<String> mistakes(Map<String, String> sources, Map<String, String> may) {
        List<String> mistakes = new ArrayList<>();
        var idle = new TreeSet<>(may.keySet());
        new TreeMap<>(sources).forEach((name, source) -> {
            String text = name + " " + source;
            var word = NAME.matcher(text);
            // A quick look first: hardly any file has it.
            if (text.toLowerCase(Locale.ROOT).contains("slurm") && word.find() && !idle.remove(name)) {
                mistakes.add(name + " names " + word.group());
            }
        });
        idle.forEach(name -> mistakes.add(name + " may name it and does not any more: take it off the list"));
        return mistakes;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.walk(ROOT)) {
            List<Path> sources = all.filter(SlurmIsATenantTest::isSource)
                    .filter(file -> !file.startsWith(ROOT.resolve("head-node/slurm")))
                    .filter(file -> !file.startsWith(ROOT.resolve("head-node/proof")))
                    .toList();
            assertThat(sources).as("of all other modules").hasSizeGreaterThan(500);
            return sources;
        }
    }

    /** Java, and the shell programs that nodes and heads run. */
    private static boolean isSource(Path file) {
        String path = file.toString();
        return (path.contains("/src/main/java/") && path.endsWith(".java"))
                || (path.contains("/src/main/resources/org/spillway/") && path.endsWith(".sh"));
    }

    /** Below {@code org/spillway}; that of a class without its ending. */
    private static String name(Path file) {
        String path = file.toString();
        return path.substring(path.indexOf("/org/spillway/") + "/org/spillway/".length())
                .replaceAll("\\.java$", "");
    }
}
