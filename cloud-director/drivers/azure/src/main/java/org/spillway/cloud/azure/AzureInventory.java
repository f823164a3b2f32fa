package org.spillway.cloud.azure;

import com.azure.resourcemanager.resources.fluent.models.GenericResourceExpandedInner;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Money;

/**
 * Everything of the resource group that bears our tags, or a name that only we give. All types that we can make, or that
 * a person makes of ours, take tags; nothing has to be guessed from the account.
 */
final class AzureInventory implements Inventory {
    private final AzureParts parts;
    private final AzureSettings settings;
    private final AzureCompute compute;
    private final Arm arm;

    AzureInventory(AzureParts parts, AzureCompute compute) {
        this.parts = parts;
        this.settings = parts.settings();
        this.compute = compute;
        this.arm = parts.arm();
    }

    @Override
    public List<Billable> all() throws CloudException {
        List<Billable> all = new ArrayList<>(new AzureNetwork(parts).ownGroup());
        Set<String> machines = new HashSet<>();
        Instant now = parts.clock().instant();
        for (AzureCompute.Listed listed : compute.listed()) {
            Instance instance = listed.instance();
            machines.add(instance.id().toLowerCase(Locale.ROOT));
            if (instance.state().isLive()) {
                // Off is not enough for the bill to stop: its host must have been given back.
                boolean free = listed.power().equals("deallocated") || instance.failure() != null;
                Money price = free ? Money.ZERO : parts.catalogue().price(instance.offering(), now);
                all.add(Billable.tagged("instance", instance.id(), price, instance.tags()));
            }
        }
        Map<String, Billable> others = new HashMap<>();
        for (GenericResourceExpandedInner each :
                arm.pages(() -> arm.resources().getResources().listByResourceGroup(settings.resourceGroup()))) {
            billable(each, machines).ifPresent(thing -> others.put(thing.id(), thing));
        }
        all.addAll(others.values());
        return all;
    }

    private Optional<Billable> billable(GenericResourceExpandedInner resource, Set<String> machines) {
        Optional<ResourceKinds.Kind> kind = ResourceKinds.of(String.valueOf(resource.type()));
        Map<String, String> tags = resource.tags() == null ? Map.of() : resource.tags();
        boolean tagged = parts.names().isOwn(tags);
        boolean named = parts.names().isOwn(String.valueOf(resource.name()));
        boolean machine = ResourceKinds.MACHINE.equalsIgnoreCase(resource.type());
        // A stranger's tag counts more than a name; machines were listed by their own call.
        boolean strange = parts.names().isStrange(tags);
        if (machine || strange || !(tagged || named)) {
            return Optional.empty();
        }
        if (kind.isEmpty()) {
            return tagged
                    ? Optional.of(Billable.tagged(Billable.OTHER, resource.id(), Money.ZERO, tags))
                    : Optional.empty();
        }
        return Optional.of(new Billable(
                kind.get().kind(),
                resource.id(),
                ListPrices.of(parts, kind.get().price()),
                tags,
                owner(resource, machines),
                tagged ? Billable.Evidence.TAG : Billable.Evidence.NAME));
    }

    /** The machine that it goes with, if that is there. */
    private static String owner(GenericResourceExpandedInner resource, Set<String> machines) {
        String holder = Machines.lastOf(resource.managedBy());
        if (machines.contains(holder)) {
            return holder;
        }
        String name = String.valueOf(resource.name()).toLowerCase(Locale.ROOT);
        for (String suffix : List.of("-nic", "-ip", "-os")) {
            String machine = name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : "";
            if (machines.contains(machine)) {
                return machine;
            }
        }
        return "";
    }

    @Override
    public void delete(Billable thing) throws CloudException {
        if (thing.kind().equals("instance")) {
            compute.terminate(List.of(thing.id()));
            return;
        }
        if (thing.kind().equals("resource-group")) {
            deleteGroup(thing);
            return;
        }
        Optional<ResourceKinds.Kind> kind = ResourceKinds.ofId(thing.id());
        if (kind.isEmpty() || !Machines.key(thing.id()).startsWith(Machines.key(settings.groupId() + "/providers/"))) {
            throw new CloudException(Reason.INVALID, thing.id() + " is nothing that this site deletes");
        }
        Answer<JsonNode> end = parts.operations()
                .follow(
                        // Without its slash, which the client writes by itself.
                        arm.change(() -> arm.resources()
                                .getResources()
                                .deleteByIdWithResponseAsync(
                                        thing.id().substring(1), kind.get().apiVersion())),
                        settings.timeout());
        if (end instanceof Answer.Refused<JsonNode> no && no.isGone()) {
            return;
        }
        named(thing, end);
    }

    private void deleteGroup(Billable thing) throws CloudException {
        AzureNetwork network = new AzureNetwork(parts);
        network.deleteGroup();
        if (!network.ownGroup().isEmpty()) {
            throw new CloudException(Reason.INVALID, thing.id() + " is not empty yet");
        }
    }

    private static void named(Billable thing, Answer<JsonNode> end) throws CloudException {
        try {
            end.orThrow();
        } catch (CloudException failed) {
            throw new CloudException(failed.reason(), thing.id() + ": " + failed.getMessage(), failed);
        }
    }
}
