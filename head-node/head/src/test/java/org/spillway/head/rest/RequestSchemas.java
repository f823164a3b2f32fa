package org.spillway.head.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.api.form.Bounds;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Keys;
import org.spillway.api.form.Matches;
import org.spillway.api.form.OneOf;
import org.spillway.api.form.Usual;
import org.spillway.policy.Money;

/** JSON schemas of the requests' records, from what they say of their fields. */
final class RequestSchemas {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Map<String, ObjectNode> schemas = new TreeMap<>();

    private RequestSchemas() {}

    /** By simple name: of these records, and of those within them. */
    static Map<String, ObjectNode> of(List<Class<? extends Record>> requests) {
        var all = new RequestSchemas();
        requests.forEach(all::add);
        return all.schemas;
    }

    private void add(Class<?> type) {
        var schema = JSON.objectNode().put("type", "object");
        var required = JSON.arrayNode();
        var properties = JSON.objectNode();
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.getAnnotation(Usual.class) == null) {
                required.add(component.getName());
            }
            properties.set(component.getName(), property(component));
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        schema.put("additionalProperties", false);
        schema.set("properties", properties);
        schemas.put(type.getSimpleName(), schema);
    }

    private ObjectNode property(RecordComponent rules) {
        ObjectNode property = JSON.objectNode();
        Class<?> type = rules.getType();
        Holds most = rules.getAnnotation(Holds.class);
        if (type == List.class) {
            property.put("type", "array").set("items", element(argument(rules, 0), rules));
            property.put("maxItems", most.most());
        } else if (type == Map.class) {
            property.put("type", "object").put("maxProperties", most.most());
            property.putObject("propertyNames")
                    .put("pattern", whole(rules.getAnnotation(Keys.class).value()));
            property.set("additionalProperties", element(argument(rules, 1), rules));
        } else {
            property.setAll(element(type, rules));
            if (most != null) {
                property.put("maxLength", most.bytes());
            }
        }
        usual(property, rules);
        Describes words = rules.getAnnotation(Describes.class);
        if (words != null) {
            property.put("description", words.value());
        }
        return property;
    }

    private ObjectNode element(Type type, RecordComponent rules) {
        ObjectNode element = JSON.objectNode();
        if (type == String.class) {
            text(element.put("type", "string"), rules);
        } else if (type == int.class || type == Integer.class || type == long.class) {
            Bounds bounds = rules.getAnnotation(Bounds.class);
            element.put("type", "integer");
            if (type == long.class) {
                element.put("format", "int64");
            }
            element.put("minimum", bounds.min()).put("maximum", bounds.max());
        } else if (type == boolean.class) {
            element.put("type", "boolean");
        } else if (type == Money.class) {
            element.put("type", "string");
        } else {
            Class<?> record = (Class<?>) type;
            add(record);
            element.put("$ref", "#/components/schemas/" + record.getSimpleName());
        }
        return element;
    }

    private static void text(ObjectNode element, RecordComponent rules) {
        OneOf choices = rules.getAnnotation(OneOf.class);
        Matches pattern = rules.getAnnotation(Matches.class);
        if (choices != null) {
            ArrayNode values = element.putArray("enum");
            List.of(choices.value()).forEach(values::add);
        } else if (pattern != null) {
            boolean mayBeEmpty = rules.getType() == String.class && rules.getAnnotation(Usual.class) != null;
            element.put("pattern", whole(mayBeEmpty ? "(" + pattern.value() + ")?" : pattern.value()));
        }
    }

    private static String whole(String pattern) {
        return "^" + (pattern.contains("|") ? "(?:" + pattern + ")" : pattern) + "$";
    }

    private static void usual(ObjectNode property, RecordComponent rules) {
        Usual usual = rules.getAnnotation(Usual.class);
        if (usual == null || usual.value().isEmpty()) {
            return;
        }
        Class<?> type = rules.getType();
        if (type == int.class || type == long.class) {
            property.put("default", Long.parseLong(usual.value()));
        } else if (type == boolean.class) {
            property.put("default", Boolean.parseBoolean(usual.value()));
        } else {
            property.put("default", usual.value());
        }
    }

    private static Type argument(RecordComponent rules, int index) {
        return ((ParameterizedType) rules.getGenericType()).getActualTypeArguments()[index];
    }
}
