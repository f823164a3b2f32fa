package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.Lie;

/** Which call is meant. Names are the same in both cases. */
final class ArmRoutes {
    private static final int PAGE = 100;
    private static final Pattern TAG_FILTER = Pattern.compile("tagName eq '([^']*)' and tagValue eq '([^']*)'");
    private final CloudBehind cloud;
    private final ArmStore store;
    private final ArmOperations operations;
    private final ArmMachines machines;
    private final ArmResources resources;
    private final ArmCatalogue catalogue;
    private final UnaryOperator<String> consoleLink;

    ArmRoutes(
            CloudBehind cloud,
            ArmStore store,
            ArmOperations operations,
            ArmMachines machines,
            UnaryOperator<String> consoleLink) {
        this.cloud = cloud;
        this.store = store;
        this.operations = operations;
        this.machines = machines;
        this.resources = new ArmResources(store, operations);
        this.catalogue = new ArmCatalogue(cloud);
        this.consoleLink = consoleLink;
    }

    /** @param base the endpoint, for links */
    private record Call(String method, String url, List<String> path, Map<String, String> query, JsonNode body) {
        boolean is(int index, String word) {
            return path.size() > index && path.get(index).equalsIgnoreCase(word);
        }
    }

    ArmAnswer answer(FrontRequest request, String endpoint, List<String> path, Map<String, String> query, JsonNode body)
            throws ArmFault, IOException {
        Call call = new Call(request.method(), endpoint + request.path(), path, query, body);
        ArmBroken.check(cloud, request.method(), path);
        if (path.size() == 2) {
            String state = ArmBroken.SUBSCRIPTION_DISABLED.is(cloud) ? "Disabled" : "Enabled";
            return ArmAnswer.ok(object().put("subscriptionId", path.get(1)).put("state", state), "subscription");
        }
        if (call.is(2, "locations")) {
            ObjectNode all = object();
            all.putArray("value").addObject().put("name", ArmFront.LOCATION).put("displayName", "This machine");
            return ArmAnswer.ok(all, "locations");
        }
        if (call.is(2, "providers")) {
            return ofSubscription(call);
        }
        if (!call.is(2, "resourceGroups") || path.size() < 4) {
            throw ArmFault.notFound(request.path());
        }
        String group = "/subscriptions/" + path.get(1) + "/resourceGroups/" + path.get(3);
        if (path.size() == 4) {
            return group(call, group);
        }
        if (!store.has(ArmId.key(group))) {
            throw new ArmFault(
                    404, "ResourceGroupNotFound", "Resource group '" + path.get(3) + "' could not be found.");
        }
        if (call.is(4, "resources")) {
            return listed(call, group);
        }
        if (call.is(5, "Microsoft.Authorization") && call.is(6, "locks")) {
            return ArmAnswer.ok(ArmBroken.locks(cloud, group), "locks");
        }
        if (call.is(5, "Microsoft.Authorization")) {
            ObjectNode all = object();
            ObjectNode permission = all.putArray("value").addObject();
            permission.putArray("actions").add("*");
            ArrayNode not = permission.putArray("notActions");
            ArmBroken.denied(cloud).forEach(not::add);
            return ArmAnswer.ok(all, "permissions");
        }
        if (call.is(5, "Microsoft.Resources") && call.is(8, "validate")) {
            return ArmValidation.of(cloud, path.get(7), body);
        }
        return ofGroup(call, request);
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ObjectNode group(String id, String name, Map<String, String> tags) {
        ObjectNode group = object().put("id", id).put("name", name).put("location", ArmFront.LOCATION);
        group.put("type", "Microsoft.Resources/resourceGroups");
        tags.forEach(group.putObject("tags")::put);
        group.putObject("properties").put("provisioningState", "Succeeded");
        return group;
    }

    private ArmAnswer group(Call call, String id) throws ArmFault, IOException {
        Optional<ObjectNode> found = store.find(ArmId.key(id));
        switch (call.method()) {
            case "PUT" -> {
                Map<String, String> tags = new java.util.HashMap<>();
                call.body()
                        .path("tags")
                        .properties()
                        .forEach(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
                ObjectNode group = group(id, call.path().get(3), tags);
                store.put(Map.of(ArmId.key(id), group));
                return new ArmAnswer(found.isPresent() ? 200 : 201, group, "", id, Optional.empty());
            }
            case "DELETE" -> {
                if (found.isEmpty()) {
                    throw ArmFault.notFound(id);
                }
                for (ObjectNode machine : machines.all(ArmId.key(id) + "/")) {
                    cloud.terminate(List.of(machine.path("name").asText()));
                }
                List<String> keys = new ArrayList<>(List.of(ArmId.key(id)));
                store.startingWith(ArmId.key(id) + "/")
                        .forEach(each -> keys.add(ArmId.key(each.path("id").asText())));
                store.remove(keys);
                return ArmAnswer.accepted(operations.start(() -> ArmOperations.Failure.NONE), id);
            }
            default -> {
                return ArmAnswer.ok(
                        found.orElseThrow(() -> new ArmFault(
                                404, "ResourceGroupNotFound", "Resource group '" + id + "' could not be found.")),
                        id);
            }
        }
    }

    private ArmAnswer ofSubscription(Call call) throws ArmFault, IOException {
        List<String> path = call.path();
        if (path.size() == 4) {
            return ArmAnswer.ok(
                    object().put("namespace", path.get(3))
                            .put(
                                    "registrationState",
                                    ArmBroken.isRegistered(cloud, path.get(3)) ? "Registered" : "NotRegistered"),
                    "provider " + path.get(3));
        }
        if (call.is(4, "skus")) {
            return ArmAnswer.ok(catalogue.skus(), "skus");
        }
        if (call.is(4, "virtualMachines")) {
            List<ObjectNode> all = machines.all(ArmId.key("/subscriptions/" + path.get(1) + "/"));
            boolean statusOnly = call.query().getOrDefault("statusOnly", "").equals("true");
            return page(call, all, one -> statusOnly ? machines.statusOnly(one) : machines.view(one, false), false);
        }
        if (call.is(4, "locations") && path.size() > 6) {
            if (!call.is(5, ArmFront.LOCATION)) {
                throw new ArmFault(400, "NoRegisteredProviderFound", "There is no location " + path.get(5));
            }
            if (call.is(6, "usages")) {
                return ArmAnswer.ok(new ArmUsages(cloud).told(), "usages");
            }
            if (call.is(6, "operations") && path.size() == 8) {
                ObjectNode progress = operations.look(path.get(7));
                return ArmAnswer.ok(progress, progress.path("status").asText());
            }
            // .../publishers/P/artifacttypes/vmimage/offers/O/skus/S/versions
            if (call.is(6, "publishers") && path.size() == 16) {
                return ArmAnswer.ok(catalogue.image(List.of(path.get(7), path.get(11), path.get(13))), "image");
            }
            if (call.is(6, "publishers") && path.size() == 15) {
                return ArmAnswer.ok(catalogue.imageVersions(List.of(path.get(7), path.get(11), path.get(13))), "image");
            }
        }
        throw ArmFault.notFound(String.join("/", path));
    }

    private ArmAnswer ofGroup(Call call, FrontRequest request) throws ArmFault, IOException {
        List<String> path = call.path();
        if (path.size() < 7) {
            throw ArmFault.notFound(request.path());
        }
        boolean machine = call.is(5, "Microsoft.Compute") && call.is(6, "virtualMachines");
        if (machine && path.size() == 9) {
            return act(call, ArmId.of(path.subList(0, 8)), path.get(8));
        }
        ArmId id = ArmId.of(path);
        if (!machine && !ArmResources.isKnown(id.type())) {
            throw new ArmFault(404, "InvalidResourceType", "There is no type " + id.type());
        }
        if (!id.isWhole()) {
            return list(call, id, machine);
        }
        switch (call.method()) {
            case "PUT" -> {
                if (!(call.body() instanceof ObjectNode body)
                        || !body.path("location").asText().equalsIgnoreCase(ArmFront.LOCATION)) {
                    throw new ArmFault(400, "LocationNotAvailableForResourceType", "The only location is local.");
                }
                if (machine) {
                    ArmBroken.checkMachine(cloud, id.name(), body);
                    resources.checkReferences(body.path("properties"), id);
                    boolean urn = !body.at("/properties/storageProfile/imageReference/publisher")
                            .isMissingNode();
                    if (urn) {
                        catalogue.imageVersions(List.of(body.at("/properties/storageProfile/imageReference/publisher")
                                .asText()));
                    }
                    return machines.put(
                            id, body, request.header("if-none-match").equals("*"));
                }
                return resources.put(id, body.deepCopy());
            }
            case "DELETE" -> {
                return machine ? machines.delete(id) : resources.delete(id);
            }
            default -> {
                ObjectNode found = (machine ? machines.find(id) : store.find(id.key()))
                        .orElseThrow(() -> ArmFault.notFound(id.text()));
                boolean statuses = call.query().getOrDefault("$expand", "").equals("instanceView");
                return ArmAnswer.ok(machine ? machines.view(found, statuses) : resources.view(found), id.name());
            }
        }
    }

    private ArmAnswer act(Call call, ArmId id, String action) throws ArmFault, IOException {
        if (action.equalsIgnoreCase("retrieveBootDiagnosticsData")) {
            if (machines.find(id).isEmpty()) {
                throw ArmFault.notFound(id.text());
            }
            return ArmAnswer.ok(object().put("serialConsoleLogBlobUri", consoleLink.apply(id.name())), id.name());
        }
        if (!call.method().equals("POST")) {
            throw ArmFault.notFound(id.text() + "/" + action);
        }
        return machines.act(id, action);
    }

    private ArmAnswer list(Call call, ArmId id, boolean machine) throws ArmFault, IOException {
        String prefix = id.key() + "/";
        if (machine) {
            Optional<Fault> refused = cloud.strikes(Fault.Kind.LISTING_REFUSED, "", "");
            if (refused.isPresent()) {
                throw ArmFault.of(refused.get().reason().name(), "refused on request");
            }
            if (cloud.strikes(Fault.Kind.LISTING_FAILS, "", "").isPresent()) {
                throw new ArmFault(500, "InternalServerError", "The listing fails on request.");
            }
            List<ObjectNode> truth = machines.all(prefix);
            Lie lie = Lie.strikes(cloud);
            List<ObjectNode> told = lie.told(
                    truth,
                    machines::isLive,
                    one -> Instant.parse(one.at("/properties/timeCreated").asText()),
                    cloud.now());
            int ended = lie.ended(told, machines::isLive);
            return page(call, told, one -> machines.view(one, false, ended >= 0 && one.equals(told.get(ended))), true);
        }
        machines.all(prefix.substring(0, prefix.indexOf("/providers/")) + "/");
        if (id.is(ArmReservations.TYPE)
                && !store.has(prefix.substring(0, prefix.lastIndexOf("/capacityreservations/")))) {
            throw ArmFault.notFound(id.text());
        }
        return page(call, List.copyOf(store.startingWith(prefix)), resources::view, false);
    }

    /** The generic listing of a group, with what all types have in common. */
    private ArmAnswer listed(Call call, String group) throws IOException {
        machines.all(ArmId.key(group) + "/");
        Matcher wanted = TAG_FILTER.matcher(call.query().getOrDefault("$filter", ""));
        boolean filtered = wanted.find();
        List<ObjectNode> all = store.startingWith(ArmId.key(group) + "/providers/").stream()
                .filter(each -> !filtered
                        || each.path("tags").path(wanted.group(1)).asText("").equals(wanted.group(2)))
                .toList();
        return page(
                call,
                all,
                one -> {
                    ObjectNode brief = object();
                    for (String field : List.of("id", "name", "type", "location", "tags", "managedBy", "sku")) {
                        if (one.has(field)) {
                            brief.set(field, one.get(field));
                        }
                    }
                    return brief;
                },
                false);
    }

    /** @param faulty whether a page may come twice */
    private ArmAnswer page(Call call, List<ObjectNode> all, UnaryOperator<ObjectNode> view, boolean faulty) {
        // By key and not by number: what goes between two pages must not hide another.
        String token = call.query().getOrDefault("$skiptoken", "");
        int from = 0;
        while (!token.isEmpty() && from < all.size() && key(all.get(from)).compareTo(token) <= 0) {
            from++;
        }
        boolean twice = faulty
                && from > 0
                && cloud.strikes(Fault.Kind.REPEATED_PAGE, "", "").isPresent();
        int begin = twice ? Math.max(0, from - PAGE) : from;
        int end = twice ? from : Math.min(all.size(), from + PAGE);
        ObjectNode body = object();
        ArrayNode value = body.putArray("value");
        all.subList(begin, end).forEach(each -> value.add(view.apply(each)));
        if (end < all.size()) {
            StringBuilder next = new StringBuilder(call.url())
                    .append("?%24skiptoken=")
                    .append(URLEncoder.encode(key(all.get(end - 1)), StandardCharsets.UTF_8));
            call.query().forEach((key, text) -> {
                if (!key.equals("$skiptoken")) {
                    next.append('&')
                            .append(URLEncoder.encode(key, StandardCharsets.UTF_8))
                            .append('=')
                            .append(URLEncoder.encode(text, StandardCharsets.UTF_8));
                }
            });
            body.put("nextLink", next.toString());
        }
        return ArmAnswer.ok(
                body,
                value.size() + " of " + all.size() + " " + call.path().getLast().toLowerCase(Locale.ROOT));
    }

    private static String key(ObjectNode resource) {
        return ArmId.key(resource.path("id").asText());
    }
}
