package org.spillway.stage.container;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads JSON (RFC 8259) of others: the worker has no library on its class path. Pure. */
final class Json {
    private static final int DEPTH_MOST = 64;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if the text is no object */
    static Map<String, @Nullable Object> object(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blanks();
        if (json.at < text.length() || !(value instanceof Map)) {
            throw new IllegalArgumentException("not one JSON object");
        }
        return map(value);
    }

    /** An empty one where the value is none. */
    @SuppressWarnings("unchecked")
    static Map<String, @Nullable Object> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : Map.of();
    }

    /** The objects of an array; none where the value is none. */
    static List<Map<String, @Nullable Object>> maps(@Nullable Object value) {
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(one -> all.add(map(one)));
        }
        return all;
    }

    /** The texts of an array; none where the value is none. */
    static List<String> texts(@Nullable Object value) {
        List<String> all = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.stream()
                    .filter(String.class::isInstance)
                    .map(String.class::cast)
                    .forEach(all::add);
        }
        return all;
    }

    /** Empty where there is none. */
    static String text(Map<String, @Nullable Object> object, String key) {
        return object.get(key) instanceof String text ? text : "";
    }

    static OptionalLong number(Map<String, @Nullable Object> object, String key) {
        return Optional.ofNullable(object.get(key))
                .filter(Long.class::isInstance)
                .map(value -> OptionalLong.of((Long) value))
                .orElse(OptionalLong.empty());
    }

    private @Nullable Object value() {
        if (++depth > DEPTH_MOST) {
            throw broken();
        }
        blanks();
        Object value = switch (peek()) {
            case '{' -> members();
            case '[' -> elements();
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
        depth--;
        return value;
    }

    private Map<String, @Nullable Object> members() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        at++;
        blanks();
        if (peek() == '}') {
            at++;
            return all;
        }
        while (true) {
            blanks();
            String key = string();
            blanks();
            take(':');
            all.put(key, value());
            blanks();
            if (peek() == '}') {
                at++;
                return all;
            }
            take(',');
        }
    }

    private List<@Nullable Object> elements() {
        List<@Nullable Object> all = new ArrayList<>();
        at++;
        blanks();
        if (peek() == ']') {
            at++;
            return all;
        }
        while (true) {
            all.add(value());
            blanks();
            if (peek() == ']') {
                at++;
                return all;
            }
            take(',');
        }
    }

    private String string() {
        take('"');
        StringBuilder all = new StringBuilder();
        while (peek() != '"') {
            char symbol = text.charAt(at++);
            if (symbol < ' ') {
                throw broken();
            }
            all.append(symbol == '\\' ? escaped() : symbol);
        }
        at++;
        return all.toString();
    }

    private char escaped() {
        char symbol = peek();
        at++;
        return switch (symbol) {
            case '"', '\\', '/' -> symbol;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (at + 4 > text.length() || !text.substring(at, at + 4).matches("[0-9A-Fa-f]{4}")) {
                    throw broken();
                }
                at += 4;
                yield (char) Integer.parseInt(text, at - 4, at, 16);
            }
            default -> throw broken();
        };
    }

    /** Whole ones as Long, others as Double. */
    private Object number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(from, at);
        if (digits.matches("-?(0|[1-9][0-9]{0,17})")) {
            return Long.valueOf(digits);
        }
        if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw broken();
        }
        return Double.valueOf(digits);
    }

    private @Nullable Object word(String word, @Nullable Object meaning) {
        if (!text.startsWith(word, at)) {
            throw broken();
        }
        at += word.length();
        return meaning;
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw broken();
        }
        return text.charAt(at);
    }

    private void take(char symbol) {
        if (peek() != symbol) {
            throw broken();
        }
        at++;
    }

    private IllegalArgumentException broken() {
        return new IllegalArgumentException("no JSON, at character " + at);
    }
}
