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
        int running,

        @Describes("in which machines for its jobs may be bought: on-demand, reserved, spot")
        List<String> markets) {
    public QueueView {
        sites = List.copyOf(sites);
        markets = markets == null ? List.of() : List.copyOf(markets);
    }
}
