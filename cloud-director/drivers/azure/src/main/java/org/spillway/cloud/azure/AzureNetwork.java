package org.spillway.cloud.azure;

import com.azure.core.management.SubResource;
import com.azure.core.util.Context;
import com.azure.resourcemanager.network.fluent.models.NatGatewayInner;
import com.azure.resourcemanager.network.fluent.models.NetworkSecurityGroupInner;
import com.azure.resourcemanager.network.fluent.models.PublicIpAddressInner;
import com.azure.resourcemanager.network.fluent.models.SecurityRuleInner;
import com.azure.resourcemanager.network.fluent.models.SubnetInner;
import com.azure.resourcemanager.network.fluent.models.VirtualNetworkInner;
import com.azure.resourcemanager.network.models.AddressSpace;
import com.azure.resourcemanager.network.models.IpAllocationMethod;
import com.azure.resourcemanager.network.models.NatGatewaySku;
import com.azure.resourcemanager.network.models.NatGatewaySkuName;
import com.azure.resourcemanager.network.models.PublicIpAddressSku;
import com.azure.resourcemanager.network.models.PublicIpAddressSkuName;
import com.azure.resourcemanager.network.models.SecurityRuleAccess;
import com.azure.resourcemanager.network.models.SecurityRuleDirection;
import com.azure.resourcemanager.network.models.SecurityRuleProtocol;
import com.azure.resourcemanager.resources.fluent.models.ResourceGroupInner;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Network;
import org.spillway.policy.LaunchOutcome.Reason;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A site's network in its location: resource group, virtual network with one subnet, a security group that admits SSH
 * from the administrators and all from peers, and a NAT gateway with a public address for the way out. Names are fixed,
 * so a PUT that is repeated changes nothing.
 */
final class AzureNetwork implements Network {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private final AzureParts parts;
    private final AzureSettings settings;
    private final Names names;
    private final Arm arm;
    private final Map<String, String> tags;
    /** As they are written: what the owner wants besides may be another tomorrow. */
    private final Map<String, String> labelled;

    AzureNetwork(AzureParts parts) {
        this.parts = parts;
        this.settings = parts.settings();
        this.names = parts.names();
        this.arm = parts.arm();
        Map<String, String> all = new HashMap<>(names.ownTags());
        all.put(Instance.TAG_ROLE, "NETWORK");
        this.tags = Map.copyOf(all);
        this.labelled = parts.names().labelled(tags);
    }

    static String subnetId(AzureSettings settings, Names names) {
        return id(settings, "virtualNetworks", names.networkPrefix() + "network") + "/subnets/nodes";
    }

    static String id(AzureSettings settings, String type, String name) {
        return settings.groupId() + "/providers/Microsoft.Network/" + type + "/" + name;
    }

    private String name(String what) {
        return names.prefix() + what;
    }

    @Override
    public List<Billable> create() throws CloudException {
        if (!settings.subnet().isEmpty()) {
            throw new CloudException(
                    Reason.INVALID, "option subnet names a network of yours; remove it to have one made");
        }
        List<Billable> made = new ArrayList<>();
        if (ensureGroup()) {
            made.add(bill("resource-group", settings.groupId(), "resource-group"));
        }
        String address = id(settings, "publicIPAddresses", name("nat-address"));
        change(() -> arm.network()
                .getPublicIpAddresses()
                .createOrUpdateWithResponseAsync(settings.resourceGroup(), name("nat-address"), address()));
        made.add(bill("address", address, "public-address"));
        String gateway = id(settings, "natGateways", name("nat"));
        NatGatewayInner nat = new NatGatewayInner()
                .withLocation(settings.location())
                .withTags(labelled)
                .withSku(new NatGatewaySku().withName(NatGatewaySkuName.STANDARD))
                .withPublicIpAddresses(List.of(new SubResource().withId(address)));
        change(() -> arm.network()
                .getNatGateways()
                .createOrUpdateWithResponseAsync(settings.resourceGroup(), name("nat"), nat));
        made.add(bill("gateway", gateway, "nat-gateway"));
        String group = id(settings, "networkSecurityGroups", name("nodes"));
        change(() -> arm.network()
                .getNetworkSecurityGroups()
                .createOrUpdateWithResponseAsync(settings.resourceGroup(), name("nodes"), securityGroup()));
        made.add(bill("group", group, "security-group"));
        SubnetInner subnet = new SubnetInner()
                .withName("nodes")
                .withAddressPrefix(settings.networkCidr())
                .withDefaultOutboundAccess(false)
                .withNatGateway(new SubResource().withId(gateway))
                .withNetworkSecurityGroup((NetworkSecurityGroupInner) new NetworkSecurityGroupInner().withId(group));
        VirtualNetworkInner network = new VirtualNetworkInner()
                .withLocation(settings.location())
                .withTags(labelled)
                .withAddressSpace(new AddressSpace().withAddressPrefixes(List.of(settings.networkCidr())))
                .withSubnets(List.of(subnet));
        change(() -> arm.network()
                .getVirtualNetworks()
                .createOrUpdateWithResponseAsync(settings.resourceGroup(), name("network"), network));
        made.add(bill("network", id(settings, "virtualNetworks", name("network")), "network"));
        return made;
    }

