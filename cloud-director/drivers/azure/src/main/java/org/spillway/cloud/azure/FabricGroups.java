package org.spillway.cloud.azure;

import com.azure.core.management.SubResource;
import com.azure.core.util.Context;
import com.azure.resourcemanager.compute.fluent.models.AvailabilitySetInner;
import com.azure.resourcemanager.compute.fluent.models.ProximityPlacementGroupInner;
import com.azure.resourcemanager.compute.models.ProximityPlacementGroupType;
import com.azure.resourcemanager.compute.models.Sku;
import com.azure.resourcemanager.compute.models.SubResourceWithColocationStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/**
 * Groups that hold a gang together. Sizes with InfiniBand need one availability set: single machines on one fabric are
 * had there, and not in a scale set of flexible orchestration (Microsoft's comparison of orchestration modes). All
 * others share a proximity placement group. Both are free of charge and go with the last of their machines.
 */
final class FabricGroups {
    private static final String TAG_ASKED = "spillway-asked";
    private static final Duration EMPTY_FOR = Duration.ofHours(1);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(3);
    private static final System.Logger LOG = System.getLogger(FabricGroups.class.getName());
    private final AzureSettings settings;
    private final Names names;
    private final Arm arm;
    private final Catalogue catalogue;
    private final InstantSource clock;

    FabricGroups(AzureParts parts) {
        this.settings = parts.settings();
        this.names = parts.names();
        this.arm = parts.arm();
        this.catalogue = parts.catalogue();
        this.clock = parts.clock();
    }

    /**
     * @param id empty for none
     * @param asked when this launch asked for it
     */
    record Group(String id, boolean availabilitySet, String name, Instant asked) {
        static final Group NONE = new Group("", false, "", Instant.EPOCH);
    }

    /** A group that exists. @param members names of its machines */
    private record Found(String name, boolean availabilitySet, Instant asked, Set<String> members) {}

    Group ensure(LaunchRequest request) throws CloudException {
        String group = request.placement().fabricGroup();
        // Reserved capacity is had in no group of either kind ("On-demand capacity reservation", limitations).
        if (group.isEmpty() || request.offering().market() == Market.RESERVED) {
            return Group.NONE;
        }
        boolean infiniband = false;
        // No availability set takes a spot machine.
        for (OfferingId offering : request.offerings()) {
            infiniband |= offering.market() != Market.SPOT
                    && catalogue
                            .size(offering.instanceType())
                            .map(size -> size.features().contains(Size.INFINIBAND))
                            .orElse(false);
        }
        String name = names.fabricGroup(group);
        Map<String, String> tags = new HashMap<>(names.tags(request));
        Instant now = clock.instant();
        tags.put(TAG_ASKED, now.toString());
        String id = infiniband ? availabilitySet(name, tags) : proximityGroup(name, tags);
        return new Group(id, infiniband, name, now);
    }

    /** After a launch that made nothing: unless another launch has asked for it since, or something is in it. */
    void removeUnused(Group group) {
        if (!group.name().isEmpty()) {
            remove(Map.of(group.name(), group.asked()));
        }
    }

    private String availabilitySet(String name, Map<String, String> tags) throws CloudException {
        AvailabilitySetInner body = new AvailabilitySetInner()
                .withLocation(settings.location())
                .withTags(tags)
                .withSku(new Sku().withName("Aligned"))
                .withPlatformFaultDomainCount(1)
                .withPlatformUpdateDomainCount(1);
        arm.call(() -> arm.compute()
                        .getAvailabilitySets()
                        .createOrUpdateWithResponse(settings.resourceGroup(), name, body, Context.NONE))
                .orThrow();
        return settings.groupId() + "/providers/Microsoft.Compute/availabilitySets/" + name;
    }

    private String proximityGroup(String name, Map<String, String> tags) throws CloudException {
        ProximityPlacementGroupInner body = new ProximityPlacementGroupInner()
                .withLocation(settings.location())
                .withTags(tags)
                .withProximityPlacementGroupType(ProximityPlacementGroupType.STANDARD);
        arm.call(() -> arm.compute()
                        .getProximityPlacementGroups()
                        .createOrUpdateWithResponse(settings.resourceGroup(), name, body, Context.NONE))
                .orThrow();
        return settings.groupId() + "/providers/Microsoft.Compute/proximityPlacementGroups/" + name;
    }

