package org.spillway.cloud;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.spillway.policy.Offering;

/**
 * The calls that every provider has. All may block for as long as the network does; a caller gives each its own
 * virtual thread. No call retries by itself: retry and rate limits are decorators.
 */
public interface Compute {
    /**
     * Offerings that can be bought now, with prices. @throws CloudException if the provider did not give the whole list
     */
    List<Offering> offerings() throws CloudException;

    /**
     * Asks for instances. Idempotent by {@link LaunchRequest#token()}: the same request again gives the instances of
     * the first, also when its answer was lost, for as long as the provider remembers tokens. A provider without
     * tokens may make a twin, which the sweeper ends.
     *
     * <p>Never throws for what a provider answers. It answers {@code Refused} only when the provider said that nothing
     * exists; a time-out, a broken connection after sending, or an answer that cannot be read is {@code Unknown}.
     */
    LaunchAnswer launch(LaunchRequest request);

    /**
     * Ends instances and all that was launched with them. Gone or never seen is success. Returns when the provider has
     * accepted; {@link #list()} tells when they are gone.
     *
     * @throws CloudException if one of them may still be running; the call may be repeated
     */
    void terminate(Collection<String> instanceIds) throws CloudException;

    /**
     * All instances of this cluster and site, stopped and ending ones too, by every page. New instances may be missing
     * for {@link #consistencyWindow()}. One listing proves no end: {@code fleet.FleetDiff} says what does.
     *
     * @throws CloudException if the listing failed, is partial or stale: absence must be proven by a whole listing
     */
    List<Instance> list() throws CloudException;

    /** Asking by id; empty where the provider's API cannot, so that only listings apart in time prove an end. */
    Optional<Lookup> lookup();

    /** How long after a launch call an instance may be missing from {@link #list()} although it exists. */
    Duration consistencyWindow();
}
