package org.spillway.cloud.openstack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openstack4j.api.OSClient.OSClientV3;
import org.openstack4j.api.identity.EndpointURLResolver;
import org.openstack4j.api.types.Facing;
import org.openstack4j.api.types.ServiceType;
import org.openstack4j.core.transport.Config;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.core.transport.HttpRequest;
import org.openstack4j.core.transport.HttpResponse;
import org.openstack4j.core.transport.ObjectMapperSingleton;
import org.openstack4j.model.identity.URLResolverParams;
import org.openstack4j.openstack.internal.OSClientSession.OSClientSessionV3;
import org.spillway.policy.LaunchOutcome.Reason;

/** A request under a session, asked by OpenStack4j or by the driver itself, and its result. */
final class Exchange implements EndpointURLResolver {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final Keystone.Session session;
    private final Wire wire;
    private final Microversions microversions;
    private final String list;
    private ComputeFeature feature = ComputeFeature.BASE;
    private @Nullable OpenStackService service;
    private Api.Result result = new Api.Result.Unsent("not tried");

    /** @param list the key of a listing's elements, without which it is none; empty for what is no listing */
    Exchange(Keystone.Session session, Wire wire, Microversions microversions, String list) {
        this.session = session;
        this.wire = wire;
        this.microversions = microversions;
        this.list = list;
    }

    /** Ends a call of OpenStack4j's before it turns an error into an exception that has lost the service's words. */
    static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1;

        Ended() {
            super("the call has ended", null, false, false);
        }
    }

    <T> Api.Answer<T> ask(Api.Ask<T> what) {
        Config config = Config.newConfig().withEndpointURLResolver(this);
        OSClientV3 cloud = OSClientSessionV3.createSession(session.grant(), Facing.PUBLIC, null, config);
        try {
            T value = ScopedValue.where(Connector.UNDER_WAY, this).call(() -> what.of(cloud));
            return new Api.Answer<>(result, value);
        } catch (Ended told) {
            return new Api.Answer<>(result, null);
        } catch (RuntimeException unreadable) {
            if (result instanceof Api.Result.Done) {
                return new Api.Answer<>(new Api.Result.Unclear("the answer cannot be read: " + unreadable), null);
            }
            throw unreadable;
        }
    }

    /** The catalogue's address of a service, for OpenStack4j; the request is sent there whatever it makes of it. */
    @Override
    public String findURLV3(URLResolverParams wanted) {
        service = service(wanted.type);
        return endpoint(service);
    }

    @Override
    public String findURLV2(URLResolverParams wanted) {
        throw new UnsupportedOperationException("Keystone v2 is no more");
    }

    private static OpenStackService service(ServiceType type) {
        return switch (type) {
            case COMPUTE -> OpenStackService.COMPUTE;
            case NETWORK -> OpenStackService.NETWORK;
            case IMAGE -> OpenStackService.IMAGE;
            case BLOCK_STORAGE -> OpenStackService.VOLUME;
            default -> throw new IllegalArgumentException("not asked: " + type);
        };
    }

    private String endpoint(OpenStackService of) {
        Catalogue catalogue = session.catalogue();
        String endpoint = catalogue.endpoints().get(of);
        if (endpoint == null) {
            String problem = catalogue.problem().isEmpty()
                    ? "the catalogue has no " + of.name().toLowerCase(Locale.ROOT) + " service"
                    : catalogue.problem();
            result = new Api.Result.Refused(0, Reason.INVALID, problem, "");
            throw new Ended();
        }
        return endpoint;
    }

    /** @throws Ended unless the service has done what it was asked for */
    HttpResponse send(HttpRequest<?> request) {
        OpenStackService asked = service;
        if (asked == null) {
            throw new IllegalStateException("no service was looked up for " + request.getPath());
        }
        String json = request.hasJson() ? request.getJson() : json(request.getEntity());
        Map<String, List<Object>> query = request.hasQueryParams() ? request.getQueryParams() : Map.of();
        Api.Result.Done done = send(asked, request.getMethod(), request.getPath(), query, json);
        return new Reply(done);
    }

    private static @Nullable String json(@Nullable Object entity) {
        if (entity == null) {
            return null;
        }
        try {
            return ObjectMapperSingleton.getContext(entity.getClass()).writer().writeValueAsString(entity);
        } catch (JsonProcessingException impossible) {
            throw new IllegalArgumentException("cannot be sent: " + entity.getClass(), impossible);
        }
    }

    /** The same, for a request that asks Nova for that. */
    Exchange with(ComputeFeature wanted) {
        feature = wanted;
        return this;
    }

    /** A request of the driver's own. */
    Api.Result raw(
            OpenStackService of, HttpMethod method, String path, Map<String, String> query, @Nullable JsonNode body) {
        Map<String, List<Object>> asked = new HashMap<>();
        query.forEach((name, value) -> asked.put(name, List.of(value)));
        try {
            return send(of, method, path, asked, body == null ? null : body.toString());
        } catch (Ended told) {
            return result;
        }
    }

    private Api.Result.Done send(
            OpenStackService of,
            HttpMethod method,
            String path,
            Map<String, List<Object>> query,
            @Nullable String json) {
        String endpoint = endpoint(of);
        HttpRequest.RequestBuilder<Void> request = HttpRequest.builder()
                .endpoint(endpoint)
                .path(path)
                .method(method)
                .header("X-Auth-Token", session.token())
                .header("Accept", "application/json");
        if (of == OpenStackService.COMPUTE) {
            Optional<Api.Result> objection = microversions.objection(endpoint, session.token(), feature);
            if (objection.isPresent()) {
                result = objection.get();
                throw new Ended();
            }
            request.header("OpenStack-API-Version", feature.header());
        }
        query.forEach((name, values) -> values.forEach(value -> request.queryParam(name, value)));
        if (json != null) {
            request.json(json);
        }
        result = switch (wire.send(request.build())) {
            case Wire.Reply.Unsent unsent -> new Api.Result.Unsent(unsent.message());
            case Wire.Reply.Unclear unclear -> new Api.Result.Unclear(unclear.message());
            case Wire.Reply.Answer answer -> read(answer);
        };
        if (!list.isEmpty()
                && result instanceof Api.Result.Done told
                && !told.body().path(list).isArray()) {
            result = new Api.Result.Unclear("the listing of " + path + " is no list");
        }
        if (result instanceof Api.Result.Done done) {
            return done;
        }
        throw new Ended();
    }

    private static Api.Result read(Wire.Reply.Answer answer) {
        int status = answer.status();
        if (status >= 400 && status < 500) {
            String message = Refusals.message(status, answer.body());
            if (status == 404 && !isOfTheService(answer.body())) {
                // A proxy's word in between is not the service's: what it does not find may well exist.
                return new Api.Result.Unclear("answer " + message);
            }
            return new Api.Result.Refused(status, Refusals.of(status, message), message, Refusals.fault(answer.body()));
        }
        if (status < 200 || status >= 300) {
            return new Api.Result.Unclear("answer " + Refusals.message(status, answer.body()));
        }
        if (answer.body().isBlank()) {
            return new Api.Result.Done(status, MissingNode.getInstance());
        }
        try {
            return new Api.Result.Done(status, JSON.readTree(answer.body()));
        } catch (JsonProcessingException noJson) {
            return new Api.Result.Unclear("answer " + status + " cannot be read");
        }
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
}
