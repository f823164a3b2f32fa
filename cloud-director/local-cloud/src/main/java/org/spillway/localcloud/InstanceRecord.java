package org.spillway.localcloud;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.spillway.cloud.Instance;
import org.spillway.policy.Market;

/**
 * The record of an instance, as it stands in {@code instance.json}.
 *
 * @param bootAt when it is up; {@link #NEVER} if it stays pending
 * @param dieSeconds how long after its boot it ends by itself; below 0 for never
 * @param visibleAt from when on listings show it
 * @param endedAt when it was terminated; {@link #NEVER} before
 * @param initPid the process that stands for its power: when it is gone, so is the instance; 0 for none
 * @param reason of its last change of state
 * @param failure why it will be said, when it should be up, that it cannot be had: a reason's name; empty for never
 */
public record InstanceRecord(
        String id,
        String zone,
        String type,
        Market market,
        Instance.State state,
        String address,
        int sshPort,
        Instant launchedAt,
        Instant bootAt,
        Map<String, String> tags,
        boolean process,
        boolean userDataDone,
        double dieSeconds,
        Instant visibleAt,
        Instant endedAt,
        long initPid,
        String reason,
        String failure,
        Ending ending) {
    public static final Instant NEVER = Instant.parse("9999-01-01T00:00:00Z");

    private static final int HOSTS = 256;

    public InstanceRecord {
        tags = Map.copyOf(tags);
        // Absent in what earlier releases have written down.
        failure = failure == null ? "" : failure;
        ending = ending == null ? Ending.NONE : ending;
    }

    /** Why it was last stopped or ended, for programs. */
    public enum Ending {
        NONE,
        REQUESTED,
        POWERED_OFF,
        DIED,
        NOT_BOOTED
    }

    /** The pretended machine below it, one of {@link #HOSTS} of its zone. */
    public String host() {
        return zone + "-h" + Math.floorMod(id.hashCode(), HOSTS);
    }

    InstanceRecord with(Instance.State newState, String why) {
        return with(newState, why, ending);
    }

    InstanceRecord with(Instance.State newState, String why, Ending ended) {
        return copy(newState, why, ended, tags, dieSeconds);
    }

    /** To be taken back by then. */
    InstanceRecord endingAt(Instant at) {
        double seconds = Duration.between(bootAt, at).toMillis() / 1000.0;
        return copy(state, reason, ending, tags, Math.max(0, seconds));
    }

    InstanceRecord tagged(Map<String, String> newTags) {
        return copy(state, reason, ending, newTags, dieSeconds);
    }

    private InstanceRecord copy(
            Instance.State newState, String why, Ending ended, Map<String, String> newTags, double newDieSeconds) {
        return new InstanceRecord(
                id,
                zone,
                type,
                market,
                newState,
                address,
                sshPort,
                launchedAt,
                bootAt,
                newTags,
                process,
                userDataDone,
                newDieSeconds,
                visibleAt,
                endedAt,
                initPid,
                why,
                failure,
                ended);
    }

    InstanceRecord booting(Instant at) {
        return copy(at, userDataDone, endedAt, 0).with(Instance.State.PENDING, "start");
    }

    InstanceRecord running(long newInitPid) {
        return copy(bootAt, true, endedAt, newInitPid).with(Instance.State.RUNNING, "booted");
    }

    public boolean isLive() {
        return state.isLive();
    }

    /** The record as a listing would show it that says it has ended. */
    public InstanceRecord saidToHaveEnded() {
        return with(Instance.State.TERMINATED, reason);
    }

    InstanceRecord ended(Instant at) {
        return copy(bootAt, userDataDone, at, 0).with(Instance.State.TERMINATED, reason);
    }

    /** A process-less instance boots by the clock alone, without being written again. */
    public Instance.State stateAt(Instant now) {
        boolean booted = !process && failure.isEmpty() && state == Instance.State.PENDING && !now.isBefore(bootAt);
        return booted ? Instance.State.RUNNING : state;
    }

    /** Accepted, and then it could not be had: what is left of it only waits to be ended. */
    public boolean hasFailed() {
        return !failure.isEmpty() && state == Instance.State.STOPPED;
    }

    public boolean occupiesCapacity() {
        return state.isLive() && state != Instance.State.STOPPED;
    }

    private InstanceRecord copy(Instant newBootAt, boolean done, Instant newEndedAt, long newInitPid) {
        return new InstanceRecord(
                id,
                zone,
                type,
                market,
                state,
                address,
                sshPort,
                launchedAt,
                newBootAt,
                tags,
                process,
                done,
                dieSeconds,
                visibleAt,
                newEndedAt,
                newInitPid,
                reason,
                failure,
                ending);
    }
}
