package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Describes;

/** A queue (partition). */
public record QueueView(
        String name,

        @Describes("in order of preference") List<String> sites,

        boolean isDefault,

        long maxWalltimeSeconds,

        @Describes("jobs that have not started") int waiting,

        @Describes("jobs that run or whose results come home")
        int running) {
    public QueueView {
        sites = List.copyOf(sites);
    }
}
