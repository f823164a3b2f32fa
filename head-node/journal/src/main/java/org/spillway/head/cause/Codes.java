package org.spillway.head.cause;

import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All causes by their codes, and the parameters of each by their names. */
public final class Codes {
    private static final Map<String, Form> ALL = new TreeMap<>();

    static {
        add(Cause.class);
    }

    private Codes() {}

    /** How causes of a code are made. */
    public sealed interface Form {
        record Constant(Cause cause) implements Form {}

        record Typed(Class<? extends Cause> type) implements Form {}
    }

    private static void add(Class<?> type) {
        if (type.isInterface()) {
            for (Class<?> below : type.getPermittedSubclasses()) {
                add(below);
            }
        } else if (type.isEnum()) {
            for (Object constant : type.getEnumConstants()) {
                Cause cause = (Cause) constant;
                put(cause.code(), new Form.Constant(cause));
            }
        } else {
            put(Cause.codeOf(type), new Form.Typed(type.asSubclass(Cause.class)));
        }
    }

    private static void put(String code, Form form) {
        if (ALL.put(code, form) != null) {
            throw new IllegalStateException("two causes have the code " + code);
        }
    }

    /** By code, in its order. */
    public static Map<String, Form> all() {
        return Collections.unmodifiableMap(ALL);
    }

    public static Optional<Form> of(String code) {
        return Optional.ofNullable(ALL.get(code));
    }

    /** In the order in which they are declared; none for a constant. */
    public static Map<String, Object> parameters(Cause cause) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        if (cause.getClass().isRecord()) {
            for (RecordComponent component : cause.getClass().getRecordComponents()) {
                try {
                    parameters.put(component.getName(), component.getAccessor().invoke(cause));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(cause.code() + " does not tell its parameters", e);
                }
            }
        }
        return parameters;
    }
}
