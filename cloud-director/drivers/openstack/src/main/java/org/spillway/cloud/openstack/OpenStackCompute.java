package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.model.compute.Action;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Power;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** The calls of an OpenStack site, all of them narrowed to the servers that bear its cluster and site. */
final class OpenStackCompute implements Compute {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStackCompute.class);

    /** So many ids are cheaper looked up by one listing than one by one. */
    private static final int FEW = 10;

    private static final int CONSOLE_BYTES = 64 * 1024;
    private static final int CONSOLE_LINES = 1000;
    private final Account account;
    private final Servers servers;
    private final Launcher launcher;
    private final ServerGroups groups;
    private final FloatingAddress floating;
    private final Ports ports;
    private final ServerListing listing;
    private final Leases leases;

    OpenStackCompute(Account account) {
        this.account = account;
        this.servers = new Servers(account.site().site(), account.settings().sshPort());
        this.launcher = new Launcher(account, new Following(account, servers));
        this.groups = new ServerGroups(account);
        this.floating = new FloatingAddress(account);
        this.ports = new Ports(account);
        this.listing = new ServerListing(account);
        this.leases = new Leases(account);
    }

    @Override
    public List<Offering> offerings() throws CloudException {
        Set<String> zones = account.zones();
        List<Offering> offerings = new ArrayList<>();
        List<Leases.Reserved> reserved = reserved();
        for (Flavors.Flavor flavor : account.freshFlavors().values()) {
            boolean isReserved = reserved.stream().anyMatch(each -> each.isOf(flavor.name()));
            if (!flavor.name().startsWith(Leases.FLAVOR)) {
                offer(
                        flavor,
                        Market.ON_DEMAND,
                        account.site().price(flavor.name(), Market.ON_DEMAND),
                        zones,
                        offerings);
            }
            if (isReserved) {
                offer(flavor, Market.RESERVED, Leases.price(account.site(), flavor.name()), zones, offerings);
            }
        }
        return offerings;
    }

    /** Nothing reserved is offered while nobody says what is; {@code doctor} says why. */
    private List<Leases.Reserved> reserved() {
        try {
            return leases.usable();
        } catch (CloudException unseen) {
            LOG.warn("site {}: reservations: {}", account.site().site(), unseen.getMessage());
            return List.of();
        }
    }

    /** A flavor without a price is not for sale. */
    private void offer(
            Flavors.Flavor flavor, Market market, Optional<Money> price, Set<String> zones, List<Offering> offerings) {
        for (String zone : price.isPresent() ? zones : Set.<String>of()) {
            offerings.add(Offering.of(
                            new OfferingId(account.site().site(), zone, flavor.name(), market),
                            flavor.resources(),
                            price.get())
                    .withFeatures(flavor.features())
                    .withGpuMemoryBytes(flavor.gpuMemoryBytes())
                    .withQuotaFamily(OpenStackQuotas.FAMILY));
        }
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        return launcher.launch(request);
    }

    @Override
    public List<Instance> list() throws CloudException {
        return instances(listing.own());
    }

    /** Also those that bear the cluster's mark and no site's: they are on the bill of each of its sites. */
    List<Instance> billed() throws CloudException {
        return instances(listing.whole().stream()
                .filter(each -> account.ownsThing(Servers.metadata(each)))
                .toList());
    }

    private List<Instance> instances(List<JsonNode> described) throws CloudException {
        List<Instance> own = new ArrayList<>();
        for (JsonNode each : described) {
            try {
                own.add(servers.instance(each));
            } catch (IllegalArgumentException bad) {
                throw new CloudException(Reason.THROTTLED, "the answer cannot be read: " + bad.getMessage(), bad);
            }
        }
        return own;
    }

    @Override
    public Optional<Lookup> lookup() {
        return Optional.of(new ServerLookup(account.api(), servers));
    }

    @Override
    public Duration consistencyWindow() {
        return account.settings().consistencyWindow();
    }

    @Override
    public void terminate(Collection<String> instanceIds) throws CloudException {
        end(own(instanceIds));
    }

    /** Ends a thing of {@link #billed}. Gone is success. */
    void end(String instanceId) throws CloudException {
        end(find(instanceId).filter(server -> account.ownsThing(Servers.metadata(server))).stream()
                .toList());
    }

    private void end(List<JsonNode> own) throws CloudException {
        SideBySide.forEach(own, server -> {
            String id = server.path("id").asText();
            if (floating.isFor(Servers.metadata(server))) {
                floating.takeFrom(id);
            }
            account.api().unlessGone(cloud -> cloud.compute().servers().delete(id));
            if (Servers.metadata(server).containsKey(Servers.TAG_PORTS)) {
                ports.removeOf(server.path("name").asText());
            }
        });
        if (own.stream().anyMatch(each -> Servers.metadata(each).containsKey(Servers.TAG_GROUP))) {
            Set<String> now = new HashSet<>();
            own.forEach(each -> now.add(each.path("id").asText()));
            groups.removeWith(member -> now.contains(member) || isEnding(member));
        }
    }

    /** Servers among the ids that are this site's; the others are gone, or somebody else's. */
    private List<JsonNode> own(Collection<String> ids) throws CloudException {
        List<JsonNode> own = new ArrayList<>();
        Set<String> unseen = new HashSet<>(ids);
        if (ids.size() > FEW) {
            for (JsonNode each : listing.own()) {
                if (unseen.remove(each.path("id").asText())) {
                    own.add(each);
                }
            }
        }
        // A listing may not show a new one yet.
        for (String id : unseen) {
            find(id).filter(server -> account.owns(Servers.metadata(server))).ifPresent(own::add);
        }
        return own;
    }

    /** A server's neighbours may have been ended a moment before it. */
    private boolean isEnding(String id) throws CloudException {
        return find(id).map(server -> !Servers.state(server).isLive()).orElse(true);
    }

    /** Read by hand, as {@link Servers} says. */
    private Optional<JsonNode> find(String id) throws CloudException {
        if (!id.matches("[A-Za-z0-9-]{1,64}")) {
            return Optional.empty();
        }
        Api.Result result =
                account.api().call(OpenStackService.COMPUTE, HttpMethod.GET, "/servers/" + id, Map.of(), null);
        if (result.isMissing()) {
            return Optional.empty();
        }
        JsonNode server = Api.done(result).path("server");
        if (!server.isObject()) {
            throw new CloudException(Reason.THROTTLED, "the answer about " + id + " is no server");
        }
        return Optional.of(server);
    }

    String console(String instanceId) throws CloudException {
        JsonNode server = find(instanceId)
                .filter(each -> account.owns(Servers.metadata(each)))
                .orElseThrow(() -> new CloudException(Reason.INVALID, "there is no server '" + instanceId + "'"));
        String id = server.path("id").asText();
        Api.Answer<String> answer =
                account.api().ask(cloud -> cloud.compute().servers().getConsoleOutput(id, CONSOLE_LINES));
        // A server that is still being built has none yet.
        boolean notYet = answer.result() instanceof Api.Result.Refused refused && refused.status() == 409;
        String told = answer.value();
        if (!notYet) {
            Api.done(answer.result());
        }
        String text = told == null ? "" : told;
        return text.length() > CONSOLE_BYTES ? text.substring(text.length() - CONSOLE_BYTES) : text;
    }

    Power power() {
        return new Power() {
            @Override
            public void stop(Collection<String> instanceIds) throws CloudException {
                switchAll(instanceIds, Action.STOP, Set.of(Instance.State.RUNNING, Instance.State.PENDING));
            }

            @Override
            public void start(Collection<String> instanceIds) throws CloudException {
                switchAll(instanceIds, Action.START, Set.of(Instance.State.STOPPED, Instance.State.STOPPING));
            }
        };
    }

    /** Nova refuses to stop what is stopped, so only those are asked that are not yet as wanted. */
    private void switchAll(Collection<String> ids, Action action, Set<Instance.State> from) throws CloudException {
        List<JsonNode> some = own(ids).stream()
                .filter(server -> from.contains(Servers.state(server)))
                .toList();
        SideBySide.forEach(some, server -> {
            String id = server.path("id").asText();
            account.api().unlessGone(cloud -> cloud.compute().servers().action(id, action));
        });
    }
}
