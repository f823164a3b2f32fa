package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.CapacityReservationState;
import software.amazon.awssdk.services.ec2.model.CapacityReservationType;
import software.amazon.awssdk.services.ec2.model.DescribeCapacityReservationsRequest;
import software.amazon.awssdk.services.ec2.model.InstanceMatchCriteria;

/**
 * Capacity that the account has reserved, and which of it this site may use: what the option {@code reservations} names, or
 * without it what is open to everybody. One with {@code instanceMatchCriteria} targeted "only accepts instances that ...
 * explicitly target" it (API reference, CapacityReservation), and to use a capacity block "you must specify the Capacity
 * Block reservation ID" (EC2 user guide, "Launch instances using Capacity Blocks"): without an id neither can be bought.
 */
final class AwsReservations {
    /** Option: ids in the order in which they are used. */
    static final String OPTION = "reservations";

    static final String ID = "cr-[0-9a-f]{8,17}";
    private static final int PAGE = 1000;
    private final List<String> named;
    private final AwsClients clients;

    AwsReservations(SiteSettings site, AwsClients clients) {
        this.named = named(site);
        this.clients = clients;
    }

    /** @throws SiteSettings.Invalid for what is no id, and for one that is named twice */
    static List<String> named(SiteSettings site) {
        List<String> ids = new ArrayList<>();
        for (String id : site.options().getOrDefault(OPTION, "").split(",", -1)) {
            String one = id.strip();
            if (one.isEmpty() && !site.options().containsKey(OPTION)) {
                continue;
            }
            if (!one.matches(ID) || ids.contains(one)) {
                throw new SiteSettings.Invalid(
                        OPTION, "found '" + one + "'; allowed: cr-..., each once, with commas between");
            }
            ids.add(one);
        }
        return List.copyOf(ids);
    }

    /**
     * A reservation, or a capacity block.
     *
     * @param total instances that it has room for
     * @param available of these, how many are not in use
     * @param block whether it is a capacity block
     * @param open whether instances come into it that do not name it
     */
    record Reservation(String id, String zone, String type, int total, int available, boolean block, boolean open) {
        private static Reservation of(CapacityReservation from) {
            return new Reservation(
                    from.capacityReservationId(),
                    String.valueOf(from.availabilityZone()),
                    String.valueOf(from.instanceType()),
                    from.totalInstanceCount() == null ? 0 : from.totalInstanceCount(),
                    from.availableInstanceCount() == null ? 0 : from.availableInstanceCount(),
                    from.reservationType() == CapacityReservationType.CAPACITY_BLOCK,
                    from.instanceMatchCriteria() == InstanceMatchCriteria.OPEN);
        }

        boolean isOf(String inZone, String ofType) {
            return zone.equals(inZone) && type.equals(ofType);
        }
    }

    /** Whether the site says which. Then what it buys on demand stays out of all of them. */
    boolean areNamed() {
        return !named.isEmpty();
    }

    /**
     * Reservations that there are now. One call for each page.
     *
     * @throws software.amazon.awssdk.core.exception.SdkException also without the right
     */
    Known look() {
        List<Reservation> all = all();
        List<Reservation> usable = all.stream()
                .filter(each -> areNamed() ? named.contains(each.id()) : each.open() && !each.block())
                .sorted(Comparator.comparingInt(each -> named.indexOf(each.id())))
                .toList();
        return new Known(
                usable,
                all.stream().filter(each -> !usable.contains(each)).toList(),
                named.stream()
                        .filter(id ->
                                usable.stream().noneMatch(each -> each.id().equals(id)))
                        .toList());
    }

    /**
     * Active ones.
     *
     * @param usable in the order in which they are used
     * @param others that nothing here may use
     * @param missing ids that are named and not active
     */
    record Known(List<Reservation> usable, List<Reservation> others, List<String> missing) {
        Known {
            usable = List.copyOf(usable);
            others = List.copyOf(others);
            missing = List.copyOf(missing);
        }
    }

    /**
     * How one that a launch names is used.
     *
     * @throws AwsLaunch.NotPossible for what is no id
     */
    AwsLaunchCall.Capacity byId(String id) throws AwsLaunch.NotPossible {
        if (!id.matches(ID)) {
            throw new AwsLaunch.NotPossible("'" + id + "' is no capacity reservation");
        }
        boolean block = clients
                .ec2()
                .describeCapacityReservations(DescribeCapacityReservationsRequest.builder()
                        .capacityReservationIds(id)
                        .build())
                .capacityReservations()
                .stream()
                .anyMatch(each -> each.reservationType() == CapacityReservationType.CAPACITY_BLOCK);
        return AwsLaunchCall.Capacity.of(id, block);
    }

    /** Capacity for a launch that names no reservation. */
    AwsLaunchCall.Capacity unnamed(Market market) {
        return switch (market) {
            case RESERVED -> AwsLaunchCall.Capacity.OPEN;
            case ON_DEMAND -> areNamed() ? AwsLaunchCall.Capacity.NONE : AwsLaunchCall.Capacity.ANY;
            case SPOT -> AwsLaunchCall.Capacity.ANY;
        };
    }

    private List<Reservation> all() {
        DescribeCapacityReservationsRequest request = DescribeCapacityReservationsRequest.builder()
                .filters(AwsTags.filter("state", CapacityReservationState.ACTIVE.toString()))
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                        "DescribeCapacityReservations",
                        token -> clients.ec2()
                                .describeCapacityReservations(
                                        request.toBuilder().nextToken(token).build()),
                        answer -> answer.capacityReservations(),
                        answer -> answer.nextToken())
                .stream()
                .map(Reservation::of)
                .toList();
    }
}
