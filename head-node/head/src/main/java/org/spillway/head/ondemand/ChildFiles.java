package org.spillway.head.ondemand;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.spillway.api.Json;
import org.spillway.head.bootstrap.HeadPlan;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.tenant.ChildManager;
import org.spillway.head.trust.Credential;
import org.spillway.policy.Market;
import org.spillway.scaler.plan.Breakers;

/** The files that configure a child's head. Pure: the same cluster and access give the same files. */
public final class ChildFiles {
    private ChildFiles() {}

    /**
     * How a child reaches itself and its parent.
     *
     * @param address of its own machine
     * @param hostKey of that machine, one public line
     * @param broker URL on its loopback
     * @param token secret
     * @param authorityPem who signs the broker's certificate
     */
    public record BrokerAccess(
            String address,
            int sshPort,
            String hostKey,
            String broker,
            String token,
            Credential credential,
            String authorityPem) {
        /** Without the token. */
        @Override
        public String toString() {
            return "BrokerAccess[" + address + " " + broker + "]";
        }
    }

    /**
     * The settings that a child takes over from its parent.
     *
     * @param minUid smallest uid that may run jobs
     * @param image name of the image of a child that has none of its own
     * @param maxNodes of the site: a workload manager has names for as many
     * @param markets in which nodes of a child may be bought
     */
    public record Inherited(
            String currency,
            String timeZone,
            int minUid,
            Duration registration,
            Breakers.Settings breakers,
            String image,
            int maxNodes,
            Set<Market> markets) {}

    /**
     * By path below the head's folder.
     *
     * @param manager that gives jobs to its nodes; empty for its head's own queue
     */
    public static Map<String, String> of(
            ClusterRecord child, BrokerAccess access, Inherited inherited, Optional<ChildManager> manager) {
        Optional<Manager> its =
                manager.map(present -> new Manager(present, place(child, access.address(), inherited.maxNodes())));
        var files = new TreeMap<String, String>();
        files.put("spillway.yaml", Json.writeIndented(configuration(child, access, inherited, its)) + "\n");
        its.ifPresent(one -> files.putAll(one.files()));
        files.put("passwd", passwd(child));
        files.put("group", group(child));
        files.put("host.pub", access.hostKey() + "\n");
        files.put("tls/token", access.token() + "\n");
        files.put("tls/client.key", access.credential().keyPem());
        files.put("tls/client.crt", access.credential().certificatePem());
        files.put("tls/authority.crt", access.authorityPem());
        return files;
    }

    /** A manager of its own where it is. */
    private record Manager(ChildManager kind, ChildManager.Place place) {
        Map<String, String> files() {
            var files = new TreeMap<>(kind.files(place));
            if (!files.keySet().stream().allMatch(name -> name.matches("[a-z][a-z0-9-]{0,39}\\.conf"))) {
                throw new IllegalStateException("a workload manager's files have other names: " + files.keySet());
            }
            files.put(HeadPlan.MANAGER, "manager='" + place.folder() + "'\n" + kind.program());
            return files;
        }
    }

    /** The folder that users may enter: the head's own is nobody else's business. */
    private static ChildManager.Place place(ClusterRecord child, String address, int most) {
        var spec = child.spec();
        return new ChildManager.Place(
                child.id(),
                "/run/spillway-" + child.id(),
                address,
                spec.site(),
                spec.nodeType(),
                Math.max(most, spec.nodes()));
    }

