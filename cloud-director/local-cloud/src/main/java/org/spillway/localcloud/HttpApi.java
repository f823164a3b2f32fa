package org.spillway.localcloud;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.spillway.policy.Market;

/** The cloud's own API: JSON over HTTP, usually on the loopback interface, every call with the bearer token. */
final class HttpApi implements AutoCloseable {
    private static final int MAX_LINK_CUT_SECONDS = 3600;
    private static final int MAX_NOTICE_SECONDS = 86_400;
    private static final int MAX_BODY_BYTES = 1 << 20;
    private static final int PAGE = 1000;
    private static final int CONSOLE_BYTES = 64 * 1024;
    private final LocalCloud cloud;
    private final byte[] authorization;
    private final RequestLog log;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    HttpApi(LocalCloud cloud, String token, RequestLog log, String listen, int port) throws IOException {
        this.cloud = cloud;
        this.authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
        this.log = log;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(listen), port), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /** @param fault what happens to the answer; empty for nothing */
    private record Answer(int status, Object body, Optional<Fault> fault, String note) {
        static Answer ok(Object body) {
            return new Answer(200, body, Optional.empty(), "");
        }

        static Answer noted(Object body, String note) {
            return new Answer(200, body, Optional.empty(), note);
        }
    }

    /** @return the port */
    int start() {
        server.start();
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        long begin = System.nanoTime();
        try (exchange) {
            Answer answer = answer(exchange);
            String end = Integer.toString(answer.status());
            if (answer.fault().isPresent()) {
                Fault fault = answer.fault().get();
                end += " " + fault.kind();
                if (fault.kind() == Fault.Kind.LOST) {
                    log.write(cloud.now(), exchange, end + " " + answer.note(), begin);
                    return;
                }
                Thread.sleep(Duration.ofMillis((long) (fault.seconds() * 1000)));
            }
            log.write(cloud.now(), exchange, end + " " + answer.note(), begin);
            byte[] bytes = StateDirectory.JSON.writeValueAsBytes(answer.body());
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.status(), bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private Answer answer(HttpExchange exchange) {
        try {
            String given = exchange.getRequestHeaders().getFirst("Authorization");
            if (given == null || !MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), authorization)) {
                throw new ApiError(401, "CREDENTIALS", "the bearer token is missing or wrong");
            }
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
            if (body.length > MAX_BODY_BYTES) {
                throw ApiError.invalid("body is over " + MAX_BODY_BYTES + " bytes");
            }
            JsonNode json =
                    StateDirectory.JSON.readTree(body.length == 0 ? "{}".getBytes(StandardCharsets.UTF_8) : body);
            return route(
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath(), json);
        } catch (ApiError refused) {
            return refusal(refused.status(), refused.code(), String.valueOf(refused.getMessage()));
        } catch (JsonProcessingException bad) {
            return refusal(400, "INVALID", "body: " + bad.getOriginalMessage());
        } catch (IllegalArgumentException bad) {
            return refusal(400, "INVALID", String.valueOf(bad.getMessage()));
        } catch (IOException | RuntimeException failed) {
            return refusal(500, "INTERNAL", failed.toString());
        }
    }

    private static Answer refusal(int status, String code, String message) {
        return new Answer(status, Map.of("error", Map.of("code", code, "message", message)), Optional.empty(), code);
    }

