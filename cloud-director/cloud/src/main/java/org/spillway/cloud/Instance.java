package org.spillway.cloud;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.OfferingId;

/**
 * An instance as a provider lists it.
 *
 * @param id the provider's id, never used again for another
 * @param address where the head reaches it; empty until the provider has given it one
 * @param sshPort 22 in every real cloud
 * @param tags all of them, with intent and attempt among them
 * @param failure why it never came up, when the provider accepted it and then said that it cannot be had (Nova's "No
 *     valid host"): it is as good as refused, and what is left of it is ended; null otherwise
 * @param inside where the site's other instances reach it; {@code address} where there is no other
 * @param host the provider's name of the machine that it is on; empty where that is not told
 */
public record Instance(
        String id,
        OfferingId offering,
        State state,
        String address,
        int sshPort,
        Instant launchedAt,
        Map<String, String> tags,
        LaunchOutcome.@Nullable Refused failure,
        String inside,
        String host) {
    public static final String TAG_CLUSTER = "spillway-cluster";
    public static final String TAG_SITE = "spillway-site";
    public static final String TAG_INTENT = "spillway-intent";
    /** The beginning of the intent of a machine that was launched to look at it. */
    public static final String PROBE_INTENT = "doctor-";

    public static final String TAG_ATTEMPT = "spillway-attempt";
    /** The start of the head that bought it: of which state, in which of its epochs. */
    public static final String TAG_STATE = "spillway-state";

    /** For whom it was bought: a user's name, or the head's. */
    public static final String TAG_OWNER = "spillway-owner";
    /**
     * {@code DIRECTOR}, {@code NODE}, {@code HEAD} for that of a cluster on demand, or {@code NETWORK} for what {@link
     * Network#create} makes.
     */
    public static final String TAG_ROLE = "spillway-role";

    private static final int SSH = 22;
    private static final Set<String> ADMINISTERED = Set.of("DIRECTOR", "HEAD");

    // Written in full: the parameters of a compact one lose their annotations in the class file.
    public Instance(
            String id,
            OfferingId offering,
            State state,
            String address,
            int sshPort,
            Instant launchedAt,
            Map<String, String> tags,
            LaunchOutcome.@Nullable Refused failure,
            String inside,
            String host) {
        this.id = id;
        this.offering = offering;
        this.state = state;
        this.address = address;
        this.sshPort = sshPort;
        this.launchedAt = launchedAt;
        this.tags = Map.copyOf(tags);
        this.failure = failure;
        this.inside = inside;
        this.host = host;
    }

    /** Of no address yet, and not failed. */
    public static Instance of(
            String id, OfferingId offering, State state, Instant launchedAt, Map<String, String> tags) {
        return new Instance(id, offering, state, "", SSH, launchedAt, tags, null, "", "");
    }

    /** The same, reached from everywhere by one address. */
    public Instance at(String everywhere, int port) {
        return new Instance(id, offering, state, everywhere, port, launchedAt, tags, failure, everywhere, host);
    }

    /** The same that never came up. @param why null where it did */
    public Instance failing(LaunchOutcome.@Nullable Refused why) {
        return new Instance(id, offering, state, address, sshPort, launchedAt, tags, why, inside, host);
    }

    /** The same on that machine of its provider. */
    public Instance on(String machine) {
        return new Instance(id, offering, state, address, sshPort, launchedAt, tags, failure, inside, machine);
    }

    /** The intent that it was launched for; empty if it bears no such tag. */
    public String intent() {
        return tags.getOrDefault(TAG_INTENT, "");
    }

    /** Whether our head logs in to what bears these tags, so that it needs a way in from outside. */
    public static boolean isAdministered(Map<String, String> tags) {
        return ADMINISTERED.contains(tags.getOrDefault(TAG_ROLE, ""));
    }

    /** The provider's states, as far as they matter for money and for jobs. */
    public enum State {
        PENDING,
        RUNNING,
        STOPPING,
        STOPPED,
        TERMINATING,
        TERMINATED;

        /** Whether it costs something or can come back. */
        public boolean isLive() {
            return this != TERMINATING && this != TERMINATED;
        }
    }
}