    private Billable bill(String kind, String id, String price) {
        return new Billable(kind, id, ListPrices.of(parts, price), tags, "", Billable.Evidence.TAG);
    }

    private PublicIpAddressInner address() {
        return new PublicIpAddressInner()
                .withLocation(settings.location())
                .withTags(labelled)
                .withSku(new PublicIpAddressSku().withName(PublicIpAddressSkuName.STANDARD))
                .withPublicIpAllocationMethod(IpAllocationMethod.STATIC);
    }

    /** Peers are admitted by the group's own rules; all else from outside is not. */
    private NetworkSecurityGroupInner securityGroup() {
        List<SecurityRuleInner> rules = new ArrayList<>();
        if (!settings.adminCidr().isEmpty()) {
            rules.add(rule("administrators", 100, SecurityRuleProtocol.TCP, settings.adminCidr())
                    .withDestinationPortRange(Integer.toString(settings.sshPort())));
        }
        rules.add(rule("peers", 200, SecurityRuleProtocol.ASTERISK, settings.networkCidr())
                .withDestinationPortRange("*"));
        rules.add(rule("nobody-else", 4000, SecurityRuleProtocol.ASTERISK, "*")
                .withDestinationPortRange("*")
                .withAccess(SecurityRuleAccess.DENY));
        return new NetworkSecurityGroupInner()
                .withLocation(settings.location())
                .withTags(labelled)
                .withSecurityRules(rules);
    }

    static SecurityRuleInner rule(String name, int priority, SecurityRuleProtocol protocol, String from) {
        return new SecurityRuleInner()
                .withName(name)
                .withPriority(priority)
                .withProtocol(protocol)
                .withAccess(SecurityRuleAccess.ALLOW)
                .withDirection(SecurityRuleDirection.INBOUND)
                .withSourceAddressPrefix(from)
                .withSourcePortRange("*")
                .withDestinationAddressPrefix("*");
    }

    /** @return whether the resource group is of our making */
    private boolean ensureGroup() throws CloudException {
        Answer<ResourceGroupInner> there = group();
        if (there instanceof Answer.Refused<ResourceGroupInner> no && no.isGone()) {
            ResourceGroupInner body = new ResourceGroupInner();
            body.withLocation(settings.location());
            body.withTags(labelled);
            arm.call(() -> arm.resources()
                            .getResourceGroups()
                            .createOrUpdateWithResponse(settings.resourceGroup(), body, Context.NONE))
                    .orThrow();
            return true;
        }
        return isOurs(there.orThrow().tags());
    }

    private Answer<ResourceGroupInner> group() {
        return arm.call(
                () -> arm.resources().getResourceGroups().getWithResponse(settings.resourceGroup(), Context.NONE));
    }

    private boolean isOurs(Map<String, String> found) {
        return found != null && found.entrySet().containsAll(tags.entrySet());
    }

    /** The resource group, if it is of our making. */
    List<Billable> ownGroup() throws CloudException {
        Answer<ResourceGroupInner> there = group();
        if (there instanceof Answer.Refused<ResourceGroupInner> no && no.isGone()) {
            return List.of();
        }
        return isOurs(there.orThrow().tags())
                ? List.of(bill("resource-group", settings.groupId(), "resource-group"))
                : List.of();
    }

    @Override
    public void delete() throws CloudException {
        if (group() instanceof Answer.Refused<ResourceGroupInner> no && no.isGone()) {
            return;
        }
        // Users before what they use; each is gone before the next.
        change(() ->
                arm.network().getVirtualNetworks().deleteWithResponseAsync(settings.resourceGroup(), name("network")));
        change(() -> arm.network().getNatGateways().deleteWithResponseAsync(settings.resourceGroup(), name("nat")));
        change(() -> arm.network()
                .getPublicIpAddresses()
                .deleteWithResponseAsync(settings.resourceGroup(), name("nat-address")));
        change(() -> arm.network()
                .getNetworkSecurityGroups()
                .deleteWithResponseAsync(settings.resourceGroup(), name("nodes")));
        deleteGroup();
    }

    /** Only when it is of our making and nothing is left in it: its deletion takes everything with it. */
    void deleteGroup() throws CloudException {
        if (!ownGroup().isEmpty()
                && arm.pages(() -> arm.resources().getResources().listByResourceGroup(settings.resourceGroup()))
                        .isEmpty()) {
            change(() -> arm.resources().getResourceGroups().deleteWithResponseAsync(settings.resourceGroup(), null));
        }
    }

    private void change(Supplier<Mono<com.azure.core.http.rest.Response<Flux<ByteBuffer>>>> call)
            throws CloudException {
        Answer<JsonNode> end = parts.operations().follow(arm.change(call), PATIENCE);
        if (!(end instanceof Answer.Refused<JsonNode> no && no.isGone())) {
            end.orThrow();
        }
    }
}
