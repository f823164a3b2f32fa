package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.openstack4j.core.transport.HttpMethod;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Billable.Evidence;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/** What a project pays for, or what keeps it, of this site. A service that the catalogue lacks has nothing. */
final class OpenStackInventory implements Inventory {
    private final Account account;
    private final OpenStackCompute compute;

    OpenStackInventory(Account account, OpenStackCompute compute) {
        this.account = account;
        this.compute = compute;
    }

    /** A listing of Neutron's, Glance's or Cinder's, and the kind that its elements are. */
    private enum Listing {
        VOLUMES("disk", OpenStackService.VOLUME, "/volumes/detail", "volumes", "/volumes/"),
        SNAPSHOTS("snapshot", OpenStackService.VOLUME, "/snapshots/detail", "snapshots", "/snapshots/"),
        IMAGES("image", OpenStackService.IMAGE, "/images", "images", "/images/"),
        ADDRESSES("address", OpenStackService.NETWORK, "/floatingips", "floatingips", "/floatingips/"),
        PORTS("interface", OpenStackService.NETWORK, "/ports", "ports", "/ports/"),
        ROUTERS("router", OpenStackService.NETWORK, "/routers", "routers", "/routers/"),
        SUBNETS("subnet", OpenStackService.NETWORK, "/subnets", "subnets", "/subnets/"),
        NETWORKS("network", OpenStackService.NETWORK, "/networks", "networks", "/networks/"),
        GROUPS("group", OpenStackService.NETWORK, "/security-groups", "security_groups", "/security-groups/");

        private final String kind;
        private final OpenStackService service;
        private final String path;
        private final String list;
        private final String each;

        Listing(String kind, OpenStackService service, String path, String list, String each) {
            this.kind = kind;
            this.service = service;
            this.path = path;
            this.list = list;
            this.each = each;
        }
    }

    private static final String INSTANCE = "instance";
    private static final String KEY = "key";
    private static final String SERVER_GROUP = "server-group";

    @Override
    public List<Billable> all() throws CloudException {
        List<Billable> all = new ArrayList<>();
        Set<String> servers = new HashSet<>();
        for (Instance each : compute.billed()) {
            if (each.state().isLive()) {
                servers.add(each.id());
                // A stopped server keeps its place on its host, and is paid for.
                all.add(new Billable(
                        INSTANCE, each.id(), price(each.offering().instanceType()), each.tags(), "", Evidence.TAG));
            }
        }
        for (Listing listing : Listing.values()) {
            if (account.api().has(listing.service)) {
                for (JsonNode each : listed(listing)) {
                    add(listing, each, servers, all);
                }
            }
        }
        keys(all);
        for (JsonNode group : new ServerGroups(account).own()) {
            all.add(byName(SERVER_GROUP, group.path("id").asText()));
        }
        return all;
    }

    /** Cinder's are the project's anyway. */
    private List<JsonNode> listed(Listing listing) throws CloudException {
        Api api = account.api();
        return switch (listing.service) {
            case NETWORK -> api.own(listing.path, listing.list, Map.of());
            case IMAGE -> api.all(listing.service, listing.path, listing.list, Map.of("owner", api.projectId()));
            default -> api.all(listing.service, listing.path, listing.list, Map.of());
        };
    }

    private Money price(String kindOrType) {
        return account.site().price(kindOrType, Market.ON_DEMAND).orElse(Money.ZERO);
    }

    private void add(Listing listing, JsonNode thing, Set<String> servers, List<Billable> all) {
        String id = thing.path("id").asText();
        Map<String, String> tags = Things.tags(thing);
        String instance = instanceOf(listing, thing, servers);
        String name = thing.path("name").asText("");
        Evidence evidence = null;
        if (account.ownsThing(tags) || !instance.isEmpty()) {
            evidence = Evidence.TAG;
        } else if (name.equals(account.name())) {
            evidence = Evidence.NAME;
        } else if (listing == Listing.VOLUMES
                && name.isEmpty()
                && thing.path("attachments").isEmpty()
                && tags.get(Instance.TAG_CLUSTER) == null) {
            // Nova gives the boot disks that it makes neither name nor metadata: this may be one that was left.
            evidence = Evidence.ACCOUNT;
        }
        if (evidence != null) {
            all.add(new Billable(listing.kind, id, price(listing.kind), tags, instance, evidence));
        }
    }

    /** The server of ours that it hangs on; empty for none. */
    private static String instanceOf(Listing listing, JsonNode thing, Set<String> servers) {
        String found = switch (listing) {
            case PORTS -> thing.path("device_id").asText("");
            case VOLUMES -> thing.path("attachments").path(0).path("server_id").asText("");
            default -> "";
        };
        return servers.contains(found) ? found : "";
    }

    /** A user's keys bear no tags. */
    private void keys(List<Billable> all) throws CloudException {
        Api.Result result = account.api()
                .call(OpenStackService.COMPUTE, HttpMethod.GET, "/os-keypairs/" + account.name(), Map.of(), null);
        if (!(result instanceof Api.Result.Refused refused && refused.status() == 404)) {
            Api.done(result);
            all.add(byName(KEY, account.name()));
        }
    }

    private Billable byName(String kind, String id) {
        return new Billable(
                kind,
                id,
                price(kind),
                Map.of(
                        Instance.TAG_CLUSTER,
                        account.site().cluster(),
                        Instance.TAG_SITE,
                        account.site().site()),
                "",
                Evidence.NAME);
    }

    @Override
    public void delete(Billable thing) throws CloudException {
        try {
            remove(thing);
        } catch (CloudException held) {
            String what = thing.kind() + " " + thing.id() + ": ";
            throw new CloudException(held.reason(), what + held.getMessage(), held);
        }
    }

    private void remove(Billable thing) throws CloudException {
        Api api = account.api();
        String id = thing.id();
        switch (thing.kind()) {
            case INSTANCE -> compute.end(id);
            case KEY -> api.delete(OpenStackService.COMPUTE, "/os-keypairs/" + id);
            case SERVER_GROUP -> api.delete(OpenStackService.COMPUTE, "/os-server-groups/" + id);
            case "router" -> OpenStackNetwork.removeRouter(api, id);
            default -> api.delete(listing(thing.kind()).service, listing(thing.kind()).each + id);
        }
    }

    private static Listing listing(String kind) throws CloudException {
        for (Listing each : Listing.values()) {
            if (each.kind.equals(kind)) {
                return each;
            }
        }
        throw new CloudException(Reason.INVALID, "there is no kind '" + kind + "' here");
    }
}
