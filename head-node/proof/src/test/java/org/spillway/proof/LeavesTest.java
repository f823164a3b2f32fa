package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A leaf ({@code MODULE/tests}) runs what its module has compiled, on a path of its own. A test-jar that the module names and
 * the leaf does not is a {@link NoClassDefFoundError} of a whole run alone: a test that is run by name runs in the module.
 */
final class LeavesTest {
    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
    private static final Pattern PART = Pattern.compile("<(artifactId|type|scope)>([^<]+)<");
    private static final Pattern NOT_OURS =
            Pattern.compile("<(build|dependencyManagement|profiles)>.*?</\\1>", Pattern.DOTALL);

    private static List<Path> leaves() throws IOException {
        try (Stream<Path> files = Files.find(HouseSources.root(), 5, (path, file) -> path.endsWith("tests/pom.xml"))) {
            return files.sorted().toList();
        }
    }

    private static Set<String> forTests(Path pom) throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher each =
                DEPENDENCY.matcher(NOT_OURS.matcher(Files.readString(pom)).replaceAll(""));
        while (each.find()) {
            String parts = PART.matcher(each.group(1))
                    .results()
                    .map(part -> part.group(2))
                    .toList()
                    .toString();
            if (parts.endsWith(", test]")) {
                named.add(parts);
            }
        }
        return named;
    }

    @Test
    void aLeafNamesWhatTheTestsOfItsModuleAreCompiledAgainst() throws IOException {
        assertThat(leaves()).hasSizeGreaterThan(10);
        for (Path leaf : leaves()) {
            Path module = leaf.getParent().getParent().resolve("pom.xml");
            assertThat(forTests(leaf)).as("%s", leaf).containsAll(forTests(module));
        }
        Path proof = HouseSources.root().resolve("head-node/proof/pom.xml");
        assertThat(forTests(proof)).contains("[spillway-data-stager, test-jar, test]");
    }
}
