package org.spillway.policy;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A policy's settings record as text: its components are the keys. What may stand there is told by {@link Setting}. */
public final class SettingTexts {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private SettingTexts() {}

    /**
     * A key of a settings record.
     *
     * @param allowed what may be written, such as "a whole number"
     * @param standard its default, as it would be written
     * @param effect the text of {@link Setting}; empty where there is none
     */
    public record Described(String key, String allowed, String standard, String effect) {}

    /** All keys, in the record's order. */
    public static List<Described> describe(Record defaults) {
        List<Described> all = new ArrayList<>();
        for (RecordComponent component : defaults.getClass().getRecordComponents()) {
            Setting setting = component.getAnnotation(Setting.class);
            all.add(new Described(
                    component.getName(),
                    allowed(component.getType()),
                    write(get(component, defaults)),
                    setting == null ? "" : setting.value()));
        }
        return List.copyOf(all);
    }

    /**
     * The defaults with these values in their place.
     *
     * @throws IllegalArgumentException that names the key, what was found and what is allowed
     */
    public static <S extends Record> S with(S defaults, Map<String, String> values) {
        RecordComponent[] components = defaults.getClass().getRecordComponents();
        Map<String, String> unknown = new LinkedHashMap<>(values);
        @Nullable Object[] all = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            String text = unknown.remove(components[i].getName());
            try {
                all[i] = text == null ? get(components[i], defaults) : parse(components[i].getType(), text);
            } catch (IllegalArgumentException refused) {
                throw new IllegalArgumentException(
                        components[i].getName() + ": found '" + text + "'; " + refused.getMessage(), refused);
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unknown setting " + String.join(", ", unknown.keySet()) + "; allowed: "
                    + Arrays.stream(components).map(RecordComponent::getName).collect(Collectors.joining(", ")));
        }
        return make(defaults, all);
    }

    /**
     * A record of the same class with these components.
     *
     * @throws IllegalArgumentException with the message of its constructor, when that refuses them
     */
    @SuppressWarnings("unchecked") // The class is that of the argument.
    public static <S extends Record> S make(S like, @Nullable Object[] values) {
        try {
            Class<?>[] types = Arrays.stream(like.getClass().getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<? extends Record> constructor = like.getClass().getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return (S) constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            if (refused.getCause() instanceof RuntimeException reason) {
                throw new IllegalArgumentException(reason.getMessage(), reason);
            }
            throw new IllegalStateException("settings " + like.getClass() + " cannot be made", refused);
        } catch (ReflectiveOperationException unmakeable) {
            throw new IllegalStateException("settings " + like.getClass() + " cannot be made", unmakeable);
        }
    }

    public static Object get(RecordComponent component, Record settings) {
        try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(settings);
        } catch (ReflectiveOperationException unreadable) {
            throw new IllegalStateException("settings " + settings.getClass() + " cannot be read", unreadable);
        }
    }

    /** @throws IllegalArgumentException with {@code allowed: ...} */
    public static Object parse(Class<?> type, String text) {
        try {
            if (type == Duration.class) {
                return duration(text);
            } else if (type == int.class) {
                return Integer.valueOf(text);
            } else if (type == long.class) {
                return Long.valueOf(text);
            } else if (type == Money.class) {
                return Money.parse(text);
            } else if (type == String.class) {
                return text;
            } else if (type == boolean.class && (text.equals("true") || text.equals("false"))) {
                return Boolean.valueOf(text);
            } else if (type.isEnum()) {
                return constant(type, text);
            }
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("allowed: " + allowed(type), malformed);
        }
        throw new IllegalArgumentException("allowed: " + allowed(type));
    }

    private static Duration duration(String text) {
        var match = DURATION.matcher(text);
        if (!match.matches()) {
            throw new IllegalArgumentException(text);
        }
        long number = Long.parseLong(match.group(1));
        return switch (match.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    private static Object constant(Class<?> type, String text) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> write(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(text));
    }

    /** As it would be written in the file. */
    public static String write(Object value) {
        if (value instanceof Duration time) {
            long millis = time.toMillis();
            return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
        }
        return value instanceof Enum<?> one
                ? one.name().toLowerCase(Locale.ROOT).replace('_', '-')
                : value.toString();
    }

    /** Values that may be written for a component of this type, in words. */
    public static String allowed(Class<?> type) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(SettingTexts::write)
                    .collect(Collectors.joining(", "));
        }
        return switch (type.getSimpleName()) {
            case "Duration" -> "a length of time such as 60s";
            case "int", "long" -> "a whole number";
            case "Money" -> "an amount such as 0.50";
            case "boolean" -> "true, false";
            case "String" -> "a text";
            default -> "only its default; " + type.getSimpleName() + " cannot be written in the file";
        };
    }
}
