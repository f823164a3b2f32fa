package org.spillway.proof.endtoend;

import java.util.List;

/**
 * At how many places real processes are killed: at a few of each sort, since the simulation of faults kills between any
 * two effects; at all with {@code -Dspillway.kills=every}.
 */
final class Kills {
    static final boolean EVERY = System.getProperty("spillway.kills", "").equals("every");

    private Kills() {}

    /** @return what {@link CrashingStore} takes: none for every place */
    static List<String> of(String... sample) {
        return EVERY ? List.of() : List.of(sample);
    }
}
