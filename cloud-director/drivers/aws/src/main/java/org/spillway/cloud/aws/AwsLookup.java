package org.spillway.cloud.aws;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Instances by their ids. EC2 fails the whole call for ids that it does not know, and names them: these are denied, and
 * the others are asked for again. Whatever tags an instance bears, it is there.
 */
final class AwsLookup implements Lookup {
    /** "The specified instance does not exist", in "Error codes for the Amazon EC2 API". */
    static final String DENIED = "InvalidInstanceID.NotFound";

    private final AwsListing listing;

    AwsLookup(AwsListing listing) {
        this.listing = listing;
    }

    @Override
    public Map<String, Look> look(Collection<String> instanceIds) throws CloudException {
        Map<String, Look> all = new LinkedHashMap<>();
        Set<String> left = new LinkedHashSet<>();
        for (String id : instanceIds) {
            all.put(id, new Look.Unsure("EC2 did not say"));
            if (AwsCompute.ID.matcher(id).matches()) {
                left.add(id);
            }
        }
        // Each refusal takes at least one id out.
        while (!left.isEmpty()) {
            try {
                for (var each : listing.named(left)) {
                    all.replace(each.instanceId(), found(each));
                }
                break;
            } catch (SdkException failed) {
                Set<String> named = AwsCompute.named(failed);
                if (!AwsErrors.code(failed).equals(DENIED) || !left.removeAll(named)) {
                    throw AwsErrors.ofCall("DescribeInstances", failed);
                }
                named.forEach(id -> all.replace(id, new Look.Denied(DENIED)));
            }
        }
        return all;
    }

    private Look found(software.amazon.awssdk.services.ec2.model.Instance each) {
        try {
            return new Look.Found(listing.instance(each));
        } catch (IllegalArgumentException unreadable) {
            return new Look.Unsure("the answer cannot be read: " + unreadable.getMessage());
        }
    }
}
