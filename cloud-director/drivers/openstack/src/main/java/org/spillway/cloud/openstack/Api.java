package org.spillway.cloud.openstack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.core.transport.HttpRequest;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/** One call of one service, with the token. A call ends in one of four ways: done, refused in words, never sent, or nobody knows. */
final class Api {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PAGE = 1000;
    private static final int MAX_PAGES = 1000;
    private static final int MAX_STUCK = 3;
    private final Keystone keystone;
    private final Wire wire;

    Api(Keystone keystone, Wire wire) {
        this.keystone = keystone;
        this.wire = wire;
    }

    /** How a call ended. */
    sealed interface Result {
        /** @param body missing where the service sent none */
        record Done(int status, JsonNode body) implements Result {}

        /** The service said that it did nothing. */
        record Refused(int status, Reason reason, String message) implements Result {}

        /** Nothing was sent to the service. */
        record Unsent(String message) implements Result {}

        /** Sent, and then silence or noise. */
        record Unclear(String message) implements Result {}
    }

    /** A token that is no longer taken is replaced once: 401 says that nothing was done. */
    Result call(
            OpenStackService service,
            HttpMethod method,
            String path,
            Map<String, String> query,
            @Nullable JsonNode body) {
        Result result = new Result.Unsent("not tried");
        for (int login = 0; login < 2; login++) {
            switch (keystone.login()) {
                case Keystone.Login.Out out -> {
                    return out.reason() == null
                            ? new Result.Unsent(out.message())
                            : new Result.Refused(0, out.reason(), out.message());
                }
                case Keystone.Login.In in -> {
                    result = once(in.session(), service, method, path, query, body);
                    if (!(result instanceof Result.Refused refused && refused.status() == 401)) {
                        return result;
                    }
                    keystone.forget(in.session());
                }
            }
        }
        return result;
    }

    private Result once(
            Keystone.Session session,
            OpenStackService service,
            HttpMethod method,
            String path,
            Map<String, String> query,
            @Nullable JsonNode body) {
        Catalogue catalogue = session.catalogue();
        String endpoint = catalogue.endpoints().get(service);
        if (endpoint == null) {
            String problem = catalogue.problem().isEmpty()
                    ? "the catalogue has no " + service.name().toLowerCase(java.util.Locale.ROOT) + " service"
                    : catalogue.problem();
            return new Result.Refused(0, Reason.INVALID, problem);
        }
        HttpRequest.RequestBuilder<Void> request = HttpRequest.builder()
                .endpoint(endpoint)
                .path(path)
                .method(method)
                .header("X-Auth-Token", session.token())
                .header("Accept", "application/json");
        if (service == OpenStackService.COMPUTE) {
            request.header("OpenStack-API-Version", OpenStackService.COMPUTE_VERSION);
        }
        query.forEach(request::queryParam);
        if (body != null) {
            request.json(body.toString());
        }
        return switch (wire.send(request.build())) {
            case Wire.Reply.Unsent unsent -> new Result.Unsent(unsent.message());
            case Wire.Reply.Unclear unclear -> new Result.Unclear(unclear.message());
            case Wire.Reply.Answer answer -> read(answer);
        };
    }

    private static boolean isOfTheService(String body) {
        if (body.isBlank()) {
            return true;
        }
        try {
            return JSON.readTree(body).isObject();
        } catch (JsonProcessingException page) {
            return false;
        }
    }

    private static Result read(Wire.Reply.Answer answer) {
        int status = answer.status();
        if (status >= 400 && status < 500) {
            String message = Refusals.message(status, answer.body());
            if (status == 404 && !isOfTheService(answer.body())) {
                // A proxy's word in between is not the service's: what it does not find may well exist.
                return new Result.Unclear("answer " + message);
            }
            return new Result.Refused(status, Refusals.of(status, message), message);
        }
        if (status < 200 || status >= 300) {
            return new Result.Unclear("answer " + Refusals.message(status, answer.body()));
        }
        if (answer.body().isBlank()) {
            return new Result.Done(status, MissingNode.getInstance());
        }
        try {
            return new Result.Done(status, JSON.readTree(answer.body()));
        } catch (JsonProcessingException noJson) {
            return new Result.Unclear("answer " + status + " cannot be read");
        }
    }

