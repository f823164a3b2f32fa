package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.opentest4j.TestAbortedException;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.cloud.openstack.CuttingProxy.Answer;
import org.spillway.cloud.openstack.CuttingProxy.Asked;
import org.spillway.cloud.openstack.CuttingProxy.Fate;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Bad luck on real services. Theirs where they can be brought to it: a shortage by a flavor that no host serves, a quota
 * by the administrator, a failure by the hypervisor, a bad parameter and a bad token by spoiling the request on its way.
 * The proxy's own where they cannot: lost, late and throttled answers, pages, clocks, and a shortage of only a part, since
 * Nova's scheduler finds room for all of a request or for none.
 */
final class LabLuck {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NOWHERE = "capabilities:hypervisor_type";
    private final CuttingProxy proxy;
    private final OpenStackCalls admin;
    private final String projectId;
    private final Deque<Callable<?>> undoing = new ArrayDeque<>();

    LabLuck(CuttingProxy proxy, OpenStackCalls admin, String projectId) {
        this.proxy = proxy;
        this.admin = admin;
        this.projectId = projectId;
    }

    void clear() throws Exception {
        proxy.clear();
        while (!undoing.isEmpty()) {
            undoing.pop().call();
        }
    }

    /** @param flavor that the contract launches by default */
    void arrange(CloudDriverContract.Luck luck, String flavor) throws Exception {
        switch (luck) {
            case CloudDriverContract.Luck.Refuse(Reason reason) -> refuse(reason, flavor);
            case CloudDriverContract.Luck.Short(var offering) -> noHostFor(offering.instanceType());
            case CloudDriverContract.Luck.FailsLater() ->
                onLaunch(body -> ((ObjectNode) body.path("server").path("metadata")).put("lab:fail", "1"));
            case CloudDriverContract.Luck.Partial(int count) -> partial(count);
            case CloudDriverContract.Luck.LostAnswer() ->
                proxy.once((asked, way) -> {
                    if (!asked.launches()) {
                        return Optional.empty();
                    }
                    way.on(asked);
                    return Optional.of(new Fate.Dropped());
                });
            case CloudDriverContract.Luck.SlowAnswer() ->
                proxy.once((asked, way) -> {
                    if (!asked.launches()) {
                        return Optional.empty();
                    }
                    Answer answer = way.on(asked);
                    Thread.sleep(OpenStackLabContractTest.IMPATIENT.plusSeconds(1));
                    return answered(answer);
                });
            case CloudDriverContract.Luck.LateListing(Duration time) -> late(time);
            case CloudDriverContract.Luck.FailingListing() -> instead(Answer.of(503, "fails on request"));
            case CloudDriverContract.Luck.RefusedListing(Reason reason) -> refusedListing(reason);
            case CloudDriverContract.Luck.RepeatedPage() -> repeated();
            case CloudDriverContract.Luck.LyingListing(var lie) ->
                throw new TestAbortedException("nobody makes a real Nova lie: " + lie);
            case CloudDriverContract.Luck.OddConsole(boolean torn) ->
                throw new TestAbortedException("nobody makes a real Nova lie of a console, torn: " + torn);
            case CloudDriverContract.Luck.Skew(Duration ahead) -> skew(ahead);
        }
    }

    private static Optional<Fate> answered(Answer answer) {
        return Optional.of(new Fate.Answered(answer));
    }

    private void refuse(Reason reason, String flavor) throws Exception {
        switch (reason) {
            case CAPACITY -> noHostFor(flavor);
            case QUOTA -> {
                undoing.push(() -> {
                    quota(200);
                    return null;
                });
                proxy.once(this::withoutQuota);
            }
            case CREDENTIALS -> proxy.once((asked, way) -> asked.launches() ? badToken(asked, way) : Optional.empty());
            case THROTTLED ->
                proxy.once((asked, way) ->
                        asked.launches() ? answered(Answer.of(429, "too many requests")) : Optional.empty());
            case OCCUPIED -> throw new TestAbortedException("nobody but a parent head says " + reason);
            case INVALID -> onLaunch(body -> ((ObjectNode) body.path("server")).put("flavorRef", "no-such-flavor"));
        }
    }

    /** Nova's quota is the project's: it is taken away for one launch only, so that what is launched next has its own. */
    private Optional<Fate> withoutQuota(Asked asked, CuttingProxy.Way way) throws IOException, InterruptedException {
        if (!asked.launches()) {
            return Optional.empty();
        }
        try {
            quota(0);
            Answer answer = way.on(asked);
            quota(200);
            return answered(answer);
        } catch (IOException | InterruptedException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new IOException(failed);
        }
    }

    private void quota(int instances) throws Exception {
        admin.call(
                "PUT",
                "compute",
                "/os-quota-sets/" + projectId,
                "{\"quota_set\": {\"force\": true, \"instances\": " + instances + "}}");
    }

    private void noHostFor(String flavor) throws Exception {
        String id = admin.find("compute", "/flavors", "flavors", flavor).orElseThrow();
        String specs = "/flavors/" + id + "/os-extra_specs";
        admin.call("POST", "compute", specs, "{\"extra_specs\": {\"" + NOWHERE + "\": \"nowhere\"}}");
        undoing.push(() -> admin.call("DELETE", "compute", specs + "/" + NOWHERE, ""));
    }

