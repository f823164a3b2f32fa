package org.spillway.cloud.fleet;

import java.util.List;

/** The durable record of intents. Every method returns after the record is on disk, or throws and nothing changed. */
public interface IntentLog {
    void record(Intent intent);

    /** All intents of a site that are PLANNED or CALLED, oldest first. */
    List<Intent> open(String site);
}
