package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openstack4j.model.storage.block.Volume;
import org.openstack4j.model.storage.block.VolumeAttachment;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Billable.Evidence;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/** Things of this site that a project pays for, or that keep it. A service that the catalogue lacks has nothing. */
final class OpenStackInventory implements Inventory {
    private final Account account;
    private final OpenStackCompute compute;

    OpenStackInventory(Account account, OpenStackCompute compute) {
        this.account = account;
        this.compute = compute;
    }

    /** The kinds of things that are listed beside servers. */
    private enum Kind {
        DISK("disk", OpenStackService.VOLUME),
        SNAPSHOT("snapshot", OpenStackService.VOLUME),
        IMAGE("image", OpenStackService.IMAGE),
        ADDRESS("address", OpenStackService.NETWORK),
        INTERFACE("interface", OpenStackService.NETWORK),
        ROUTER("router", OpenStackService.NETWORK),
        SUBNET("subnet", OpenStackService.NETWORK),
        NETWORK("network", OpenStackService.NETWORK),
        GROUP("group", OpenStackService.NETWORK);

        private final String word;
        private final OpenStackService service;

        Kind(String word, OpenStackService service) {
            this.word = word;
            this.service = service;
        }
    }

    /**
     * A thing that is listed.
     *
     * @param server it hangs on; empty for none
     * @param nobodys a disk without name, server and mark
     */
    private record Thing(Kind kind, String id, String name, Map<String, String> tags, String server, boolean nobodys) {
        static Thing alone(Kind kind, String id, @Nullable String name, Map<String, String> tags) {
            return new Thing(kind, id, name == null ? "" : name, tags, "", false);
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
        for (Kind kind : Kind.values()) {
            if (account.api().has(kind.service)) {
                for (Thing each : listed(kind)) {
                    add(each, servers, all);
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
    private List<Thing> listed(Kind kind) throws CloudException {
        Api api = account.api();
        return switch (kind) {
            case DISK ->
                api
                        .all(
                                "volumes",
                                Map.of(),
                                (cloud, query) -> cloud.blockStorage().volumes().list(query))
                        .stream()
                        .map(OpenStackInventory::disk)
                        .toList();
            case SNAPSHOT ->
                api
                        .all(
                                "snapshots",
                                Map.of(),
                                (cloud, query) ->
                                        cloud.blockStorage().snapshots().list(query))
                        .stream()
                        .map(each -> Thing.alone(kind, each.getId(), each.getName(), Things.tags(each)))
                        .toList();
            case IMAGE ->
                api
                        .all(
                                "images",
                                Map.of("owner", api.projectId()),
                                (cloud, query) -> cloud.imagesV2().list(query))
                        .stream()
                        .map(each -> Thing.alone(kind, each.getId(), each.getName(), Things.tags(each)))
                        .toList();
            case ADDRESS ->
                api
                        .own(
                                "floatingips",
                                Map.of(),
                                (cloud, query) ->
                                        cloud.networking().floatingip().list(query))
                        .stream()
                        .map(each -> Thing.alone(kind, each.getId(), "", Things.tags(each)))
                        .toList();
            case INTERFACE -> marked(kind, "ports");
            case ROUTER -> marked(kind, "routers");
            case SUBNET -> marked(kind, "subnets");
            case NETWORK -> marked(kind, "networks");
            case GROUP -> marked(kind, "security-groups");
        };
    }

    private static Thing disk(Volume volume) {
        List<? extends VolumeAttachment> attachments = volume.getAttachments();
        String server = attachments == null || attachments.isEmpty()
                ? null
                : attachments.getFirst().getServerId();
        String name = volume.getName() == null ? "" : volume.getName();
        Map<String, String> tags = Things.tags(volume);
        boolean nobodys = name.isEmpty()
                && (attachments == null || attachments.isEmpty())
                && tags.get(Instance.TAG_CLUSTER) == null;
        return new Thing(Kind.DISK, volume.getId(), name, tags, server == null ? "" : server, nobodys);
    }

    /** By hand: of these, OpenStack4j's models (3.12) have no description or no tags, by which they are told apart. */
    private List<Thing> marked(Kind kind, String path) throws CloudException {
        List<Thing> things = new ArrayList<>();
        for (JsonNode each : account.api().own("/" + path, path.replace('-', '_'), Map.of())) {
            things.add(new Thing(
                    kind,
                    each.path("id").asText(),
                    each.path("name").asText(""),
                    Things.tags(each),
                    kind == Kind.INTERFACE ? each.path("device_id").asText("") : "",
                    false));
        }
        return things;
    }

    private Money price(String kindOrType) {
        return account.site().price(kindOrType, Market.ON_DEMAND).orElse(Money.ZERO);
    }

    private void add(Thing thing, Set<String> servers, List<Billable> all) {
        String instance = servers.contains(thing.server()) ? thing.server() : "";
        Evidence evidence = null;
        if (account.ownsThing(thing.tags()) || !instance.isEmpty()) {
            evidence = Evidence.TAG;
        } else if (thing.name().equals(account.name())) {
            evidence = Evidence.NAME;
        } else if (thing.nobodys()) {
            // Nova gives the boot disks that it makes neither name nor metadata: this may be one that was left.
            evidence = Evidence.ACCOUNT;
        }
        if (evidence != null) {
            String word = thing.kind().word;
            all.add(new Billable(word, thing.id(), price(word), thing.tags(), instance, evidence));
        }
    }

    /** A user's keys bear no tags. */
    private void keys(List<Billable> all) throws CloudException {
        if (account.api()
                .find(cloud -> cloud.compute().keypairs().get(account.name()))
                .isPresent()) {
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
            case KEY -> api.unlessGone(cloud -> cloud.compute().keypairs().delete(id));
            case SERVER_GROUP -> new ServerGroups(account).remove(id);
            default -> remove(api, kind(thing.kind()), id);
        }
    }

    private static void remove(Api api, Kind kind, String id) throws CloudException {
        switch (kind) {
            case DISK -> api.unlessGone(cloud -> cloud.blockStorage().volumes().delete(id));
            case SNAPSHOT ->
                api.unlessGone(cloud -> cloud.blockStorage().snapshots().delete(id));
            case IMAGE -> api.unlessGone(cloud -> cloud.imagesV2().delete(id));
            case ADDRESS ->
                api.unlessGone(cloud -> cloud.networking().floatingip().delete(id));
            case INTERFACE -> api.unlessGone(cloud -> cloud.networking().port().delete(id));
            case ROUTER -> OpenStackNetwork.removeRouter(api, id);
            case SUBNET -> api.unlessGone(cloud -> cloud.networking().subnet().delete(id));
            case NETWORK -> api.unlessGone(cloud -> cloud.networking().network().delete(id));
            case GROUP ->
                api.unlessGone(cloud -> cloud.networking().securitygroup().delete(id));
        }
    }

    private static Kind kind(String word) throws CloudException {
        for (Kind each : Kind.values()) {
            if (each.word.equals(word)) {
                return each;
            }
        }
        throw new CloudException(Reason.INVALID, "there is no kind '" + word + "' here");
    }
}
