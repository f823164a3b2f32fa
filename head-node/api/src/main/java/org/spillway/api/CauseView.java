package org.spillway.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.spillway.api.form.Describes;

/** Why something is as it is. */
@Describes("why something is as it is; programs ask for the code, the text is for people and may be worded anew")
public record CauseView(
        @Describes("stable, such as POWERED_ON; NONE where nothing needs saying, TOLD for words from outside")
        String code,

        @Describes("by their names; causes among them have the same three fields")
        Map<String, Object> parameters,

        String text) {
    public static final CauseView NONE = new CauseView("NONE", Map.of(), "");

    public CauseView {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }
}
