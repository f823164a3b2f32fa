package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.spillway.localcloud.FrontReply;

/** A kind of thing under its path: made, listed by pages and equal fields, shown, changed and deleted. */
final class Things {
    private static final int MAX_PAGE = 1000;
    private static final Set<String> NO_FIELDS = Set.of("limit", "marker", "sort_key", "sort_dir", "fields");
    private final String one;
    private final String all;
    private final Shelf shelf;

    /** @param one the key of one of them; empty where services send it without a key, as Glance does */
    Things(String one, String all, Path folder) throws IOException {
        this.one = one;
        this.all = all;
        this.shelf = new Shelf(folder, all);
    }

    Shelf shelf() {
        return shelf;
    }

    static String newId() {
        return UUID.randomUUID().toString();
    }

    FrontReply list(Map<String, String> query) {
        return page(query, shelf.all());
    }

    FrontReply page(Map<String, String> query, List<ObjectNode> things) {
        String marker = query.getOrDefault("marker", "");
        String wanted = query.getOrDefault("limit", "");
        int limit = wanted.matches("[1-9][0-9]{0,5}") ? Math.min(MAX_PAGE, Integer.parseInt(wanted)) : MAX_PAGE;
        List<ObjectNode> left = things.stream()
                .filter(each -> matches(each, query) && each.path("id").asText().compareTo(marker) > 0)
                .toList();
        ObjectNode body = Said.object();
        body.putArray(all).addAll(left.subList(0, Math.min(limit, left.size())));
        if (left.size() > limit && one.isEmpty()) {
            body.put(
                    "next",
                    "/v2/" + all + "?marker=" + left.get(limit - 1).path("id").asText());
        } else if (left.size() > limit) {
            body.putArray(all + "_links").addObject().put("rel", "next").put("href", "");
        }
        return Said.json(200, body, all + " " + Math.min(limit, left.size()));
    }

    private static boolean matches(ObjectNode thing, Map<String, String> query) {
        return query.entrySet().stream()
                .filter(each -> !NO_FIELDS.contains(each.getKey()))
                .allMatch(each -> thing.path(each.getKey()).asText().equals(each.getValue()));
    }

    FrontReply make(JsonNode body, ObjectNode defaults, int status) throws IOException, Said.No {
        JsonNode given = one.isEmpty() ? body : body.path(one);
        if (!given.isObject()) {
            throw Said.No.bad("'" + one + "' is a required property");
        }
        ObjectNode thing = defaults.deepCopy();
        thing.put("id", newId());
        thing.setAll((ObjectNode) given);
        shelf.put(List.of(thing));
        return Said.json(
                status, wrapped(thing), "made " + all + " " + thing.path("id").asText());
    }

    private JsonNode wrapped(ObjectNode thing) {
        if (one.isEmpty()) {
            return thing;
        }
        ObjectNode body = Said.object();
        body.set(one, thing);
        return body;
    }

    ObjectNode known(String id) throws Said.No {
        return find(id).orElseThrow(() -> Said.No.missing(one.isEmpty() ? all : one, id));
    }

    Optional<ObjectNode> find(String id) {
        return shelf.find(id);
    }

    FrontReply show(String id) throws Said.No {
        return Said.json(200, wrapped(known(id)), id);
    }

    FrontReply delete(String id, int status) throws IOException, Said.No {
        if (!shelf.remove(id)) {
            throw Said.No.missing(one.isEmpty() ? all : one, id);
        }
        return Said.nothing(status, "deleted " + all + " " + id);
    }
}