    private Answer route(String call, JsonNode body) throws ApiError, IOException {
        switch (call) {
            case "GET /v1/health":
                return Answer.ok(Map.of("pid", ProcessHandle.current().pid(), "now", clockAsTold()));
            case "GET /v1/offerings":
                return Answer.ok(Map.of("offerings", offerings()));
            case "POST /v1/launch":
                return launch(StateDirectory.JSON.treeToValue(body, LaunchCommand.class));
            case "POST /v1/host":
                return host(body);
            case "POST /v1/list":
                return list(tags(body), body.path("after").asText(""));
            case "POST /v1/terminate":
                cloud.terminate(ids(body), tags(body));
                return Answer.noted(Map.of(), String.join(",", ids(body)));
            case "POST /v1/find":
                return find(ids(body));
            case "POST /v1/stop":
                cloud.stop(ids(body), tags(body));
                return Answer.noted(Map.of(), String.join(",", ids(body)));
            case "POST /v1/start":
                cloud.start(ids(body), tags(body));
                return Answer.noted(Map.of(), String.join(",", ids(body)));
            case "POST /v1/console":
                return console(body);
            case "POST /admin/faults":
                Fault fault = Fault.from(body);
                cloud.faults().add(fault);
                return Answer.noted(Map.of(), fault.kind().name());
            case "DELETE /admin/faults":
                cloud.faults().clear();
                return Answer.ok(Map.of());
            case "POST /admin/broken":
                Set<String> kinds = new TreeSet<>();
                body.path("kinds").forEach(kind -> kinds.add(kind.asText()));
                cloud.faults().wear(cloud.manner().broken(kinds));
                return Answer.noted(Map.of(), kinds.toString());
            case "POST /admin/power-cut":
                powerCut(body.path("id").asText());
                return Answer.noted(Map.of(), body.path("id").asText());
            case "POST /admin/notice":
                notice(body.path("id").asText(), body.path("seconds").asInt(120));
                return Answer.noted(Map.of(), body.path("id").asText());
            case "POST /admin/link-cut":
                cutLink(body);
                return Answer.noted(Map.of(), body.path("id").asText());
            case "GET /admin/state":
                return Answer.ok(cloud.describeAll());
            default:
                throw new ApiError(404, "INVALID", "there is no " + call);
        }
    }

    private Instant clockAsTold() {
        long aheadMillis = cloud.faults()
                .take(Fault.Kind.SKEW, "", "")
                .map(fault -> (long) (fault.seconds() * 1000))
                .orElse(0L);
        return cloud.now().plusMillis(aheadMillis);
    }