    /**
     * Looked at before machines are told to end.
     *
     * @return groups that have no others than these, with when they were last asked for; none if nobody can say
     */
    Map<String, Instant> leftEmptyBy(Collection<String> ending) {
        Set<String> gone = new HashSet<>();
        ending.forEach(name -> gone.add(name.toLowerCase(Locale.ROOT)));
        Map<String, Instant> found = new HashMap<>();
        try {
            for (Found group : all()) {
                boolean old = group.asked().plus(EMPTY_FOR).isBefore(clock.instant());
                if (group.members().isEmpty() ? old : gone.containsAll(group.members())) {
                    found.put(group.name(), group.asked());
                }
            }
        } catch (CloudException away) {
            // Machines cost, groups do not: the audit shows what stays.
            LOG.log(System.Logger.Level.WARNING, "fabric groups: {0}", away.getMessage());
        }
        return found;
    }

    /** Removes them once they are empty, if nobody has asked for them since; what stays is found by the next call. */
    void remove(Map<String, Instant> groups) {
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        Duration pause = FIRST_PAUSE;
        try {
            while (!groups.isEmpty() && System.nanoTime() < deadline) {
                boolean waiting = false;
                for (Found group : all()) {
                    if (group.asked().equals(groups.get(group.name()))) {
                        waiting |= !group.members().isEmpty();
                        if (group.members().isEmpty()) {
                            delete(group);
                        }
                    }
                }
                if (!waiting || !Operations.sleep(pause)) {
                    return;
                }
                pause = pause.compareTo(MAX_PAUSE) < 0 ? pause.multipliedBy(2) : MAX_PAUSE;
            }
        } catch (CloudException away) {
            LOG.log(System.Logger.Level.WARNING, "fabric groups: {0}", away.getMessage());
        }
    }

    private List<Found> all() throws CloudException {
        List<Found> all = new ArrayList<>();
        for (ProximityPlacementGroupInner each : arm.pages(
                () -> arm.compute().getProximityPlacementGroups().listByResourceGroup(settings.resourceGroup()))) {
            Set<String> members = new HashSet<>();
            for (SubResourceWithColocationStatus machine : Size.orEmpty(each.virtualMachines())) {
                members.add(Machines.lastOf(machine.id()));
            }
            add(all, each.name(), false, each.tags(), members);
        }
        for (AvailabilitySetInner each :
                arm.pages(() -> arm.compute().getAvailabilitySets().listByResourceGroup(settings.resourceGroup()))) {
            Set<String> members = new HashSet<>();
            for (SubResource machine : Size.orEmpty(each.virtualMachines())) {
                members.add(Machines.lastOf(machine.id()));
            }
            add(all, each.name(), true, each.tags(), members);
        }
        return all;
    }

    private void add(List<Found> all, String name, boolean set, Map<String, String> tags, Set<String> members) {
        if (tags != null && names.isOwn(tags) && names.isOwn(name) && tags.containsKey(Instance.TAG_INTENT)) {
            all.add(new Found(name, set, asked(tags), members));
        }
    }

    private static Instant asked(Map<String, String> tags) {
        try {
            return Instant.parse(tags.getOrDefault(TAG_ASKED, ""));
        } catch (java.time.DateTimeException unreadable) {
            return Instant.EPOCH;
        }
    }

    private void delete(Found group) throws CloudException {
        Answer<Void> answer = arm.call(() -> group.availabilitySet()
                ? arm.compute()
                        .getAvailabilitySets()
                        .deleteWithResponse(settings.resourceGroup(), group.name(), Context.NONE)
                : arm.compute()
                        .getProximityPlacementGroups()
                        .deleteWithResponse(settings.resourceGroup(), group.name(), Context.NONE));
        if (!(answer instanceof Answer.Refused<Void> no && no.isGone())) {
            answer.orThrow();
        }
    }
}
