package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.Lie;
import org.spillway.localcloud.MachineType;

/** Servers as Nova shows them: the cloud's instances, and those that were accepted and found no host. */
final class ServerList {
    private static final int MAX_PAGE = 1000;
    private static final String HOST = "9b1f3a5c7d9e0b2d4f6a8c0e1b3d5f7a9c1e3b5d7f9a1c3e5b7d9f1a";
    private final CloudBehind cloud;
    private final Identity identity;
    private final Network network;
    private final Shelf failed;

    ServerList(CloudBehind cloud, Identity identity, Network network, Shelf failed) {
        this.cloud = cloud;
        this.identity = identity;
        this.network = network;
        this.failed = failed;
    }

    Optional<InstanceRecord> alive(String id) {
        return cloud.find(id).filter(each -> each.state() != Instance.State.TERMINATED);
    }

    boolean hasFailed(String id) {
        return failed.find(id).isPresent();
    }

    boolean forgetFailed(String id) throws IOException {
        return failed.remove(id);
    }

    List<String> inGroup(String group) {
        return cloud.list(Map.of(Compute.HIDDEN_GROUP, group), "", MAX_PAGE).stream()
                .filter(each -> each.state() != Instance.State.TERMINATED)
                .map(InstanceRecord::id)
                .toList();
    }

    FrontReply show(String id) throws Said.No {
        ObjectNode server =
                alive(id).map(this::view).or(() -> failed.find(id)).orElseThrow(() -> Said.No.missing("Instance", id));
        ObjectNode body = Said.object();
        body.set("server", server);
        return Said.json(200, body, id);
    }

    FrontReply page(Map<String, String> query) throws Said.No {
        strike();
        String marker = query.getOrDefault("marker", "");
        String wanted = query.getOrDefault("limit", "");
        int limit = wanted.matches("[1-9][0-9]{0,5}") ? Math.min(MAX_PAGE, Integer.parseInt(wanted)) : MAX_PAGE;
        Predicate<String> named = named(query.getOrDefault("name", ""));
        List<String> tags = List.of(query.getOrDefault("tags", "").split(",", -1));
        TreeMap<String, ObjectNode> page = new TreeMap<>();
        for (ObjectNode each : failed.all()) {
            String id = each.path("id").asText();
            if (id.compareTo(marker) > 0
                    && named.test(each.path("name").asText())
                    && bears(
                            each.path("tags")
                                    .valueStream()
                                    .map(JsonNode::asText)
                                    .toList(),
                            tags)) {
                page.put(id, each);
            }
        }
        boolean more = collect(marker, limit, named, tags, page);
        ObjectNode body = Said.object();
        ArrayNode servers = body.putArray("servers");
        Lie lie = Lie.strikes(cloud);
        List<ObjectNode> truth = page.values().stream().limit(limit).toList();
        List<ObjectNode> told = lie.told(
                truth,
                ServerList::isLive,
                one -> Instant.parse(one.path("created").asText()),
                cloud.now());
        told.forEach(servers::add);
        int ended = lie.ended(told, ServerList::isLive);
        if (ended >= 0) {
            told.get(ended).put("status", "DELETED").putNull("OS-EXT-STS:task_state");
        }
        if ((more || page.size() > limit) && !lie.isLast()) {
            body.putArray("servers_links").addObject().put("rel", "next").put("href", "");
        }
        return Said.json(200, body, "servers " + servers.size());
    }

    /** Nova lists nothing that has ended, but what failed and what is on its way out. */
    private static boolean isLive(ObjectNode server) {
        return !server.path("status").asText().equals("ERROR")
                && !server.path("OS-EXT-STS:task_state").asText().equals("deleting");
    }

    /** At most {@code limit} more, in the order of their ids. @return whether there may be others behind them */
    private boolean collect(
            String marker, int limit, Predicate<String> named, List<String> tags, TreeMap<String, ObjectNode> page) {
        String after = marker;
        int found = 0;
        while (true) {
            List<InstanceRecord> some = cloud.list(Map.of(), after, MAX_PAGE);
            for (InstanceRecord each : some) {
                boolean shown = each.state() != Instance.State.TERMINATED
                        && named.test(each.tags().getOrDefault(Compute.HIDDEN_NAME, ""))
                        && bears(
                                List.of(each.tags()
                                        .getOrDefault(Compute.HIDDEN_TAGS, "")
                                        .split(",", -1)),
                                tags);
                if (shown && page.put(each.id(), view(each)) == null && ++found == limit) {
                    return true;
                }
            }
            if (some.size() < MAX_PAGE) {
                return false;
            }
            after = some.getLast().id();
        }
    }

    /** "List Servers", tags: those that have all of them; since 2.26. */
    private static boolean bears(List<String> its, List<String> wanted) {
        return wanted.stream().allMatch(each -> each.isEmpty() || its.contains(each));
    }

    private static Predicate<String> named(String expression) throws Said.No {
        try {
            return expression.isEmpty()
                    ? name -> true
                    : Pattern.compile(expression).asPredicate();
        } catch (PatternSyntaxException bad) {
            throw Said.No.bad("Invalid input received: name is no regular expression");
        }
    }

