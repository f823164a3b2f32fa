package org.spillway.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why something is as it is.
 *
 * @param code stable, such as {@code POWERED_ON}; {@code NONE} where nothing needs saying, {@code TOLD} for words from
 *     outside
 * @param parameters by their names; causes among them have the same three fields
 * @param text for a person; programs ask for the code
 */
public record CauseView(String code, Map<String, Object> parameters, String text) {
    public static final CauseView NONE = new CauseView("NONE", Map.of(), "");

    public CauseView {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }
}
