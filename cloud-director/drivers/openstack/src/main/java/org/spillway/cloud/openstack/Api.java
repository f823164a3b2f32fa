package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.openstack4j.api.OSClient.OSClientV3;
import org.openstack4j.core.transport.HttpMethod;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Calls with the token. A call ends in one of four ways: done, refused in words, never sent, or nobody knows. What
 * OpenStack4j has a service and a whole model for is asked as an {@link Ask}; requests of the driver's own say beside
 * them what is missing.
 */
final class Api {
    private final Keystone keystone;
    private final Wire wire;
    private final Microversions microversions;

    Api(Keystone keystone, Wire wire, Microversions microversions) {
        this.keystone = keystone;
        this.wire = wire;
        this.microversions = microversions;
    }

    /** How a call ended. */
    sealed interface Result {
        /** @param body missing where the service sent none */
        record Done(int status, JsonNode body) implements Result {}

        /** The service said that it did nothing. @param fault its own name for that; empty where it has none */
        record Refused(int status, Reason reason, String message, String fault) implements Result {}

        /** Nothing was sent to the service. */
        record Unsent(String message) implements Result {}

        /** Sent, and then silence or noise. */
        record Unclear(String message) implements Result {}

        /** The service knows nothing of that name. */
        default boolean isMissing() {
            return this instanceof Refused refused && refused.status() == 404;
        }
    }

    /** A request by OpenStack4j's services. */
    interface Ask<T> {
        T of(OSClientV3 cloud);
    }

    /** A page of a listing by OpenStack4j's services. */
    interface Listing<T> {
        List<? extends T> of(OSClientV3 cloud, Map<String, String> query);
    }

    /** @param value as OpenStack4j has read it; null unless the result is {@link Result.Done} */
    record Answer<T>(Result result, @Nullable T value) {}

    /** A token that is no longer taken is replaced once: 401 says that nothing was done. */
    private <T> Answer<T> loggedIn(Function<Keystone.Session, Answer<T>> attempt) {
        Answer<T> answer = new Answer<>(new Result.Unsent("not tried"), null);
        for (int login = 0; login < 2; login++) {
            switch (keystone.login()) {
                case Keystone.Login.Out out -> {
                    return new Answer<>(
                            out.reason() == null
                                    ? new Result.Unsent(out.message())
                                    : new Result.Refused(0, out.reason(), out.message(), ""),
                            null);
                }
                case Keystone.Login.In in -> {
                    answer = attempt.apply(in.session());
                    if (!(answer.result() instanceof Result.Refused refused && refused.status() == 401)) {
                        return answer;
                    }
                    keystone.forget(in.session());
                }
            }
        }
        return answer;
    }

    Result call(
            OpenStackService service,
            HttpMethod method,
            String path,
            Map<String, String> query,
            @Nullable JsonNode body) {
        return loggedIn(session -> new Answer<>(exchange(session, "").raw(service, method, path, query, body), null))
                .result();
    }

    /** A launch, at the least version of Nova's that has what it asks for. */
    Result launch(ComputeFeature feature, JsonNode body) {
        return loggedIn(session -> new Answer<>(
                        exchange(session, "")
                                .with(feature)
                                .raw(OpenStackService.COMPUTE, HttpMethod.POST, "/servers", Map.of(), body),
                        null))
                .result();
    }

    private Exchange exchange(Keystone.Session session, String list) {
        return new Exchange(session, wire, microversions, list);
    }

    /** The microversions that Nova offers, by its own word. */
    Microversions.Range computeVersions() throws CloudException {
        Keystone.Session session = keystone.session();
        String endpoint = session.catalogue().endpoints().get(OpenStackService.COMPUTE);
        if (endpoint == null) {
            throw new CloudException(Reason.INVALID, "the catalogue has no compute service");
        }
        return switch (microversions.told(endpoint, session.token())) {
            case Microversions.Told.Offered offered -> offered.range();
            case Microversions.Told.Failed failed -> {
                done(failed.result());
                yield Microversions.Range.UNKNOWN;
            }
        };
    }

    JsonNode get(OpenStackService service, String path, Map<String, String> query) throws CloudException {
        return done(call(service, HttpMethod.GET, path, query, null));
    }

    JsonNode post(OpenStackService service, String path, JsonNode body) throws CloudException {
        return done(call(service, HttpMethod.POST, path, Map.of(), body));
    }

    static JsonNode done(Result result) throws CloudException {
        return switch (result) {
            case Result.Done done -> done.body();
            case Result.Refused no -> throw new CloudException(no.reason(), no.message());
            case Result.Unsent unsent -> throw new CloudException(Reason.THROTTLED, unsent.message());
            case Result.Unclear unclear -> throw new CloudException(Reason.THROTTLED, unclear.message());
        };
    }

    /** As {@link #all(String, Map, Listing)}, where OpenStack4j's model lacks what is looked for. */
    List<JsonNode> all(OpenStackService service, String path, String list, Map<String, String> query)
            throws CloudException {
        return Pages.all(list, query, asked -> {
            JsonNode body = get(service, path, asked);
            return new Pages.Page<>(
                    body, List.copyOf(body.path(list).valueStream().toList()));
        });
    }

    /** Neutron's things of this project alone: an administrator's credential is shown those of every project. */
    List<JsonNode> own(String path, String list, Map<String, String> query) throws CloudException {
        return all(OpenStackService.NETWORK, path, list, ownOnly(query));
    }

    /** How it ended, for those who look at that themselves. */
    <T> Answer<T> ask(Ask<T> what) {
        return ask("", what);
    }

    private <T> Answer<T> ask(String list, Ask<T> what) {
        return loggedIn(session -> exchange(session, list).ask(what));
    }

    <T> T get(Ask<T> what) throws CloudException {
        return value(ask(what));
    }

    /** Empty if the service knows nothing of that name. */
    <T> Optional<T> find(Ask<T> what) throws CloudException {
        Answer<T> answer = ask(what);
        return answer.result().isMissing() ? Optional.empty() : Optional.of(value(answer));
    }

    /** Gone is success. */
    void unlessGone(Ask<?> what) throws CloudException {
        Result result = ask(what).result();
        if (!result.isMissing()) {
            done(result);
        }
    }

    private static <T> T value(Answer<T> answer) throws CloudException {
        done(answer.result());
        T value = answer.value();
        if (value == null) {
            throw new CloudException(Reason.THROTTLED, "the answer is empty");
        }
        return value;
    }

    /** A listing that comes in one page. */
    <T> List<? extends T> whole(String list, Ask<List<? extends T>> what) throws CloudException {
        return value(ask(list, what));
    }

    /** @param list the key of the elements */
    <T> List<T> all(String list, Map<String, String> query, Listing<T> listing) throws CloudException {
        return Pages.all(list, query, asked -> {
            Answer<List<? extends T>> answer = ask(list, cloud -> listing.of(cloud, asked));
            return new Pages.Page<>(done(answer.result()), value(answer));
        });
    }

    /** As {@link #own(String, String, Map)}. */
    <T> List<T> own(String list, Map<String, String> query, Listing<T> listing) throws CloudException {
        return all(list, ownOnly(query), listing);
    }

    private Map<String, String> ownOnly(Map<String, String> query) throws CloudException {
        Map<String, String> narrowed = new HashMap<>(query);
        narrowed.put("project_id", projectId());
        return narrowed;
    }

    boolean has(OpenStackService service) throws CloudException {
        return keystone.session().catalogue().endpoints().containsKey(service);
    }

    /** The project that the token is for. */
    String projectId() throws CloudException {
        return keystone.session().projectId();
    }
}
