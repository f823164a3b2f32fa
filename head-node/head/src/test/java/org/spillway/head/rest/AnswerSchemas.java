package org.spillway.head.rest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** JSON schemas of the answers' records. Every field is always there; what may be null is said by its type. */
final class AnswerSchemas {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String AMOUNT = "a decimal amount in the head's currency";

    private final Map<String, ObjectNode> schemas = new LinkedHashMap<>();

    private AnswerSchemas() {}

    /** By simple name: of these records, and of records and states within them. */
    static Map<String, ObjectNode> of(List<Class<? extends Record>> answers) {
        var all = new AnswerSchemas();
        answers.forEach(all::add);
        return all.schemas;
    }

    private void add(Class<?> type) {
        if (schemas.containsKey(type.getSimpleName())) {
            return;
        }
        var schema = JSON.objectNode();
        schemas.put(type.getSimpleName(), schema);
        if (type.isEnum()) {
            var values = schema.put("type", "string").putArray("enum");
            Arrays.stream(type.getEnumConstants()).forEach(value -> values.add(((Enum<?>) value).name()));
            return;
        }
        schema.put("type", "object");
        describe(schema, type, "");
        var required = schema.putArray("required");
        var properties = schema.putObject("properties");
        for (RecordComponent component : type.getRecordComponents()) {
            required.add(component.getName());
            properties.set(component.getName(), property(component));
        }
    }

    private ObjectNode property(RecordComponent component) {
        var property = schema(component.getGenericType());
        var choices = component.getAnnotation(OneOf.class);
        if (choices != null) {
            var values = property.putArray("enum");
            List.of(choices.value()).forEach(values::add);
        }
        if (component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
            property = nullable(property);
        }
        describe(property, component, component.getType() == Money.class ? AMOUNT : "");
        return property;
    }

    private static ObjectNode nullable(ObjectNode property) {
        var type = property.path("type").asText();
        if (type.isEmpty()) {
            var either = JSON.objectNode();
            either.putArray("anyOf").add(property).addObject().put("type", "null");
            return either;
        }
        property.putArray("type").add(type).add("null");
        return property;
    }

    private ObjectNode schema(Type type) {
        var schema = JSON.objectNode();
        if (type == String.class) {
            schema.put("type", "string");
        } else if (type == int.class || type == Integer.class) {
            schema.put("type", "integer");
        } else if (type == long.class || type == Long.class) {
            schema.put("type", "integer").put("format", "int64");
        } else if (type == boolean.class) {
            schema.put("type", "boolean");
        } else if (type == Instant.class) {
            schema.put("type", "string").put("format", "date-time");
        } else if (type == Money.class) {
            schema.put("type", "string").put("pattern", "^-?\\d+\\.\\d{2,6}$");
        } else if (type instanceof ParameterizedType many && many.getRawType() == List.class) {
            schema.put("type", "array").set("items", schema(many.getActualTypeArguments()[0]));
        } else if (type instanceof ParameterizedType many && many.getRawType() == Map.class) {
            schema.put("type", "object").put("additionalProperties", true);
        } else if (type instanceof Class<?> part && (part.isRecord() || part.isEnum())) {
            add(part);
            schema.put("$ref", "#/components/schemas/" + part.getSimpleName());
        } else {
            throw new IllegalArgumentException("no schema is known for " + type);
        }
        return schema;
    }

    private static void describe(ObjectNode schema, AnnotatedElement said, String usual) {
        var words = said.getAnnotation(Describes.class);
        var text = words == null ? usual : usual.isEmpty() ? words.value() : words.value() + "; " + usual;
        if (!text.isEmpty()) {
            schema.put("description", text);
        }
    }
}
