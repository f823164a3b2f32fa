package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.spillway.api.Json;

/** {@code docs/rest.md} is made from the OpenAPI document; written anew by {@code -Dgolden.update=true}. */
final class RestReferenceTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(#([^)]*)\\)");

    private static JsonNode document() throws IOException {
        try (var in = RestReferenceTest.class.getResourceAsStream("/openapi.json")) {
            return Json.tree(in.readAllBytes());
        }
    }

    /** The module may lie one or two folders below the clone. */
    private static Path page() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/config.md"))) {
            folder = folder.getParent();
        }
        return folder.resolve("docs/rest.md");
    }

    @Test
    void thePageIsWhatTheDocumentSays() throws IOException {
        String made = RestReference.of(document());
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(page(), made);
        }
        assertThat(page()).hasContent(made);
    }

    @Test
    void everyLinkOfThePageLeadsToOneOfItsHeadings() throws IOException {
        String made = RestReference.of(document());
        var headings = made.lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-'))
                .toList();
        assertThat(headings).doesNotHaveDuplicates();
        assertThat(LINK.matcher(made).results().map(link -> link.group(1)).toList())
                .isNotEmpty()
                .isSubsetOf(headings);
    }

    @Test
    void boundsDefaultsAndAlternativesAreSaid() throws IOException {
        String made = RestReference.of(Json.tree("""
                {"paths": {"/a": {"post": {"summary": "Do it", "requestBody": {"content": {"application/json": {"schema":
                  {"type": "object", "required": ["n"], "properties": {
                    "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2, "description": "a|b"},
                    "k": {"enum": ["x", "y"]}, "m": {"type": "object", "additionalProperties": {"type": "string"}},
                    "i": {"type": "object", "required": ["z"], "properties": {"z": {"type": ["string", "null"]}}}}}}}}}}},
                 "components": {"schemas": {}}}
                """.getBytes(StandardCharsets.UTF_8)));
        assertThat(made)
                .contains("| **`n`** | integer, minimum 1, maximum 9, default `2`: a\\|b |")
                .contains("| `k` | `x`, `y` |")
                .contains("| `m` | object of string by name |")
                .contains("| **`i.z`** | string or null |");
    }
}
