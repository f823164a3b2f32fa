package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.openstack4j.model.common.BasicResource;
import org.openstack4j.model.compute.ext.AvailabilityZone;
import org.openstack4j.model.image.v2.Image;
import org.openstack4j.model.network.Network;
import org.openstack4j.model.network.SecurityGroup;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;

/** The project, as one site of one cluster sees it: what is called how, and what is whose. */
final class Account {
    private static final Duration FLAVORS_KEPT = Duration.ofMinutes(5);
    private final SiteSettings site;
    private final OpenStackSettings settings;
    private final Api api;
    private final InstantSource clock;
    private final Flavors reader;
    private volatile @Nullable Shelf shelf;

    private record Shelf(Instant at, Map<String, Flavors.Flavor> flavors) {}

    Account(SiteSettings site, OpenStackSettings settings, Api api, InstantSource clock) {
        this.site = site;
        this.settings = settings;
        this.api = api;
        this.clock = clock;
        this.reader = new Flavors(
                settings.flavors(), settings.aliases(), settings.server().gpus());
    }

    SiteSettings site() {
        return site;
    }

    OpenStackSettings settings() {
        return settings;
    }

    Api api() {
        return api;
    }

    InstantSource clock() {
        return clock;
    }

    boolean owns(Map<String, String> tags) {
        return site.cluster().equals(tags.get(Instance.TAG_CLUSTER))
                && site.site().equals(tags.get(Instance.TAG_SITE));
    }

    /** Of what is not a server: it bears the cluster's tag, and no other site's. */
    boolean ownsThing(Map<String, String> tags) {
        return site.cluster().equals(tags.get(Instance.TAG_CLUSTER))
                && site.site().equals(tags.getOrDefault(Instance.TAG_SITE, site.site()));
    }

    /** The name of what {@code site create} makes, and the beginning of the names of server groups. */
    String name() {
        return "spillway-" + site.cluster() + "-" + site.site();
    }

    /** As {@link #name}, of the network that the site's servers stand in. */
    String networkName() {
        return "spillway-" + site.networkOf() + "-" + site.site();
    }

    /** Letters, digits and dashes only; other clusters and sites have others for the same intent. */
    String serverName(String intent, int attempt) {
        return "spillway-" + intent + "-" + attempt + "-" + hash(site.cluster() + "\n" + site.site());
    }

    /**
     * The tag of this site's servers, by which they are listed. "Server tags" have at most 60 characters, no comma and no
     * slash, which names of clusters and sites need not keep.
     */
    String serverTag() {
        return "spillway-" + hash(site.cluster() + "\n" + site.site());
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 4);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The flavors that the site uses, by name, priced or not. */
    Map<String, Flavors.Flavor> flavors() throws CloudException {
        Shelf now = shelf;
        return now != null && clock.instant().isBefore(now.at().plus(FLAVORS_KEPT)) ? now.flavors() : freshFlavors();
    }

    /** Read by hand: OpenStack4j's NovaFlavor (3.12) has no extra specs, and would ask for those of each flavor by a call. */
    Map<String, Flavors.Flavor> freshFlavors() throws CloudException {
        Map<String, Flavors.Flavor> flavors = new LinkedHashMap<>();
        for (JsonNode each : api.all(OpenStackService.COMPUTE, "/flavors/detail", "flavors", Map.of())) {
            try {
                Flavors.Flavor flavor = reader.read(each);
                if (reader.wants(flavor.name())
                        && !each.path("OS-FLV-DISABLED:disabled").asBoolean()) {
                    flavors.put(flavor.name(), flavor);
                }
            } catch (IllegalArgumentException bad) {
                throw new CloudException(Reason.THROTTLED, "the answer cannot be read: " + bad.getMessage(), bad);
            }
        }
        shelf = new Shelf(clock.instant(), flavors);
        return flavors;
    }

    Optional<Flavors.Flavor> flavor(String name) throws CloudException {
        Flavors.Flavor known = flavors().get(name);
        return known != null
                ? Optional.of(known)
                : Optional.ofNullable(freshFlavors().get(name));
    }

    /** Zones that are available now, and wanted. */
    TreeSet<String> zones() throws CloudException {
        TreeSet<String> zones = new TreeSet<>();
        for (AvailabilityZone each : api.whole(
                "availabilityZoneInfo", cloud -> cloud.compute().zones().list())) {
            String zone = each.getZoneName();
            boolean wanted = settings.zones().isEmpty() || settings.zones().contains(zone);
            if (wanted
                    && zone != null
                    && !zone.isEmpty()
                    && each.getZoneState() != null
                    && each.getZoneState().getAvailable()) {
                zones.add(zone);
            }
        }
        return zones;
    }

