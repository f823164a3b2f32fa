package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.services.ec2.model.CapacityReservationPreference;
import software.amazon.awssdk.services.ec2.model.CapacityReservationSpecificationResponse;
import software.amazon.awssdk.services.ec2.model.DescribeInstancesRequest;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.InstanceLifecycleType;

/** This site's instances, and what EC2's fields mean. */
final class AwsListing {
    private static final int PAGE = 1000;
    /** EC2's limit of values in one filter. */
    private static final int FILTER_VALUES = 200;

    private final SiteSettings site;
    private final AwsSettings settings;
    private final AwsClients clients;
    private final AwsTags tags;

    AwsListing(SiteSettings site, AwsSettings settings, AwsClients clients, AwsTags tags) {
        this.site = site;
        this.settings = settings;
        this.clients = clients;
        this.tags = tags;
    }

    /** All of them, each once. */
    List<software.amazon.awssdk.services.ec2.model.Instance> all() {
        return describe(tags.filters());
    }

    /** Which of these ids bear this site's tags. */
    List<software.amazon.awssdk.services.ec2.model.Instance> own(Collection<String> ids) {
        List<software.amazon.awssdk.services.ec2.model.Instance> found = new ArrayList<>();
        List<String> wanted = ids.stream().distinct().toList();
        for (int from = 0; from < wanted.size(); from += FILTER_VALUES) {
            List<Filter> filters = new ArrayList<>(tags.filters());
            filters.add(Filter.builder()
                    .name("instance-id")
                    .values(wanted.subList(from, Math.min(wanted.size(), from + FILTER_VALUES)))
                    .build());
            found.addAll(describe(filters));
        }
        return found;
    }

    /** By their ids, whatever tags they bear. EC2 fails the whole call when it does not know one of them. */
    List<software.amazon.awssdk.services.ec2.model.Instance> named(Collection<String> ids) {
        // With ids no number of results may be given, and all come in one page.
        return describe(DescribeInstancesRequest.builder().instanceIds(ids).build());
    }

    List<software.amazon.awssdk.services.ec2.model.Instance> describe(List<Filter> filters) {
        return describe(DescribeInstancesRequest.builder()
                .filters(filters)
                .maxResults(PAGE)
                .build());
    }

    /**
     * All pages. EC2's token stands for the rest of the listing and not for a number of instances passed over ("Pagination"
     * in the EC2 API reference), so that one which ends between two pages moves no other across their edge.
     */
    private List<software.amazon.awssdk.services.ec2.model.Instance> describe(DescribeInstancesRequest request) {
        Map<String, software.amazon.awssdk.services.ec2.model.Instance> byId = new LinkedHashMap<>();
        AwsPages.all(
                        "DescribeInstances",
                        token -> clients.ec2()
                                .describeInstances(
                                        request.toBuilder().nextToken(token).build()),
                        answer -> answer.reservations(),
                        answer -> answer.nextToken())
                .forEach(reservation -> reservation.instances().forEach(each -> byId.put(each.instanceId(), each)));
        return List.copyOf(byId.values());
    }

    /** @throws IllegalArgumentException if a field is missing or is none that EC2 documents */
    Instance instance(software.amazon.awssdk.services.ec2.model.Instance each) {
        if (each.instanceId() == null
                || each.placement() == null
                || each.placement().availabilityZone() == null
                || each.launchTime() == null
                || each.state() == null) {
            throw new IllegalArgumentException("instance " + each.instanceId() + " lacks zone, time or state");
        }
        Instance.State state = state(each);
        return new Instance(
                each.instanceId(),
                new OfferingId(
                        site.site(), each.placement().availabilityZone(), each.instanceTypeAsString(), market(each)),
                state,
                address(each),
                settings.sshPort(),
                each.launchTime(),
                AwsTags.map(each.tags()),
                state.isLive() ? null : failure(each),
                each.privateIpAddress() == null ? address(each) : each.privateIpAddress(),
                // Of a dedicated host; of no other is it told.
                each.placement().hostId() == null ? "" : each.placement().hostId());
    }

    private static Instance.State state(software.amazon.awssdk.services.ec2.model.Instance each) {
        return switch (each.state().name()) {
            case PENDING -> Instance.State.PENDING;
            case RUNNING -> Instance.State.RUNNING;
            case STOPPING -> Instance.State.STOPPING;
            case STOPPED -> Instance.State.STOPPED;
            case SHUTTING_DOWN -> Instance.State.TERMINATING;
            case TERMINATED -> Instance.State.TERMINATED;
            case UNKNOWN_TO_SDK_VERSION ->
                throw new IllegalArgumentException("state of " + each.instanceId() + " is '"
                        + AwsErrors.printable(each.state().nameAsString()) + "'");
        };
    }

    private static String address(software.amazon.awssdk.services.ec2.model.Instance each) {
        String open = each.publicIpAddress();
        String inside = each.privateIpAddress();
        return open != null && !open.isEmpty() ? open : inside == null ? "" : inside;
    }

    private static Market market(software.amazon.awssdk.services.ec2.model.Instance each) {
        if (each.instanceLifecycle() == InstanceLifecycleType.SPOT) {
            return Market.SPOT;
        }
        CapacityReservationSpecificationResponse asked = each.capacityReservationSpecification();
        boolean reserved = each.instanceLifecycle() == InstanceLifecycleType.CAPACITY_BLOCK
                || (asked != null
                        && (asked.capacityReservationTarget() != null
                                || asked.capacityReservationPreference()
                                        == CapacityReservationPreference.CAPACITY_RESERVATIONS_ONLY));
        return reserved ? Market.RESERVED : Market.ON_DEMAND;
    }

    /** EC2's reason for an instance that went from pending to terminated by itself. */
    private static LaunchOutcome.@Nullable Refused failure(software.amazon.awssdk.services.ec2.model.Instance each) {
        String code = each.stateReason() == null || each.stateReason().code() == null
                ? ""
                : each.stateReason().code();
        Reason reason = switch (code) {
            case "Server.InsufficientInstanceCapacity", "Server.InternalError" -> Reason.CAPACITY;
            case "Client.VolumeLimitExceeded" -> Reason.QUOTA;
            case "Client.InternalError", "Client.InvalidSnapshot.NotFound" -> Reason.INVALID;
            default -> null;
        };
        return reason == null
                ? null
                : new LaunchOutcome.Refused(
                        reason,
                        code + ": "
                                + AwsErrors.printable(
                                        String.valueOf(each.stateReason().message())));
    }

    static Set<String> ids(Collection<software.amazon.awssdk.services.ec2.model.Instance> instances) {
        Set<String> ids = new HashSet<>();
        instances.forEach(each -> ids.add(each.instanceId()));
        return ids;
    }
}