    private void strike() throws Said.No {
        if (cloud.strikes(Fault.Kind.LISTING_FAILS, "", "").isPresent()) {
            throw new Said.No(503, "The listing fails on request.");
        }
        Optional<Fault> refused = cloud.strikes(Fault.Kind.LISTING_REFUSED, "", "");
        if (refused.isPresent()) {
            throw refusal(refused.get().reason().name(), "on request", identity);
        }
    }

    /** As Nova says a refusal; without a word for a shortage, which it only finds later. */
    static Said.No refusal(String reason, String message, Identity identity) {
        return switch (reason) {
            case "QUOTA" -> new Said.No(403, "Quota exceeded for instances: " + message);
            case "CREDENTIALS" -> {
                identity.expire();
                yield new Said.No(401, "The request you have made requires authentication.");
            }
            case "THROTTLED" -> new Said.No(429, "This request was rate-limited: " + message);
            default -> Said.No.bad("Invalid input received: " + message);
        };
    }

    /** Remembers one that found no host. */
    void fail(List<ObjectNode> servers) throws IOException {
        failed.put(servers);
    }

    /** The fields that all servers show, whatever became of them. */
    ObjectNode skeleton(String id, String name, String zone, String type, Map<String, String> tags, Instant created) {
        ObjectNode server = Said.object();
        server.put("id", id).put("name", name).put("tenant_id", Identity.PROJECT);
        server.put("created", created.truncatedTo(ChronoUnit.SECONDS).toString());
        server.put("accessIPv4", "").put("OS-EXT-AZ:availability_zone", zone);
        ObjectNode flavor =
                server.putObject("flavor").put("original_name", tags.getOrDefault(Compute.HIDDEN_FLAVOR, type));
        for (MachineType each : cloud.types()) {
            if (each.name().equals(type)) {
                flavor.put("vcpus", each.resources().cpus());
                flavor.put("ram", (int) (each.resources().memoryBytes() >> 20));
                flavor.set("extra_specs", Compute.extraSpecs(each));
            }
        }
        server.put("config_drive", tags.getOrDefault(Compute.HIDDEN_DRIVE, ""));
        ArrayNode words = server.putArray("tags");
        for (String word : tags.getOrDefault(Compute.HIDDEN_TAGS, "").split(",", -1)) {
            if (!word.isEmpty()) {
                words.add(word);
            }
        }
        ObjectNode metadata = server.putObject("metadata");
        tags.forEach((key, value) -> {
            if (!key.startsWith(Compute.HIDDEN)) {
                metadata.put(key, value);
            }
        });
        return server;
    }

    static ObjectNode inError(ObjectNode server, String message) {
        server.put("status", "ERROR").put("hostId", "").putNull("OS-EXT-STS:task_state");
        server.putNull("OS-SRV-USG:launched_at").putObject("addresses");
        server.putObject("fault").put("code", 500).put("message", "No valid host was found. " + message);
        return server;
    }

    private ObjectNode view(InstanceRecord instance) {
        Map<String, String> tags = new HashMap<>(instance.tags());
        String name = tags.getOrDefault(Compute.HIDDEN_NAME, instance.id());
        ObjectNode server =
                skeleton(instance.id(), name, instance.zone(), instance.type(), tags, instance.launchedAt());
        if (instance.hasFailed()) {
            return inError(server, instance.reason());
        }
        Instance.State state = instance.stateAt(cloud.now());
        boolean pending = state == Instance.State.PENDING;
        // Whoever will find no host has none while it is looked for.
        boolean looking = pending && !instance.failure().isEmpty();
        server.put("hostId", looking ? "" : HOST);
        server.put(
                "status",
                switch (state) {
                    case PENDING -> "BUILD";
                    case STOPPED -> "SHUTOFF";
                    case RUNNING, STOPPING, TERMINATING, TERMINATED -> "ACTIVE";
                });
        String task = switch (state) {
            case PENDING -> looking ? "scheduling" : "spawning";
            case STOPPING -> "powering-off";
            case TERMINATING, TERMINATED -> "deleting";
            case RUNNING, STOPPED -> null;
        };
        server.put("OS-EXT-STS:task_state", task);
        server.put(
                "OS-SRV-USG:launched_at",
                pending ? null : instance.bootAt().toString().replace("Z", ""));
        addresses(server.putObject("addresses"), instance);
        return server;
    }

    private void addresses(ObjectNode addresses, InstanceRecord instance) {
        String lan = network.nameOf(instance.tags().getOrDefault(Compute.HIDDEN_NETWORK, Network.LAN));
        List<String[]> all = new ArrayList<>();
        all.add(new String[] {instance.address(), "fixed"});
        network.floating(instance.id()).ifPresent(address -> all.add(new String[] {address, "floating"}));
        // Another network's address comes first, as Nova promises no order.
        for (String other :
                instance.tags().getOrDefault(Compute.HIDDEN_NETWORKS, "").split(",", -1)) {
            String name = network.nameOf(other);
            if (!other.isEmpty() && !name.equals(lan)) {
                addresses
                        .putArray(name)
                        .addObject()
                        .put("addr", "198.51.100.7")
                        .put("version", 4)
                        .put("OS-EXT-IPS:type", "fixed");
            }
        }
        ArrayNode list = addresses.putArray(lan);
        for (String[] each : all) {
            list.addObject().put("addr", each[0]).put("version", 4).put("OS-EXT-IPS:type", each[1]);
        }
    }
}