    private List<Map<String, Object>> offerings() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (String zone : cloud.config().zones()) {
            for (MachineType type : cloud.config().types()) {
                for (Market market : List.of(Market.ON_DEMAND, Market.SPOT)) {
                    Map<String, Object> offering = new LinkedHashMap<>();
                    offering.put("zone", zone);
                    offering.put("type", type.name());
                    offering.put("market", market);
                    offering.put("cpus", type.resources().cpus());
                    offering.put("memoryBytes", type.resources().memoryBytes());
                    offering.put("gpus", type.resources().gpus());
                    offering.put("gpuModel", type.resources().gpuModel());
                    offering.put("localDiskBytes", type.resources().localDiskBytes());
                    offering.put("gpuMemoryBytes", type.gpuMemoryBytes());
                    offering.put("features", type.features());
                    offering.put("pricePerHour", type.price(market).toString());
                    all.add(offering);
                }
            }
        }
        return all;
    }

    private Answer launch(LaunchCommand command) throws ApiError, IOException {
        CloudBehind.Launch launch = cloud.launch(command);
        Optional<Fault> fault = cloud.faults()
                .take(Fault.Kind.LOST, command.type(), command.zone())
                .or(() -> cloud.faults().take(Fault.Kind.SLOW, command.type(), command.zone()));
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("instances", launch.instances().stream().map(this::view).toList());
        body.put("reason", launch.reason());
        body.put("message", launch.message());
        body.put("parts", launch.parts());
        String note = command.count() + " " + command.type() + " in " + command.zone() + ": "
                + launch.instances().size();
        return new Answer(200, body, fault, note);
    }

    /** For another cloud whose servers are instances of this one: it has given them their ids and addresses. */
    private Answer host(JsonNode body) throws ApiError, IOException {
        LaunchCommand command = StateDirectory.JSON.treeToValue(body.path("launch"), LaunchCommand.class);
        if (command == null) {
            throw ApiError.invalid("launch is missing");
        }
        String id = body.path("id").asText();
        String address = body.path("address").asText();
        CloudBehind.Launch launch = cloud.host(command, id, address);
        return Answer.noted(
                Map.of("instances", launch.instances().stream().map(this::view).toList()), id + " " + address);
    }

    private Answer list(Map<String, String> tags, String after) throws ApiError {
        if (cloud.faults().take(Fault.Kind.LISTING_FAILS, "", "").isPresent()) {
            throw new ApiError(503, "INTERNAL", "the listing fails on request");
        }
        Optional<Fault> refused = cloud.faults().take(Fault.Kind.LISTING_REFUSED, "", "");
        if (refused.isPresent()) {
            throw new ApiError(400, refused.get().reason().name(), "the listing is refused on request");
        }
        List<InstanceRecord> page = cloud.list(tags, after, PAGE);
        Lie lie = Lie.strikes(cloud);
        List<InstanceRecord> told =
                new ArrayList<>(lie.told(page, InstanceRecord::isLive, InstanceRecord::launchedAt, cloud.now()));
        int ended = lie.ended(told, InstanceRecord::isLive);
        if (ended >= 0) {
            told.set(ended, told.get(ended).saidToHaveEnded());
        }
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("instances", told.stream().map(this::view).toList());
        body.put("next", page.size() == PAGE && !lie.isLast() ? page.getLast().id() : "");
        return Answer.noted(body, Integer.toString(told.size()));
    }

    /** Also those that have ended, for a while. */
    private Answer find(List<String> ids) {
        List<Object> found = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (String id : ids) {
            cloud.find(id).ifPresentOrElse(instance -> found.add(view(instance)), () -> missing.add(id));
        }
        return Answer.noted(Map.of("instances", found, "missing", missing), found.size() + " of " + ids.size());
    }

    private Map<String, Object> view(InstanceRecord instance) {
        Instant now = cloud.now();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", instance.id());
        view.put("zone", instance.zone());
        view.put("type", instance.type());
        view.put("market", instance.market());
        view.put("state", instance.stateAt(now));
        view.put("reason", instance.reason());
        view.put("address", instance.address());
        view.put("sshPort", instance.sshPort());
        view.put("launchedAt", instance.launchedAt());
        view.put("host", instance.host());
        view.put("tags", instance.tags());
        if (instance.hasFailed()) {
            view.put("failure", instance.failure());
        }
        cloud.config()
                .type(instance.type())
                .ifPresent(type ->
                        view.put("pricePerHour", type.price(instance.market()).toString()));
        return view;
    }

    private Answer console(JsonNode body) throws ApiError, IOException {
        String id = body.path("id").asText();
        Optional<Machine> machine = cloud.find(id, tags(body));
        if (machine.isEmpty()) {
            throw new ApiError(404, "INVALID", "there is no instance '" + id + "'");
        }
        String text = machine.get().console(CONSOLE_BYTES);
        if (cloud.strikes(Fault.Kind.CONSOLE_TORN, "", "").isPresent()) {
            text = text.substring(0, text.length() / 2);
        }
        boolean isEmpty = cloud.strikes(Fault.Kind.CONSOLE_EMPTY, "", "").isPresent();
        return Answer.noted(Map.of("output", isEmpty ? "" : text), id);
    }

    /** As if the host had lost its power: nothing is written first, the clock finds the instance gone. */
    private void powerCut(String id) throws ApiError, IOException {
        Machine machine = cloud.find(id, Map.of())
                .orElseThrow(() -> new ApiError(404, "INVALID", "there is no instance '" + id + "'"));
        if (machine.instance().process()) {
            machine.cutPower();
        } else {
            cloud.end(machine, InstanceRecord.Ending.NONE, "lost its power");
        }
    }

    private void notice(String id, int seconds) throws ApiError, IOException {
        Machine machine = cloud.find(id, Map.of())
                .filter(found -> found.instance().process() && found.instance().market() == Market.SPOT)
                .orElseThrow(() -> new ApiError(404, "INVALID", "there is no spot instance '" + id + "'"));
        machine.notice(cloud.now().plusSeconds(Math.clamp(seconds, 0, MAX_NOTICE_SECONDS)), true);
    }

    /** As if the network between the instance's SSH server and everybody had failed for a while. */
    private void cutLink(JsonNode body) throws ApiError, IOException {
        String id = body.path("id").asText();
        double seconds = body.path("seconds").asDouble(-1);
        if (!(seconds >= 0 && seconds <= MAX_LINK_CUT_SECONDS)) {
            throw ApiError.invalid(
                    "seconds: found '" + body.path("seconds").asText() + "'; allowed: 0 to " + MAX_LINK_CUT_SECONDS);
        }
        Machine machine = cloud.find(id, Map.of())
                .filter(found -> found.instance().process())
                .orElseThrow(
                        () -> new ApiError(404, "INVALID", "there is no instance '" + id + "' with an SSH server"));
        machine.cutLink(cloud.now().plusMillis((long) (seconds * 1000)));
    }

    private static List<String> ids(JsonNode body) {
        List<String> ids = new ArrayList<>();
        body.path("ids").forEach(id -> ids.add(id.asText()));
        return ids;
    }

    private static Map<String, String> tags(JsonNode body) {
        JsonNode tags = body.path("tags");
        return tags.isObject()
                ? StateDirectory.JSON.convertValue(tags, new TypeReference<Map<String, String>>() {})
                : Map.of();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