    /** The service itself refuses the token, and the password that is sent for another. */
    private Optional<Fate> badToken(Asked asked, CuttingProxy.Way way) throws IOException, InterruptedException {
        proxy.once((next, on) -> next.logsIn()
                ? answered(on.on(next.with(next.body().replaceAll("(\"password\":\\s*\")[0-9a-f]+\"", "$1wrong\""))))
                : Optional.empty());
        return answered(way.on(asked.with("x-auth-token", "gAAAAAwrong")));
    }

    /** Spoils the request. */
    private interface Spoil {
        void take(JsonNode body);
    }

    private void onLaunch(Spoil spoil) {
        proxy.once((asked, way) -> {
            if (!asked.launches()) {
                return Optional.empty();
            }
            JsonNode body = JSON.readTree(asked.body());
            spoil.take(body);
            return answered(way.on(asked.with(body.toString())));
        });
    }

    private void instead(Answer answer) {
        proxy.once((asked, way) -> asked.lists() ? answered(answer) : Optional.empty());
    }

    private void refusedListing(Reason reason) {
        if (reason == Reason.THROTTLED) {
            instead(Answer.of(429, "too many requests"));
        } else {
            proxy.once((asked, way) -> asked.lists() ? badToken(asked, way) : Optional.empty());
        }
    }

    /** Fewer are launched, and the others are shown as Nova shows those for which it found no host. */
    private void partial(int count) {
        Set<String> failed = ConcurrentHashMap.newKeySet();
        AtomicReference<JsonNode> wanted = new AtomicReference<>();
        proxy.once((asked, way) -> {
            if (!asked.launches()) {
                return Optional.empty();
            }
            JsonNode body = JSON.readTree(asked.body());
            wanted.set(body.path("server").deepCopy());
            int missing = body.path("server").path("max_count").asInt() - count;
            for (int i = 0; i < missing; i++) {
                failed.add(java.util.UUID.randomUUID().toString());
            }
            ((ObjectNode) body.path("server")).put("max_count", count);
            return answered(way.on(asked.with(body.toString())));
        });
        proxy.add((asked, way) -> {
            String last = asked.path().substring(asked.path().lastIndexOf('/') + 1);
            if (asked.method().equals("DELETE") && failed.remove(last)) {
                return answered(new Answer(204, Map.of(), ""));
            }
            if (!asked.lists() || failed.isEmpty()) {
                return Optional.empty();
            }
            Answer answer = way.on(asked);
            JsonNode body = JSON.readTree(answer.body());
            failed.forEach(id -> ((ArrayNode) body.path("servers")).add(inError(id, wanted.get())));
            return answered(answer.with(body.toString()));
        });
    }

    private static ObjectNode inError(String id, JsonNode wanted) {
        ObjectNode server = JSON.createObjectNode();
        server.put("id", id)
                .put("name", wanted.path("name").asText())
                .put("status", "ERROR")
                .put("hostId", "");
        server.put(
                "created",
                Instant.now().truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString());
        server.putNull("OS-SRV-USG:launched_at").set("metadata", wanted.path("metadata"));
        server.putObject("fault").put("code", 500).put("message", "No valid host was found. ");
        return server;
    }

    private void late(Duration time) {
        Map<String, Instant> hidden = new HashMap<>();
        proxy.add((asked, way) -> {
            if (asked.launches()) {
                Answer answer = way.on(asked);
                String id =
                        JSON.readTree(answer.body()).path("server").path("id").asText();
                synchronized (hidden) {
                    hidden.put(id, Instant.MAX);
                }
                return answered(answer);
            }
            if (!asked.lists()) {
                return Optional.empty();
            }
            Answer answer = way.on(asked);
            JsonNode body = JSON.readTree(answer.body());
            ArrayNode shown = JSON.createArrayNode();
            for (JsonNode each : body.path("servers")) {
                synchronized (hidden) {
                    // From the first listing on, as a launch may take long on a busy machine.
                    Instant until = hidden.computeIfPresent(
                            each.path("id").asText(),
                            (id, end) -> end.equals(Instant.MAX) ? Instant.now().plus(time) : end);
                    if (until == null || Instant.now().isAfter(until)) {
                        shown.add(each);
                    }
                }
            }
            ((ObjectNode) body).set("servers", shown);
            return answered(answer.with(body.toString()));
        });
    }

    /** The first page once more where the second was asked for. */
    private void repeated() {
        List<Answer> first = new ArrayList<>();
        List<Asked> repeated = new ArrayList<>();
        proxy.add((asked, way) -> {
            if (!asked.lists() || !repeated.isEmpty()) {
                return Optional.empty();
            }
            if (asked.path().contains("marker=")) {
                repeated.add(asked);
                return answered(first.getLast());
            }
            first.add(way.on(asked));
            return answered(first.getLast());
        });
    }

    private void skew(Duration ahead) {
        proxy.add((asked, way) -> {
            if (!asked.logsIn()) {
                return Optional.empty();
            }
            Answer answer = way.on(asked);
            ObjectNode body = (ObjectNode) JSON.readTree(answer.body());
            ObjectNode token = (ObjectNode) body.path("token");
            for (String key : List.of("issued_at", "expires_at")) {
                token.put(
                        key, Instant.parse(token.path(key).asText()).plus(ahead).toString());
            }
            return answered(answer.with(body.toString()));
        });
    }
}
