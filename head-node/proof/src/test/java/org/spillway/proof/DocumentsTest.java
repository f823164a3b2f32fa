package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents lead where they say, and quote messages that there are. */
final class DocumentsTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern MESSAGE = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Path ROOT = root();

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("CONTRIBUTING.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static List<Path> files(Path below, Predicate<String> wanted) throws IOException {
        try (Stream<Path> files = Files.walk(below)) {
            return files.filter(file -> wanted.test(ROOT.relativize(file).toString()))
                    .filter(Files::isRegularFile)
                    .toList();
        }
    }

    private static List<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>(files(ROOT.resolve("docs"), name -> name.endsWith(".md")));
        all.addAll(files(ROOT.resolve("labs"), name -> name.endsWith(".md")));
        List.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
                .forEach(name -> all.add(ROOT.resolve(name)));
        return all;
    }

    /** The names that GitHub gives the headings of a page. */
    private static List<String> anchors(Path page) throws IOException {
        return Files.readString(page)
                .replaceAll("(?sm)^ *```.*?^ *```$", "")
                .lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "")
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}0-9 _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    private static boolean leads(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target =
                parts[0].isEmpty() ? page : page.getParent().resolve(parts[0]).normalize();
        return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
    }

    @Test
    void everyLinkLeadsToAFileAndToAHeadingOfIt() throws IOException {
        List<String> lost = new ArrayList<>();
        int links = 0;
        for (Path page : documents()) {
            Matcher link = LINK.matcher(Files.readString(page).replaceAll("(?sm)^ *```.*?^ *```$|`[^`\\n]*`", ""));
            while (link.find()) {
                if (!link.group(1).matches("[a-z]+:.*")) {
                    links++;
                    if (!leads(page, link.group(1))) {
                        lost.add(ROOT.relativize(page) + ": " + link.group(1));
                    }
                }
            }
        }
        assertThat(links).isGreaterThan(300);
        assertThat(lost).isEmpty();
        assertThat(leads(ROOT.resolve("README.md"), "docs/config.md#no-such-heading"))
                .isFalse();
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        assertThat(files(ROOT.resolve("docs"), name -> name.matches("docs/(drivers/)?[a-z-]+\\.md")))
                .hasSizeGreaterThan(20)
                .map(page -> ROOT.resolve("docs").relativize(page).toString())
                .allSatisfy(page -> assertThat(index).contains("](" + page + ")"));
    }

    @Test
    void aDecisionHasANumberOfItsOwnAndIsInTheIndex() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        List<Path> decisions = files(ROOT.resolve("docs/adr"), name -> name.endsWith(".md"));
        assertThat(decisions)
                .hasSizeGreaterThan(40)
                .map(page -> page.getFileName().toString().substring(0, 4))
                .doesNotHaveDuplicates();
        assertThat(decisions).allSatisfy(page -> {
            int number = Integer.parseInt(page.getFileName().toString().substring(0, 4));
            assertThat(Files.readString(page)).startsWith("# " + number + ". ");
            assertThat(index).contains("| [" + number + "](adr/" + page.getFileName() + ")");
        });
    }

    @Test
    void aChangeStandsInOneVersionOfTheChangelog() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("CHANGELOG.md")).stream().filter(line -> line.startsWith("- ")))
                .doesNotHaveDuplicates();
    }

    @Test
    void theReadmeIsShort() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(170);
    }

    /** Text of the programs as users see it: joined over line ends, with {@code …} for what a logger fills in. */
    private static String printed() throws IOException {
        StringBuilder all = new StringBuilder(Files.readString(ROOT.resolve("spillway")));
        for (Path file : files(ROOT, name -> name.contains("/src/main/") && name.matches(".*\\.(java|sh|lua|pl|py)"))) {
            all.append('\n').append(Files.readString(file));
        }
        return JOINED.matcher(all).replaceAll("").replace("'\\''", "'").replace("{}", "…");
    }

    @Test
    void everyMessageOfTheTroubleshootingPageIsPrintedSomewhere() throws IOException {
        String printed = printed();
        List<String> unknown = new ArrayList<>();
        Matcher message = MESSAGE.matcher(Files.readString(ROOT.resolve("docs/troubleshooting.md")));
        int messages = 0;
        while (message.find()) {
            messages++;
            for (String part : message.group(1).split("…", -1)) {
                if (!printed.contains(part.strip())) {
                    unknown.add(message.group(1) + ": nothing prints '" + part.strip() + "'");
                }
            }
        }
        assertThat(messages).isGreaterThan(50);
        assertThat(unknown).isEmpty();
        assertThat(printed).doesNotContain("a message that nothing" + " prints");
    }
}