    /** The network of the nodes: the configured one, or that of {@code site create}, or the only one there is. */
    String networkId() throws CloudException {
        List<Network> own = api.own(
                "networks",
                Map.of(),
                (cloud, query) -> cloud.networking().network().list(query));
        String wanted = settings.network();
        if (wanted.isEmpty()) {
            Optional<String> made = only(own, networkName());
            if (made.isPresent()) {
                return made.get();
            }
        } else if (only(own, wanted).isPresent()) {
            return only(own, wanted).get();
        }
        String project = api.projectId();
        List<Network> all = api.all(
                "networks",
                Map.of(),
                (cloud, query) -> cloud.networking().network().list(query));
        List<Network> usable = all.stream()
                .filter(each -> each.isShared() || each.isRouterExternal() || project.equals(each.getTenantId()))
                .toList();
        if (!wanted.isEmpty()) {
            return only(usable, wanted)
                    .orElseThrow(() -> new CloudException(Reason.INVALID, "there is no one network '" + wanted + "'"));
        }
        List<String> inner = usable.stream()
                .filter(each -> !each.isRouterExternal())
                .map(Network::getId)
                .toList();
        if (inner.size() != 1) {
            throw new CloudException(
                    Reason.INVALID,
                    "there are " + inner.size() + " networks: set network, or run `spillway site create`");
        }
        return inner.getFirst();
    }

    /** The interfaces of a server: the site's network first. */
    List<ServerBody.Nic> nics() throws CloudException {
        ServerOptions options = settings.server();
        List<ServerBody.Nic> nics = new ArrayList<>();
        nics.add(nic(networkId(), options.vnicType()));
        for (ServerOptions.Wish wish : options.more()) {
            nics.add(nic(networkId(wish.network()), wish.vnicType()));
        }
        return nics;
    }

    private ServerBody.Nic nic(String id, String vnicType) throws CloudException {
        // A network's name is only asked for where it is needed to tell addresses apart.
        String name = settings.server().more().isEmpty()
                ? ""
                : String.valueOf(
                        api.get(cloud -> cloud.networking().network().get(id)).getName());
        return new ServerBody.Nic(id, name, vnicType);
    }

    /** Of a name that one network has which this project may use. */
    String networkId(String idOrName) throws CloudException {
        List<Network> all = api.all(
                "networks",
                Map.of(),
                (cloud, query) -> cloud.networking().network().list(query));
        String project = api.projectId();
        List<Network> own =
                all.stream().filter(each -> project.equals(each.getTenantId())).toList();
        Optional<String> first = only(own, idOrName);
        return first.isPresent()
                ? first.get()
                : only(all.stream().filter(Network::isShared).toList(), idOrName)
                        .orElseThrow(
                                () -> new CloudException(Reason.INVALID, "there is no one network '" + idOrName + "'"));
    }

    /** A port takes a group by its id alone. */
    String securityGroupId(String idOrName) throws CloudException {
        List<SecurityGroup> own = api.own(
                "security_groups",
                Map.of(),
                (cloud, query) -> cloud.networking().securitygroup().list(query));
        return only(own, idOrName)
                .orElseThrow(
                        () -> new CloudException(Reason.INVALID, "there is no one security group '" + idOrName + "'"));
    }

    /** The configured one, or that of {@code site create}, or a guest's own; empty for the project's default. */
    String securityGroup() throws CloudException {
        if (!settings.securityGroup().isEmpty()) {
            return settings.securityGroup();
        }
        List<SecurityGroup> made = api.own(
                "security_groups",
                Map.of("name", name()),
                (cloud, query) -> cloud.networking().securitygroup().list(query));
        if (made.isEmpty() && site.isGuest() && !settings.adminCidr().isEmpty()) {
            throw new CloudException(Reason.INVALID, "there is no security group " + name() + " yet");
        }
        return made.isEmpty()
                ? ""
                : only(made, name())
                        .orElseThrow(() ->
                                new CloudException(Reason.INVALID, "several security groups are called " + name()));
    }

    /** By id, or by a name that only one bears. */
    static Optional<String> only(List<? extends BasicResource> all, String idOrName) {
        List<String> ids = all.stream()
                .filter(each -> idOrName.equals(each.getId()) || idOrName.equals(each.getName()))
                .map(BasicResource::getId)
                .toList();
        return ids.size() == 1 ? Optional.of(ids.getFirst()) : Optional.empty();
    }

    /** The image's id. @param wanted id or name; empty for the site's */
    String imageId(String wanted) throws CloudException {
        String image = wanted.isEmpty() ? settings.image() : wanted;
        if (image.isEmpty()) {
            throw new CloudException(Reason.INVALID, "no image: set image in the site's options");
        }
        if (image.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")) {
            return image;
        }
        String project = api.projectId();
        List<Image> named = api.all(
                "images",
                Map.of("name", image),
                (cloud, query) -> cloud.imagesV2().list(query));
        List<Image> found = named.stream()
                // An administrator is shown the private ones of others.
                .filter(each -> each.getVisibility() != Image.ImageVisibility.PRIVATE
                        || each.getOwner() == null
                        || each.getOwner().equals(project))
                .toList();
        if (found.size() != 1) {
            throw new CloudException(
                    Reason.INVALID, "there are " + found.size() + " images '" + image + "'; give its id");
        }
        return found.getFirst().getId();
    }
}