    JsonNode get(OpenStackService service, String path, Map<String, String> query) throws CloudException {
        return done(call(service, HttpMethod.GET, path, query, null));
    }

    JsonNode post(OpenStackService service, String path, JsonNode body) throws CloudException {
        return done(call(service, HttpMethod.POST, path, Map.of(), body));
    }

    JsonNode put(OpenStackService service, String path, JsonNode body) throws CloudException {
        return done(call(service, HttpMethod.PUT, path, Map.of(), body));
    }

    /** Gone is success. */
    void delete(OpenStackService service, String path) throws CloudException {
        Result result = call(service, HttpMethod.DELETE, path, Map.of(), null);
        if (!(result instanceof Result.Refused refused && refused.status() == 404)) {
            done(result);
        }
    }

    static JsonNode done(Result result) throws CloudException {
        return switch (result) {
            case Result.Done done -> done.body();
            case Result.Refused no -> throw new CloudException(no.reason(), no.message());
            case Result.Unsent unsent -> throw new CloudException(Reason.THROTTLED, unsent.message());
            case Result.Unclear unclear -> throw new CloudException(Reason.THROTTLED, unclear.message());
        };
    }

    boolean has(OpenStackService service) throws CloudException {
        return keystone.session().catalogue().endpoints().containsKey(service);
    }

    /**
     * Every element of every page, once: a page may come twice. A page says by a link whether another follows; the next
     * one begins behind the last element of this one.
     *
     * @param list the key of the elements
     * @throws CloudException if one page failed, or is no list
     */
    List<JsonNode> all(OpenStackService service, String path, String list, Map<String, String> query)
            throws CloudException {
        Map<String, JsonNode> all = new LinkedHashMap<>();
        String marker = "";
        int stuck = 0;
        for (int page = 0; page < MAX_PAGES; page++) {
            Map<String, String> asked = new HashMap<>(query);
            asked.put("limit", Integer.toString(PAGE));
            if (!marker.isEmpty()) {
                asked.put("marker", marker);
            }
            JsonNode body = get(service, path, asked);
            JsonNode elements = body.path(list);
            if (!elements.isArray()) {
                throw new CloudException(Reason.THROTTLED, "the listing of " + path + " is no list");
            }
            for (JsonNode each : elements) {
                String id = each.path("id").asText();
                if (id.isEmpty()) {
                    throw new CloudException(Reason.THROTTLED, "the listing of " + path + " has something without id");
                }
                all.put(id, each);
            }
            if (!hasNext(body, list)) {
                return List.copyOf(all.values());
            }
            String last = elements.isEmpty()
                    ? ""
                    : elements.get(elements.size() - 1).path("id").asText();
            stuck = last.equals(marker) ? stuck + 1 : 0;
            if (last.isEmpty() || stuck > MAX_STUCK) {
                throw new CloudException(
                        Reason.THROTTLED, "the listing of " + path + " does not go on after " + marker);
            }
            marker = last;
        }
        throw new CloudException(Reason.THROTTLED, "the listing of " + path + " has more than " + MAX_PAGES + " pages");
    }

    /** Neutron's things of this project alone: an administrator's credential is shown those of every project. */
    List<JsonNode> own(String path, String list, Map<String, String> query) throws CloudException {
        Map<String, String> narrowed = new HashMap<>(query);
        narrowed.put("project_id", projectId());
        return all(OpenStackService.NETWORK, path, list, narrowed);
    }

    /** What the token is for. */
    String projectId() throws CloudException {
        return keystone.session().projectId();
    }

    private static boolean hasNext(JsonNode body, String list) {
        if (body.path("next").isTextual()) {
            return true;
        }
        for (JsonNode link : body.path(list + "_links")) {
            if (link.path("rel").asText().equals("next")) {
                return true;
            }
        }
        return false;
    }
}
