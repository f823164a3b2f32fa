package org.spillway.cloud.azure;

import com.azure.core.http.rest.Response;
import com.azure.resourcemanager.network.fluent.models.ApplicationSecurityGroupInner;
import com.azure.resourcemanager.network.fluent.models.NetworkSecurityGroupInner;
import com.azure.resourcemanager.network.fluent.models.SecurityRuleInner;
import com.azure.resourcemanager.network.models.SecurityRuleAccess;
import com.azure.resourcemanager.network.models.SecurityRuleDirection;
import com.azure.resourcemanager.network.models.SecurityRuleProtocol;
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
import org.spillway.policy.Money;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A cluster on demand's own part of its parent's network: an application security group that its machines are members
 * of, and a security group on each of their interfaces that lets members speak with each other, administrators log in,
 * and nothing else inside of the network pass, in neither direction. The network and its way out are the parent's.
 * Where the site names a subnet of its own, its rules are everybody's, and nothing is made.
 */
final class AzureGuestNetwork implements Network {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private final AzureParts parts;
    private final AzureSettings settings;
    private final Arm arm;
    private final Map<String, String> tags;
    /** As they are written: what the owner wants besides may be another tomorrow. */
    private final Map<String, String> labelled;

    AzureGuestNetwork(AzureParts parts) {
        this.parts = parts;
        this.settings = parts.settings();
        this.arm = parts.arm();
        Map<String, String> all = new HashMap<>(parts.names().ownTags());
        all.put(Instance.TAG_ROLE, "NETWORK");
        this.tags = Map.copyOf(all);
        this.labelled = parts.names().labelled(tags);
    }

    /** Of the security group; empty for machines that have none of their own. */
    static String rulesId(AzureSettings settings, Names names) {
        return names.isGuest() && settings.subnet().isEmpty()
                ? AzureNetwork.id(settings, "networkSecurityGroups", rules(names))
                : "";
    }

    /** Of the group that machines are members of; empty for machines that have none of their own. */
    static String membersId(AzureSettings settings, Names names) {
        return names.isGuest() && settings.subnet().isEmpty()
                ? AzureNetwork.id(settings, "applicationSecurityGroups", members(names))
                : "";
    }

    private static String rules(Names names) {
        return names.prefix() + "nodes";
    }

    private static String members(Names names) {
        return names.prefix() + "members";
    }

    @Override
    public List<Billable> create() throws CloudException {
        Names names = parts.names();
        if (!settings.subnet().isEmpty()) {
            return List.of();
        }
        ApplicationSecurityGroupInner members = new ApplicationSecurityGroupInner()
                .withLocation(settings.location())
                .withTags(labelled);
        change(() -> arm.network()
                .getApplicationSecurityGroups()
                .createOrUpdateWithResponseAsync(settings.resourceGroup(), members(names), members));
        change(() -> arm.network()
                .getNetworkSecurityGroups()
                .createOrUpdateWithResponseAsync(settings.resourceGroup(), rules(names), securityGroup()));
        return List.of(free(membersId(settings, names)), free(rulesId(settings, names)));
    }

    private Billable free(String id) {
        return Billable.tagged("group", id, Money.ZERO, tags);
    }

    private NetworkSecurityGroupInner securityGroup() {
        ApplicationSecurityGroupInner members =
                new ApplicationSecurityGroupInner().withId(membersId(settings, parts.names()));
        List<SecurityRuleInner> rules = new ArrayList<>();
        if (!settings.adminCidr().isEmpty()) {
            rules.add(AzureNetwork.rule("administrators", 100, SecurityRuleProtocol.TCP, settings.adminCidr())
                    .withDestinationPortRange(Integer.toString(settings.sshPort())));
        }
        rules.add(AzureNetwork.rule("members", 200, SecurityRuleProtocol.ASTERISK, "*")
                .withSourceAddressPrefix(null)
                .withSourceApplicationSecurityGroups(List.of(members))
                .withDestinationPortRange("*"));
        rules.add(AzureNetwork.rule("nobody-else", 4000, SecurityRuleProtocol.ASTERISK, "*")
                .withDestinationPortRange("*")
                .withAccess(SecurityRuleAccess.DENY));
        rules.add(AzureNetwork.rule("to-members", 200, SecurityRuleProtocol.ASTERISK, "*")
                .withDirection(SecurityRuleDirection.OUTBOUND)
                .withDestinationAddressPrefix(null)
                .withDestinationApplicationSecurityGroups(List.of(members))
                .withDestinationPortRange("*"));
        rules.add(AzureNetwork.rule("to-nobody-else-here", 4000, SecurityRuleProtocol.ASTERISK, "*")
                .withDirection(SecurityRuleDirection.OUTBOUND)
                .withDestinationAddressPrefix(settings.networkCidr())
                .withDestinationPortRange("*")
                .withAccess(SecurityRuleAccess.DENY));
        return new NetworkSecurityGroupInner()
                .withLocation(settings.location())
                .withTags(labelled)
                .withSecurityRules(rules);
    }

    /** Rules name members: they go first. */
    @Override
    public void delete() throws CloudException {
        Names names = parts.names();
        if (settings.subnet().isEmpty()) {
            change(() -> arm.network()
                    .getNetworkSecurityGroups()
                    .deleteWithResponseAsync(settings.resourceGroup(), rules(names)));
            change(() -> arm.network()
                    .getApplicationSecurityGroups()
                    .deleteWithResponseAsync(settings.resourceGroup(), members(names)));
        }
    }

    private void change(Supplier<Mono<Response<Flux<ByteBuffer>>>> call) throws CloudException {
        Answer<JsonNode> end = parts.operations().follow(arm.change(call), PATIENCE);
        if (!(end instanceof Answer.Refused<JsonNode> no && no.isGone())) {
            end.orThrow();
        }
    }
}
