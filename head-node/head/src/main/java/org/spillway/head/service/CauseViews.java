package org.spillway.head.service;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.api.CauseView;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Codes;

/** Causes as the API shows them. */
final class CauseViews {
    private CauseViews() {}

    static CauseView of(Cause cause) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        Codes.parameters(cause).forEach((name, value) -> parameters.put(name, shown(value)));
        return new CauseView(cause.code(), parameters, cause.text());
    }

    private static Object shown(Object value) {
        return switch (value) {
            case Cause cause -> of(cause);
            case List<?> several -> several.stream().map(CauseViews::shown).toList();
            default -> value;
        };
    }
}