    /** JSON is YAML. */
    private static Map<String, Object> configuration(
            ClusterRecord child, BrokerAccess access, Inherited inherited, Optional<Manager> manager) {
        var spec = child.spec();
        var site = new LinkedHashMap<String, Object>();
        site.put("driver", "delegated");
        site.put("maxNodes", spec.nodes());
        site.put("registration", seconds(inherited.registration()));
        site.put("keep", Map.of("type", spec.nodeType(), "count", spec.nodes()));
        site.put(
                "director",
                Map.of(
                        "at",
                        Map.of(
                                "address", access.address(),
                                "sshPort", access.sshPort(),
                                "hostKeyFile", "host.pub")));
        site.put("owner", spec.owner().name().replaceAll("[^A-Za-z0-9._@-]", "-"));
        site.put(
                "options",
                Map.of(
                        "endpoint", access.broker(),
                        "caFile", "tls/authority.crt",
                        "certificateFile", "tls/client.crt",
                        "keyFile", "tls/client.key",
                        "tokenFile", "tls/token"));
        var root = new LinkedHashMap<String, Object>();
        root.put("cluster", child.id());
        root.put("state", "state");
        // Below its folder, by a short way: a login folder may be deeper than the path of a socket can be long.
        root.put("socket", manager.map(one -> one.place().folder() + "/sock").orElse("/proc/self/cwd/run/sock"));
        manager.ifPresent(one -> root.put("workload", one.kind().workload(one.place())));
        root.put("currency", inherited.currency());
        root.put("timeZone", inherited.timeZone());
        root.put("budget", Map.of("limit", spec.budget().toString(), "period", "month"));
        root.put(
                "directory",
                Map.of("source", "file", "passwd", "passwd", "group", "group", "minUid", inherited.minUid()));
        root.put("image", Map.of("name", spec.image().isEmpty() ? inherited.image() : spec.image(), "tree", "image"));
        root.put("onDemand", onDemand(child));
        root.put("web", Map.of("enabled", false));
        root.put("breakers", breakers(inherited.breakers()));
        var markets = inherited.markets().stream().sorted().map(Market::text).toList();
        root.put(
                "queues",
                Map.of(spec.site(), Map.of("sites", List.of(spec.site()), "default", true, "markets", markets)));
        root.put("sites", Map.of(spec.site(), site));
        return root;
    }

    private static Map<String, Object> onDemand(ClusterRecord child) {
        var calledAt = child.head().calledAt();
        var known = new LinkedHashMap<String, Object>();
        known.put("owner", child.spec().owner().name());
        known.put("ownerUid", child.spec().owner().uid());
        known.put("ends", child.spec().expires().toString());
        known.put("headPricePerHour", child.head().pricePerHour().toString());
        known.put("headSince", (calledAt == null ? child.spec().createdAt() : calledAt).toString());
        return known;
    }

    private static Map<String, Object> breakers(Breakers.Settings settings) {
        var breakers = new LinkedHashMap<String, Object>();
        breakers.put("bootFailures", settings.bootFailures());
        breakers.put("unreadyPercent", settings.unreadyPercent());
        breakers.put("unreadyLeast", settings.unreadyLeast());
        breakers.put("directorSilence", seconds(settings.silence()));
        breakers.put("unusedNodes", settings.unusedNodes());
        breakers.put("unproven", settings.unproven());
        breakers.put("sickNodes", settings.sick().least());
        breakers.put("sickPercent", settings.sick().percent());
        breakers.put("sickWithin", seconds(settings.sick().within()));
        breakers.put("sickRest", seconds(settings.sick().rest()));
        return breakers;
    }

    private static String seconds(Duration duration) {
        return duration.toSeconds() + "s";
    }

    /** Never with a password, nor with a place for one. */
    private static String passwd(ClusterRecord child) {
        var lines = new StringBuilder();
        for (var user : child.spec().users()) {
            lines.append(user.name())
                    .append(":x:")
                    .append(user.uid())
                    .append(':')
                    .append(user.gid());
            lines.append("::").append(user.home()).append(":/bin/sh\n");
        }
        return lines.toString();
    }

    private static String group(ClusterRecord child) {
        var gids = new TreeMap<String, Integer>();
        var members = new TreeMap<String, TreeSet<String>>();
        for (var user : child.spec().users()) {
            for (var group : new LinkedHashSet<>(user.groups())) {
                gids.put(group.name(), group.gid());
                members.computeIfAbsent(group.name(), name -> new TreeSet<>()).add(user.name());
            }
        }
        var lines = new StringBuilder();
        gids.forEach((name, gid) -> lines.append(name)
                .append(":x:")
                .append(gid)
                .append(':')
                .append(String.join(",", members.getOrDefault(name, new TreeSet<>())))
                .append('\n'));
        return lines.toString();
    }
}
