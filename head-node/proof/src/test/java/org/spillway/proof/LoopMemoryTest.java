package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** No room of the loop hands out a collection of its memory: others get copies, views or answers. */
final class LoopMemoryTest {
    private static final Pattern MEMORY = Pattern.compile(
            "private (?:final |volatile )*(?:Map|Set|List|Queue|Deque|Collection|NavigableMap|SortedMap)<[^;={(]*> (\\w+)"
                    + " = new ");

    /** Names of fields that are returned as they are. */
    private static Set<String> handedOut(String text) {
        String code = HouseSources.code(text);
        Set<String> found = new TreeSet<>();
        for (Matcher memory = MEMORY.matcher(code); memory.find(); ) {
            if (Pattern.compile("return (?:this\\.)?" + memory.group(1) + ";")
                    .matcher(code)
                    .find()) {
                found.add(memory.group(1));
            }
        }
        return found;
    }

    @Test
    void noRoomHandsItsMemoryOut() throws IOException {
        for (Map.Entry<Path, String> source : HouseSources.of("main").entrySet()) {
            if (source.getValue().contains("package org.spillway.head.loop")) {
                assertThat(handedOut(source.getValue()))
                        .as(source.getKey().getFileName().toString())
                        .isEmpty();
            }
        }
    }

    @Test
    void aMemoryThatIsHandedOutIsSeen() {
        String given =
                "class A { private final Map<String, Set<String>> all = new HashMap<>(); Object a() { return all; } }";
        assertThat(handedOut(given)).containsExactly("all");
        assertThat(handedOut(given.replace("return all;", "return Map.copyOf(all);")))
                .isEmpty();
    }
}
