package org.spillway.head.workload.slurm;

import java.util.Locale;
import java.util.Map;

/** What a job's pending reason means for the scaler. */
public enum PendingReason {
    /** More nodes would help. */
    SCALES,
    /** More nodes would help only if none of the partition's is there or coming: otherwise the job waits for its turn. */
    SCALES_WITHOUT_NODES,
    /** The job waits for its data; it scales as far as the rest of the data takes no longer than a boot. */
    STAGING,
    /** No node would help: the user, a limit or the clock is asked. Unknown reasons are here too, as nodes cost money. */
    NEVER;

    /** Reasons by Slurm's word in lower case; a reason that is not here but begins with one of {@link #PREFIXES} is that. */
    private static final Map<String, PendingReason> TABLE = Map.ofEntries(
            Map.entry("resources", SCALES),
            Map.entry("nodedown", SCALES),
            Map.entry("none", SCALES),
            // An empty partition has this reason, and so has one whose limits the job breaks.
            Map.entry("partitionconfig", SCALES_WITHOUT_NODES),
            Map.entry("partitionnodelimit", NEVER),
            Map.entry("priority", SCALES_WITHOUT_NODES),
            Map.entry("frontenddown", NEVER),
            Map.entry("burstbufferresources", STAGING),
            Map.entry("burstbufferstagein", STAGING),
            Map.entry("burstbufferoperation", NEVER),
            Map.entry("licenses", NEVER),
            Map.entry("dependency", NEVER),
            Map.entry("dependencyneversatisfied", NEVER),
            Map.entry("begintime", NEVER),
            Map.entry("reservation", NEVER),
            Map.entry("reservationdeleted", NEVER),
            Map.entry("jobheldadmin", NEVER),
            Map.entry("jobhelduser", NEVER),
            Map.entry("jobarraytasklimit", NEVER),
            Map.entry("partitiondown", NEVER),
            Map.entry("partitioninactive", NEVER),
            Map.entry("partitiontimelimit", NEVER),
            Map.entry("badconstraints", NEVER),
            Map.entry("cleaning", NEVER),
            Map.entry("prolog", NEVER),
            Map.entry("timelimit", NEVER),
            Map.entry("launchfailedrequeuedheld", NEVER),
            Map.entry("deadline", NEVER),
            Map.entry("invalidaccount", NEVER),
            Map.entry("invalidqos", NEVER));

    private static final Map<String, PendingReason> PREFIXES = Map.of(
            // "Reserved for maintenance" and "May be reserved for other job": a powered-down node is in Spillway's
            // reservation.
            "reqnodenotavail", SCALES,
            "nodes required for job are down", SCALES_WITHOUT_NODES,
            "required node not available", SCALES_WITHOUT_NODES,
            "burst_buffer/", NEVER,
            "assoc", NEVER,
            "qos", NEVER,
            "max", NEVER);

    /** @param reason as squeue says it; anything else a user or a plugin wrote there is {@link #NEVER} */
    public static PendingReason of(String reason) {
        String word = reason.strip().toLowerCase(Locale.ROOT);
        PendingReason known = TABLE.get(word);
        if (known != null) {
            return known;
        }
        return PREFIXES.entrySet().stream()
                .filter(entry -> word.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(NEVER);
    }
}
