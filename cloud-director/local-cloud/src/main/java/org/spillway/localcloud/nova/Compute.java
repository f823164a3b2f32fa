package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.ApiError;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.MachineType;

/** Nova: its versions, flavors, zones, limits, keys, server groups and servers. */
final class Compute implements NovaFront.Service {
    static final String HIDDEN = "nova:";
    static final String HIDDEN_NAME = HIDDEN + "name";
    static final String HIDDEN_NETWORK = HIDDEN + "network";
    static final String HIDDEN_GROUP = HIDDEN + "group";
    /** Server tags, with commas between. */
    static final String HIDDEN_TAGS = HIDDEN + "tags";

    static final String HIDDEN_DRIVE = HIDDEN + "config-drive";
    /** Ids of ports that were made before, with commas between. */
    static final String HIDDEN_PORTS = HIDDEN + "ports";
    /** Ids of the networks, with commas between. */
    static final String HIDDEN_NETWORKS = HIDDEN + "networks";

    /** Id of the reservation that a server is in. */
    static final String HIDDEN_RESERVATION = HIDDEN + "reservation";
    /** Name of the flavor, where it is not the type's. */
    static final String HIDDEN_FLAVOR = HIDDEN + "flavor";

    private static final int CONSOLE_BYTES = 64 * 1024;
    private static final String VERSION_HEADER = "OpenStack-API-Version";
    private final CloudBehind cloud;
    private final Reservations reservations;
    private final Things keys;
    private final Things groups;
    private final ServerList servers;
    private final ServerMaker maker;

    Compute(
            CloudBehind cloud,
            Identity identity,
            Network network,
            Storage storage,
            Reservations reservations,
            Path folder)
            throws IOException {
        this.cloud = cloud;
        this.reservations = reservations;
        this.keys = new Things("keypair", "keypairs", folder);
        this.groups = new Things("server_group", "server_groups", folder);
        this.servers = new ServerList(cloud, identity, network, new Shelf(folder, "failed-servers"));
        this.maker = new ServerMaker(cloud, identity, network, storage, reservations, servers, this);
    }

    boolean hasKey(String name) {
        return keys.find(name).isPresent();
    }

    boolean hasGroup(String id) {
        return groups.find(id).isPresent();
    }

    @Override
    public FrontReply answer(NovaFront.Asked asked) throws IOException, Said.No {
        if (asked.method().equals("GET") && asked.word(0).isEmpty()) {
            return NovaVersions.document(cloud);
        }
        int minor = NovaVersions.asked(cloud, asked.request().header(VERSION_HEADER));
        return switch (asked.method() + " " + asked.word(0)) {
            case "GET limits" -> limits();
            case "GET flavors" -> flavors();
            case "GET os-availability-zone" -> zones();
            case "GET os-keypairs", "POST os-keypairs", "DELETE os-keypairs" -> keys(asked);
            case "GET os-server-groups", "POST os-server-groups", "DELETE os-server-groups" -> groups(asked);
            case "GET servers" ->
                asked.word(1).equals("detail") ? servers.page(asked.query()) : servers.show(asked.word(1));
            case "POST servers" -> asked.word(2).equals("action") ? act(asked) : maker.make(asked.body(), minor);
            case "DELETE servers" -> end(asked.word(1));
            default -> throw Said.No.missing("Path", String.join("/", asked.words()));
        };
    }

    private FrontReply limits() {
        ObjectNode body = Said.object();
        body.putObject("limits").set("absolute", NovaBroken.limits(cloud));
        return Said.json(200, body, "limits");
    }

    private FrontReply flavors() {
        ObjectNode body = Said.object();
        var flavors = body.putArray("flavors");
        NovaBroken.flavors(cloud).forEach(type -> flavors.add(flavor(type)));
        reservations.addFlavors(flavors);
        return Said.json(200, body, "flavors " + flavors.size());
    }

    static String flavorId(MachineType type) {
        return "f-" + type.name();
    }

    static ObjectNode flavor(MachineType type) {
        ObjectNode flavor = Said.object();
        flavor.put("id", flavorId(type)).put("name", type.name());
        flavor.put("vcpus", type.resources().cpus());
        flavor.put("ram", (int) (type.resources().memoryBytes() >> 20));
        flavor.put("disk", (int) (type.resources().localDiskBytes() >> 30));
        flavor.put("OS-FLV-EXT-DATA:ephemeral", 0).put("OS-FLV-DISABLED:disabled", false);
        flavor.put("os-flavor-access:is_public", true);
        flavor.set("extra_specs", extraSpecs(type));
        return flavor;
    }

    static ObjectNode extraSpecs(MachineType type) {
        ObjectNode specs = Said.object();
        if (type.resources().gpus() > 0) {
            specs.put(
                    "pci_passthrough:alias",
                    type.resources().gpuModel() + ":" + type.resources().gpus());
        }
        // A name of that kind stands for a machine of Ironic's.
        if (type.name().startsWith("bm.")) {
            specs.put("resources:VCPU", "0").put("resources:CUSTOM_BAREMETAL", "1");
        }
        for (String feature : type.features()) {
            if (feature.startsWith("fabric:")) {
                specs.put("spillway:fabric", feature.substring("fabric:".length()));
            }
            if (feature.equals("arch:arm64")) {
                specs.put("trait:HW_ARCH_AARCH64", "required");
            }
        }
        return specs;
    }

