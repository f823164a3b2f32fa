package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every comment of every module names its subject; a pronoun at its beginning points at nothing that a reader can see. */
final class CommentsTest {
    private static final Set<String> NO_SUBJECT =
            Set.of("It", "Its", "What", "Those", "These", "One", "Such", "They", "Their", "Them", "That");

    /** Literals come first, so that a comment's beginning inside of them is none. */
    private static final Pattern TOKEN = Pattern.compile(
            String.join(
                    "|",
                    "\"{3}(?:[^\"\\\\]++|\\\\.|\"(?!\"\"))*+\"{3}",
                    "\"(?:[^\"\\\\\\n]++|\\\\.)*+\"",
                    "'(?:[^'\\\\\\n]++|\\\\.)*+'",
                    "(?<block>/\\*.*?\\*/)",
                    "(?<line>(?<![^\\n])[ \\t]*//[^\\n]*(?:\\n[ \\t]*//[^\\n]*)*|//[^\\n]*)"),
            Pattern.DOTALL);

    private static final Pattern FIRST_WORD = Pattern.compile("^[\\s/*]*(?:<[a-z]+>\\s*)*([A-Za-z]+)");

    private static List<String> without(String name, String source) {
        List<String> found = new ArrayList<>();
        Matcher token = TOKEN.matcher(source);
        while (token.find()) {
            String comment = token.group("block") != null ? token.group("block") : token.group("line");
            if (comment == null) {
                continue;
            }
            Matcher word = FIRST_WORD.matcher(comment);
            if (word.find() && NO_SUBJECT.contains(word.group(1))) {
                long line = source.substring(0, token.start() + word.start(1))
                        .lines()
                        .count();
                found.add(name + ":" + line + ": "
                        + comment.strip().lines().findFirst().orElse(""));
            }
        }
        return found;
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("CONTRIBUTING.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    @Test
    void everyCommentNamesItsSubject() throws IOException {
        Path root = root();
        List<Path> sources;
        try (Stream<Path> files = Files.walk(root)) {
            sources = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> root.relativize(file).toString().contains("/src/"))
                    .filter(file -> !root.relativize(file).toString().contains("/target/"))
                    .toList();
        }
        List<String> found = new ArrayList<>();
        for (Path file : sources) {
            found.addAll(without(root.relativize(file).toString(), Files.readString(file)));
        }
        assertThat(sources).hasSizeGreaterThan(500);
        assertThat(found).as("comments that name no subject").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "class A {\n    /** What a job needs. */\n    int b;\n}",
                "class A {\n    /**\n     * <p>It waits.\n     */\n    int b;\n}",
                "int a; // One of many.\n",
                "    // Its end comes\n    // later.\n",
                "String s = \"//\"; /* These are gone. */",
            })
    void aCommentWithoutSubjectIsFound(String source) {
        assertThat(without("A", source)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/** The job's needs. It waits for them. */ int a;",
                "String s = \"/** What it is */\"; char c = '\"'; // The end.\n",
                "String s = \"\"\"\n    // It is text. \\\"\"\"\n    \"\"\";",
                "    // The first line,\n    // What else: the second goes on with it.\n",
                "/** Onerous, Italic, Whatever. */",
            })
    void oneWithASubjectIsNot(String source) {
        assertThat(without("A", source)).isEmpty();
    }
}
