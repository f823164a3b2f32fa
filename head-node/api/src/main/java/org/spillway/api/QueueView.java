package org.spillway.api;

import java.util.List;

/**
 * A queue (partition).
 *
 * @param sites in order of preference
 * @param waiting jobs that have not started
 * @param running jobs that run or whose results come home
 */
public record QueueView(
        String name, List<String> sites, boolean isDefault, long maxWalltimeSeconds, int waiting, int running) {
    public QueueView {
        sites = List.copyOf(sites);
    }
}
