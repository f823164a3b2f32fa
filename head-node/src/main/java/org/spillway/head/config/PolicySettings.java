package org.spillway.head.config;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;

/**
 * Fills a policy's settings record from the file: its components are the keys, its defaults the defaults, and what its
 * constructor refuses is shown at the key that it refuses.
 */
final class PolicySettings {
    private PolicySettings() {}

    static Record read(Section section, Record defaults) {
        var components = defaults.getClass().getRecordComponents();
        var values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = get(components[i], defaults);
        }
        var alone = values.clone();
        boolean good = true;
        for (int i = 0; i < components.length; i++) {
            var text = text(section, components[i]);
            if (text == null) {
                good &= !section.has(components[i].getName());
                continue;
            }
            try {
                values[i] = parse(components[i], text);
                var one = alone.clone();
                one[i] = values[i];
                make(defaults, one);
            } catch (IllegalArgumentException refused) {
                section.mistake(components[i].getName(), "found '" + text + "'; " + refused.getMessage());
                good = false;
            }
        }
        section.noMore();
        return good ? together(section, defaults, values) : defaults;
    }

    /** A text may be written as a list or a mapping. */
    private static @Nullable String text(Section section, RecordComponent component) {
        var key = component.getName();
        boolean flat = component.getType() == String.class && section.has(key);
        return flat ? section.flat(key, allowed(component)) : section.scalar(key, allowed(component));
    }

    /** Each value is allowed with the others at their defaults; together they may still contradict. */
    private static Record together(Section section, Record defaults, @Nullable Object[] values) {
        try {
            return make(defaults, values);
        } catch (IllegalArgumentException refused) {
            var first = section.keys().stream().findFirst();
            section.mistake(first.orElse(""), "together with the other settings: " + refused.getMessage());
            return defaults;
        }
    }

    private static Object parse(RecordComponent component, String text) {
        var type = component.getType();
        try {
            if (type == Duration.class) {
                return Quantities.duration(text);
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
            throw new IllegalArgumentException("allowed: " + allowed(component), malformed);
        }
        throw new IllegalArgumentException("allowed: " + allowed(component));
    }

    private static Object constant(Class<?> type, String text) {
        for (var constant : type.getEnumConstants()) {
            if (written(constant).equals(text)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(text);
    }

    private static String written(Object constant) {
        return constant.toString().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String allowed(RecordComponent component) {
        var type = component.getType();
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(PolicySettings::written)
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

    private static Object get(RecordComponent component, Record settings) {
        try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(settings);
        } catch (ReflectiveOperationException unreadable) {
            throw new IllegalStateException("settings " + settings.getClass() + " cannot be read", unreadable);
        }
    }

    private static Record make(Record like, @Nullable Object[] values) {
        try {
            Class<?>[] types = Arrays.stream(like.getClass().getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<? extends Record> constructor = like.getClass().getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            if (refused.getCause() instanceof RuntimeException reason) {
                throw new IllegalArgumentException(reason.getMessage(), reason);
            }
            throw new IllegalStateException("settings " + like.getClass() + " cannot be made", refused);
        } catch (ReflectiveOperationException unmakeable) {
            throw new IllegalStateException("settings " + like.getClass() + " cannot be made", unmakeable);
        }
    }
}