    private FrontReply zones() {
        ObjectNode body = Said.object();
        var zones = body.putArray("availabilityZoneInfo");
        for (String zone : cloud.zones()) {
            ObjectNode each = zones.addObject();
            each.put("zoneName", zone).putObject("zoneState").put("available", true);
            each.putNull("hosts");
        }
        return Said.json(200, body, "zones");
    }

    /** A key is known by its name; the number that Nova tells beside it names nothing. */
    private FrontReply keys(NovaFront.Asked asked) throws IOException, Said.No {
        String name = asked.word(1);
        switch (asked.method()) {
            case "DELETE":
                return keys.delete(name, 202);
            case "GET":
                if (!name.isEmpty() && NovaBroken.KEY_FOREIGN.is(cloud)) {
                    throw Said.No.missing("Keypair", name);
                }
                if (!name.isEmpty()) {
                    return Said.json(200, told(keys.known(name)), name);
                }
                ObjectNode body = Said.object();
                var list = body.putArray("keypairs");
                keys.shelf().all().forEach(each -> list.add(told(each)));
                return Said.json(200, body, "keys");
            default:
                JsonNode given = asked.body().path("keypair");
                String wanted = given.path("name").asText();
                if (wanted.isEmpty() || hasKey(wanted)) {
                    throw new Said.No(wanted.isEmpty() ? 400 : 409, "Key pair '" + wanted + "' already exists.");
                }
                ObjectNode key = ((ObjectNode) given).deepCopy().put("id", wanted);
                keys.shelf().put(List.of(key));
                return Said.json(201, told(key), "key " + wanted);
        }
    }

    private static ObjectNode told(ObjectNode key) {
        ObjectNode body = Said.object();
        body.set("keypair", key.deepCopy().put("id", key.path("name").asText().hashCode() & Integer.MAX_VALUE));
        return body;
    }

    private FrontReply groups(NovaFront.Asked asked) throws IOException, Said.No {
        String id = asked.word(1);
        switch (asked.method()) {
            case "DELETE":
                return groups.delete(id, 204);
            case "GET":
                ObjectNode body = Said.object();
                var list = body.putArray("server_groups");
                String offset = asked.query().getOrDefault("offset", "");
                int skipped = offset.matches("[0-9]{1,6}") ? Integer.parseInt(offset) : 0;
                for (ObjectNode group :
                        groups.shelf().all().stream().skip(skipped).toList()) {
                    var members = group.putArray("members");
                    servers.inGroup(group.path("id").asText()).forEach(members::add);
                    list.add(group);
                }
                return Said.json(200, body, "server groups");
            default:
                return groups.make(asked.body(), Said.object(), 200);
        }
    }

    private FrontReply act(NovaFront.Asked asked) throws IOException, Said.No {
        String id = asked.word(1);
        InstanceRecord server = servers.alive(id)
                .orElseThrow(() -> servers.hasFailed(id)
                        ? new Said.No(409, "Cannot act on instance " + id + " while it is in vm_state error")
                        : Said.No.missing("Instance", id));
        Instance.State state = server.stateAt(cloud.now());
        JsonNode body = asked.body();
        if (body.has("os-getConsoleOutput")) {
            boolean isEmpty = cloud.strikes(Fault.Kind.CONSOLE_EMPTY, "", "").isPresent();
            if (isEmpty || state == Instance.State.PENDING || server.hasFailed()) {
                throw new Said.No(409, "Instance " + id + " is not ready");
            }
            String text = cloud.console(id, CONSOLE_BYTES);
            boolean isTorn = cloud.strikes(Fault.Kind.CONSOLE_TORN, "", "").isPresent();
            String output = isTorn ? text.substring(0, text.length() / 2) : text;
            return Said.json(200, Said.object().put("output", output), "console " + id);
        }
        boolean stop = body.has("os-stop");
        if (!stop && !body.has("os-start")) {
            throw Said.No.bad("There is no such action");
        }
        if (server.hasFailed() || state != (stop ? Instance.State.RUNNING : Instance.State.STOPPED)) {
            String verb = stop ? "stop" : "start";
            throw new Said.No(409, "Cannot '" + verb + "' instance " + id + " while it is " + state);
        }
        try {
            if (stop) {
                cloud.stop(List.of(id));
            } else {
                cloud.start(List.of(id));
            }
        } catch (ApiError none) {
            throw new Said.No(409, "No valid host was found. " + none.getMessage());
        }
        return Said.nothing(202, (stop ? "stop " : "start ") + id);
    }

    private FrontReply end(String id) throws IOException, Said.No {
        if (!servers.forgetFailed(id)) {
            if (servers.alive(id).isEmpty()) {
                throw Said.No.missing("Instance", id);
            }
            cloud.terminate(List.of(id));
        }
        return Said.nothing(204, "delete " + id);
    }

    /** About the answer of a launch; all else has struck before. */
    Optional<Fault> ofAnswer(String type, String zone) {
        return cloud.strikes(Fault.Kind.LOST, type, zone).or(() -> cloud.strikes(Fault.Kind.SLOW, type, zone));
    }
}
