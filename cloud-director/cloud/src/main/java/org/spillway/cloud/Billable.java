package org.spillway.cloud;

import java.util.Map;
import org.spillway.policy.Money;

/**
 * Something on the bill, or that keeps something on the bill alive.
 *
 * @param kind instance, disk, snapshot, image, interface, address, group, key, gateway, bucket, network, ...
 * @param id the provider's, enough to delete it
 * @param pricePerHour zero where the provider charges nothing for it as such
 * @param tags its own
 * @param instance id of the instance that it belongs to and goes with; empty for none
 * @param evidence how it is known to be this cluster's
 */
public record Billable(
        String kind, String id, Money pricePerHour, Map<String, String> tags, String instance, Evidence evidence) {
    /** A kind that its driver does not know: shown since it bears our mark, and left to who made it. */
    public static final String OTHER = "other";

    public Billable {
        tags = Map.copyOf(tags);
    }

    /** Of a thing that bears the cluster's tag and belongs to no instance. */
    public static Billable tagged(String kind, String id, Money pricePerHour, Map<String, String> tags) {
        return new Billable(kind, id, pricePerHour, tags, "", Evidence.TAG);
    }

    /** How sure it is whose it is. */
    public enum Evidence {
        /** The thing bears the cluster's tag. */
        TAG,
        /** The thing bears a name that only this cluster gives. */
        NAME,
        /** The thing cannot be tagged and is in the account: shown, and deleted only when named one by one. */
        ACCOUNT
    }
}
