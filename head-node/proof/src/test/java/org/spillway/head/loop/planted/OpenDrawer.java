package org.spillway.head.loop.planted;

import java.util.HashMap;
import java.util.Map;
import org.spillway.head.loop.state.Context;

/** A room that gets everything, and whose memory anybody may write. */
public final class OpenDrawer {
    public final Map<String, String> notes = new HashMap<>();

    public String cluster(Context context) {
        return context.toString();
    }
}
