package org.spillway.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.spillway.api.ApiException.Code;
import org.spillway.api.form.Bounds;
import org.spillway.api.form.Checked;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Keys;
import org.spillway.api.form.Matches;
import org.spillway.api.form.OneOf;
import org.spillway.api.form.Usual;
import org.spillway.policy.Money;

/**
 * Reads a request into its record, strictly: what the record's annotations do not allow is refused, and so is a field
 * that it does not have. A field without {@link Usual} must be there.
 */
public final class RequestReader {
    /** Of a text whose record says nothing else. */
    private static final int LONGEST_BYTES = 4096;

    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return Shape.of(type);
        }
    };

    /** By what annotations say. */
    private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();

    private RequestReader() {}

    /** @throws ApiException BAD_REQUEST or TOO_LARGE, naming the field */
    public static <R extends Record> R read(byte[] bytes, Class<R> type) {
        JsonNode body;
        try {
            body = Json.tree(bytes);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
        if (!body.isObject()) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not a JSON object", "send one JSON object");
        }
        return type.cast(record(body, "", type));
    }

    /** As {@link #read}, of what has been parsed already. */
    static <R extends Record> R part(JsonNode object, Class<R> type) {
        return type.cast(record(object, "", type));
    }

    /** @param found what the message says after the field's name */
    public static ApiException refuse(String field, String found, String allowed) {
        return new ApiException(Code.BAD_REQUEST, field + ": " + found, "allowed: " + allowed);
    }

    private static Record record(JsonNode object, String prefix, Class<?> type) {
        Shape shape = SHAPES.get(type);
        if (!object.isObject()) {
            throw refuse(prefix + "*", "found " + brief(object), "an object");
        }
        for (var entry : object.properties()) {
            if (!shape.names().contains(entry.getKey())) {
                throw refuse(prefix + entry.getKey(), "unknown field", String.join(", ", shape.names()));
            }
        }
        Object[] values = shape.components().stream()
                .map(component -> value(object.path(component.getName()), prefix + component.getName(), component))
                .toArray();
        Record made = shape.make(values);
        if (made instanceof Checked checked) {
            checked.check(prefix);
        }
        return made;
    }

    private static Object value(JsonNode found, String field, RecordComponent rules) {
        Class<?> type = rules.getType();
        Usual usual = rules.getAnnotation(Usual.class);
        boolean absent = found.isMissingNode() || found.isNull();
        boolean empty = found.isTextual() && found.textValue().isEmpty() && type == String.class;
        if (usual != null && (absent || empty)) {
            return usual(usual.value(), type);
        }
        if (type == String.class) {
            return text(found, field, rules);
        } else if (type == int.class) {
            return (int) number(found, field, rules);
        } else if (type == long.class) {
            return number(found, field, rules);
        } else if (type == boolean.class) {
            return flag(found, field);
        } else if (type == Money.class) {
            return money(found, field, usual != null);
        } else if (type == List.class) {
            return list(found, field, rules);
        } else if (type == Map.class) {
            return map(found, field, rules);
        }
        return record(found, field + ".", type);
    }

    private static Object usual(String text, Class<?> type) {
        if (type == String.class) {
            return text;
        } else if (type == int.class) {
            return Integer.parseInt(text);
        } else if (type == long.class) {
            return Long.parseLong(text);
        } else if (type == boolean.class) {
            return Boolean.parseBoolean(text);
        } else if (type == Money.class) {
            return Money.parse(text);
        } else if (type == List.class) {
            return List.of();
        } else if (type == Map.class) {
            return Map.of();
        }
        return SHAPES.get(type).usual();
    }

    private static boolean flag(JsonNode found, String field) {
        if (!found.isBoolean()) {
            throw refuse(field, "found " + brief(found), "true, false");
        }
        return found.booleanValue();
    }

    private static long number(JsonNode found, String field, RecordComponent rules) {
        Bounds bounds = rules.getAnnotation(Bounds.class);
        if (!found.isIntegralNumber()
                || !found.canConvertToLong()
                || found.longValue() < bounds.min()
                || found.longValue() > bounds.max()) {
            throw refuse(field, "found " + brief(found), "a whole number from " + bounds.min() + " to " + bounds.max());
        }
        return found.longValue();
    }

    /** An amount that may be left out may be nothing, too. */
    private static Money money(JsonNode found, String field, boolean mayBeNothing) {
        Money money;
        try {
            money = Money.parse(found.asText(""));
        } catch (RuntimeException malformed) {
            throw refuse(field, "found " + brief(found), "an amount such as 50 or 2.50");
        }
        if (Money.ZERO.isMoreThan(money) || (!mayBeNothing && !money.isMoreThan(Money.ZERO))) {
            throw refuse(field, "found " + brief(found), "more than 0");
        }
        return money;
    }

    private static String text(JsonNode found, String field, RecordComponent rules) {
        OneOf choices = rules.getAnnotation(OneOf.class);
        Matches pattern = rules.getAnnotation(Matches.class);
        String allowed = "a text without NUL";
        if (choices != null) {
            allowed = Stream.of(choices.value()).filter(one -> !one.isEmpty()).collect(Collectors.joining(", "));
        } else if (pattern != null) {
            allowed = pattern.allowed();
        }
        if (!found.isTextual()) {
            throw refuse(field, found.isMissingNode() ? "missing or empty" : "found " + brief(found), allowed);
        }
        String text = found.textValue();
        if (text.indexOf(0) >= 0) {
            throw refuse(field, "found a NUL character", "a text without NUL");
        }
        checkBytes(text, field, rules);
        if ((choices != null && !List.of(choices.value()).contains(text))
                || (pattern != null && !matches(pattern.value(), text))) {
            throw refuse(field, "found " + brief(found), allowed);
        }
        return text;
    }

    /** A thousand submissions of one request are a thousand times the same expressions. */
    private static boolean matches(String expression, String text) {
        return PATTERNS.computeIfAbsent(expression, Pattern::compile)
                .matcher(text)
                .matches();
    }

    private static void checkBytes(String text, String field, RecordComponent rules) {
        Holds most = rules.getType() == String.class ? rules.getAnnotation(Holds.class) : null;
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (most == null && bytes > LONGEST_BYTES) {
            throw refuse(
                    field,
                    "found a text of more than " + LONGEST_BYTES + " bytes",
                    "at most " + LONGEST_BYTES + " bytes");
        }
        if (most != null && bytes > most.bytes()) {
            throw new ApiException(
                    Code.TOO_LARGE,
                    field + ": larger than " + most.bytes() / (1024 * 1024) + " MiB",
                    "put large data into an input file (--in)");
        }
    }

    private static List<Object> list(JsonNode found, String field, RecordComponent rules) {
        int most = rules.getAnnotation(Holds.class).most();
        if (!found.isArray() || found.size() > most) {
            throw refuse(field, "found " + brief(found), "a list of at most " + most);
        }
        Class<?> kind = (Class<?>) arguments(rules)[0];
        List<Object> items = new ArrayList<>();
        for (JsonNode item : found) {
            items.add(kind == String.class ? text(item, field, rules) : record(item, field + ".", kind));
        }
        checkTotal(items, field, rules);
        return items;
    }

    private static Map<String, Object> map(JsonNode found, String field, RecordComponent rules) {
        int most = rules.getAnnotation(Holds.class).most();
        if (!found.isObject() || found.size() > most) {
            throw refuse(field, "found " + brief(found), "an object of at most " + most);
        }
        Keys keys = rules.getAnnotation(Keys.class);
        boolean texts = arguments(rules)[1] == String.class;
        Map<String, Object> entries = new LinkedHashMap<>();
        for (var entry : found.properties()) {
            String key = entry.getKey();
            if (!matches(keys.value(), key)) {
                throw refuse(field, "found the name '" + printable(key) + "'", keys.allowed());
            }
            String place = field + "." + key;
            entries.put(
                    key,
                    texts
                            ? text(entry.getValue(), place, rules)
                            : (Object) (int) number(entry.getValue(), place, rules));
        }
        checkTotal(entries.values(), field, rules);
        return entries;
    }

    private static void checkTotal(Iterable<Object> texts, String field, RecordComponent rules) {
        long bytes = 0;
        for (Object text : texts) {
            bytes += text instanceof String one ? one.getBytes(StandardCharsets.UTF_8).length : 0;
        }
        int most = rules.getAnnotation(Holds.class).bytes();
        if (bytes > most) {
            throw refuse(field, "found " + bytes + " bytes in all", "at most " + most);
        }
    }

    private static Type[] arguments(RecordComponent rules) {
        return ((ParameterizedType) rules.getGenericType()).getActualTypeArguments();
    }

    private static String brief(JsonNode value) {
        if (value.isMissingNode()) {
            return "nothing";
        }
        String text = value.isTextual() ? "'" + printable(value.textValue()) + "'" : value.toString();
        return text.length() <= 80 ? text : text.substring(0, 80) + "...";
    }

    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** How a record is made. */
    private record Shape(Constructor<?> constructor, List<RecordComponent> components, Set<String> names) {
        static Shape of(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types =
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            try {
                Constructor<?> constructor = type.getDeclaredConstructor(types);
                constructor.setAccessible(true);
                Set<String> names = new LinkedHashSet<>();
                Stream.of(components).forEach(component -> names.add(component.getName()));
                return new Shape(constructor, List.of(components), names);
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        Record usual() {
            return make(components.stream()
                    .map(component -> RequestReader.usual(
                            component.getAnnotation(Usual.class).value(), component.getType()))
                    .toArray());
        }

        Record make(Object[] values) {
            try {
                return (Record) constructor.newInstance(values);
            } catch (InvocationTargetException refused) {
                throw refused.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(refused);
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
