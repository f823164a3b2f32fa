package org.spillway.settings.planted;

import org.spillway.api.Json;

/** A planted violation. */
public interface Talker {
    Json known();
}
