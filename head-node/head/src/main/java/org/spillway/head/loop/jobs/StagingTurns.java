package org.spillway.head.loop.jobs;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds the copies under way: a user has two workers for them, which serve one copy at a time each, and a director's SSH
 * server a few channels. What would only wait for them must not hold them, nor fill the table of effects. Loop thread only.
 */
public final class StagingTurns {
    private static final int MOST_OF_A_USER = 2;
    private static final int MOST_OF_A_SITE = 4;

    private record Turn(int uid, String site) {}

    private final Map<String, Turn> underWay = new HashMap<>();

    public static String stageInKey(String job, String site) {
        return "stage-in:" + job + "@" + site;
    }

    public boolean mayBegin(int uid, String site) {
        int ofUser = 0;
        int ofSite = 0;
        for (Turn turn : underWay.values()) {
            ofUser += turn.uid == uid ? 1 : 0;
            ofSite += turn.site.equals(site) ? 1 : 0;
        }
        return ofUser < MOST_OF_A_USER && ofSite < MOST_OF_A_SITE;
    }

    public void begun(String key, int uid, String site) {
        underWay.put(key, new Turn(uid, site));
    }

    public void ended(String key) {
        underWay.remove(key);
    }
}
