package org.spillway.head.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The REST reference for readers, as Markdown, from the OpenAPI document and nothing else. */
final class RestReference {
    private static final List<String> BOUNDS =
            List.of("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems");

    private final JsonNode document;
    private final StringBuilder text = new StringBuilder();

    private RestReference(JsonNode document) {
        this.document = document;
    }

    static String of(JsonNode document) {
        return new RestReference(document).written();
    }

    private String written() {
        text.append(
                        "# REST\n\nMade from `openapi.json` by `RestReference`; a change by hand is lost, and a test finds it. ")
                .append("The same document is served by `GET /api/v1/openapi.json`.\n\n")
                .append(document.path("info").path("description").asText())
                .append("\n\nAll paths begin with `")
                .append(document.path("servers").path(0).path("url").asText())
                .append("`. From a shell: `curl --unix-socket SOCKET http://localhost/api/v1/jobs`.\n")
                .append("A field in **bold** is required in a request, and always there in an answer.\n");
        text.append("\n## Requests\n\n| request | |\n|---|---|\n");
        each((path, method, request) -> text.append("| [`")
                .append(title(path, method))
                .append("`](#")
                .append(anchor(title(path, method)))
                .append(") | ")
                .append(cell(request.path("summary").asText()))
                .append(" |\n"));
        each(this::request);
        text.append("\n## Types\n");
        document.path("components").path("schemas").properties().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(type -> type(type.getKey(), type.getValue()));
        return text.toString();
    }

    private interface Visitor {
        void visit(String path, String method, JsonNode request);
    }

    private void each(Visitor visitor) {
        for (var path : document.path("paths").properties()) {
            for (var request : path.getValue().properties()) {
                visitor.visit(path.getKey(), request.getKey().toUpperCase(Locale.ROOT), request.getValue());
            }
        }
    }

    private static String title(String path, String method) {
        return method + " " + path;
    }

    /** The name that GitHub gives a heading. */
    private static String anchor(String title) {
        return title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 _-]", "").replace(' ', '-');
    }

    private void request(String path, String method, JsonNode request) {
        text.append("\n### `").append(title(path, method)).append("`\n\n");
        text.append(sentence(request.path("summary").asText()));
        if (request.has("description")) {
            text.append(' ').append(sentence(request.path("description").asText()));
        }
        text.append("\n");
        if (!request.path("parameters").isEmpty()) {
            text.append("\n| parameter | in | |\n|---|---|---|\n");
            for (JsonNode parameter : request.path("parameters")) {
                text.append("| ")
                        .append(name(
                                parameter.path("name").asText(),
                                parameter.path("required").asBoolean()))
                        .append(" | ")
                        .append(parameter.path("in").asText())
                        .append(" | ")
                        .append(described(
                                parameter.path("schema"),
                                parameter.path("description").asText()))
                        .append(" |\n");
            }
        }
        content("Body", request.path("requestBody"));
        for (var answer : request.path("responses").properties()) {
            content("Answer " + answer.getKey(), answer.getValue());
        }
    }

    private void content(String what, JsonNode body) {
        for (var one : body.path("content").properties()) {
            JsonNode schema = one.getValue().path("schema");
            boolean plain = schema.path("properties").isEmpty();
            text.append("\n").append(what);
            if (!one.getKey().equals("application/json")) {
                text.append(" (`").append(one.getKey()).append("`)");
            }
            text.append(": ")
                    .append(plain ? described(schema, "") : "an object")
                    .append(
                            body.has("description")
                                    ? "; " + cell(body.path("description").asText())
                                    : "")
                    .append("\n");
            if (!plain) {
                fields(schema);
            }
        }
    }

    private void type(String name, JsonNode schema) {
        text.append("\n### ").append(name).append("\n");
        if (schema.path("properties").isEmpty()) {
            text.append("\n").append(described(schema, "")).append("\n");
            return;
        }
        if (schema.has("description")) {
            text.append("\n")
                    .append(sentence(schema.path("description").asText()))
                    .append("\n");
        }
        fields(schema);
    }

    private void fields(JsonNode schema) {
        var required = new TreeSet<String>();
        schema.path("required").forEach(field -> required.add(field.asText()));
        text.append("\n| field | |\n|---|---|\n");
        rows("", schema, required);
    }

    /** Fields of an object within an object stand in the same table, behind its name. */
    private void rows(String before, JsonNode schema, Set<String> required) {
        for (var field : schema.path("properties").properties()) {
            String name = before + field.getKey();
            JsonNode value = field.getValue();
            text.append("| ")
                    .append(name(name, required.contains(name)))
                    .append(" | ")
                    .append(described(value, ""))
                    .append(" |\n");
            var inner = new TreeSet<String>();
            value.path("required").forEach(one -> inner.add(name + "." + one.asText()));
            rows(name + ".", value, inner);
        }
    }

    private static String name(String name, boolean required) {
        return required ? "**`" + name + "`**" : "`" + name + "`";
    }

    private String described(JsonNode schema, String more) {
        List<String> parts = new ArrayList<>();
        parts.add(kind(schema));
        for (String bound : BOUNDS) {
            if (schema.has(bound)) {
                parts.add(bound + " " + schema.path(bound).asText());
            }
        }
        if (schema.has("pattern")) {
            parts.add("`" + cell(schema.path("pattern").asText()) + "`");
        }
        if (schema.has("default")) {
            parts.add("default `" + schema.path("default").asText() + "`");
        }
        String description = schema.path("description").asText();
        String said = String.join("; ", more.isEmpty() ? List.of(description) : List.of(more, description));
        return String.join(", ", parts) + (said.isBlank() ? "" : ": " + cell(said));
    }

    private String kind(JsonNode schema) {
        if (schema.has("$ref")) {
            String ref = schema.path("$ref").asText();
            String name = ref.substring(ref.lastIndexOf('/') + 1);
            return "[" + name + "](#" + anchor(name) + ")";
        }
        for (String choice : List.of("oneOf", "anyOf", "allOf")) {
            if (schema.has(choice)) {
                return all(schema.path(choice)).map(this::kind).collect(Collectors.joining(" or "));
            }
        }
        if (schema.has("enum")) {
            return all(schema.path("enum")).map(one -> "`" + one.asText() + "`").collect(Collectors.joining(", "));
        }
        String type = schema.path("type").isArray()
                ? all(schema.path("type")).map(JsonNode::asText).collect(Collectors.joining(" or "))
                : schema.path("type").asText("any value");
        if (type.contains("array")) {
            return "list of " + kind(schema.path("items"));
        }
        if (schema.path("additionalProperties").isObject()) {
            return "object of " + kind(schema.path("additionalProperties")) + " by name";
        }
        return type + (schema.has("format") ? " (" + schema.path("format").asText() + ")" : "");
    }

    private static Stream<JsonNode> all(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static String sentence(String text) {
        return text.isEmpty() || text.endsWith(".") ? text : text + ".";
    }

    /** Text that does not end its cell of a table. */
    private static String cell(String text) {
        return text.replace("|", "\\|").replace("\n", " ");
    }
}
