package org.spillway.head.rest;

import io.javalin.http.HandlerType;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.BreakerOrder;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterTerms;
import org.spillway.api.ClusterView;
import org.spillway.api.NodeOrder;
import org.spillway.api.OperationOrder;
import org.spillway.api.RequestReader;
import org.spillway.api.SubmissionReader;

/** Answers by path, and for whom. Each route has its twin in {@code openapi.json}. */
final class Routes {
    static final String BASE = "/api/v1";
    private static final int MOST_SITES = 100;
    private static final String LOGIN = "[A-Za-z0-9_][A-Za-z0-9._@$-]{0,63}";
    private static final String ASKED_OF_CLUSTERS =
            "/(jobs|queues|nodes)|/(jobs|arrays)/[A-Za-z0-9_-]+|/jobs/[A-Za-z0-9_-]+/(explain|log)";
    private static final String TOLD_TO_CLUSTERS = "/(jobs|check)|/(jobs|arrays)/[A-Za-z0-9_-]+/cancel";

    private final HeadApi head;
    private final List<RoutePart> parts;
    private final List<Route> all;
    private final CommandRoute commands;

    Routes(HeadApi head) {
        this.head = head;
        this.parts = head.parts();
        this.all = withParts(routes());
        this.commands = new CommandRoute(all);
    }

    /** Whose requests are not counted. */
    boolean isTrusted(Caller caller) {
        return caller.admin() || parts.stream().anyMatch(part -> part.isTrusted(caller));
    }

    /** A call. */
    record Call(
            Caller caller,
            Map<String, String> path,
            Map<String, String> query,
            Map<String, String> headers,
            byte[] body) {}

    /** @param value made into JSON @param afterwards done when the answer has left, or cannot */
    record Answer(int status, Object value, Runnable afterwards) {
        static final Runnable NOTHING = () -> {};

        Answer(int status, Object value) {
            this(status, value, NOTHING);
        }

        static Answer ok(Object value) {
            return new Answer(200, value);
        }
    }

    interface Handler {
        Answer answer(Call call);
    }

    /** @param path below {@link #BASE}, with names in braces */
    record Route(HandlerType method, String path, Handler handler) {}

    /** With those of the tenants. */
    List<Route> all() {
        return all;
    }

    /** With those of the tenants. */
    private List<Route> withParts(List<Route> own) {
        var routes = new ArrayList<>(own);
        parts.forEach(part -> part.posts()
                .forEach((path, handler) -> routes.add(new Route(HandlerType.POST, path, call -> {
                    var reply = handler.answer(new RoutePart.Request(call.caller, call.path, call.body));
                    return new Answer(reply.status(), reply.value());
                }))));
        return List.copyOf(routes);
    }

    private List<Route> routes() {
        var jobs = new JobRoutes(head);
        return List.of(
                new Route(HandlerType.GET, "/health", call -> Answer.ok(head.health())),
                new Route(HandlerType.POST, "/jobs", new SubmitRoutes(head)::one),
                new Route(HandlerType.POST, "/jobs/many", new SubmitRoutes(head)::many),
                new Route(HandlerType.GET, "/jobs", jobs::jobs),
                new Route(HandlerType.POST, CommandRoute.PATH, this::command),
                new Route(HandlerType.POST, "/check", this::check),
                new Route(HandlerType.GET, "/jobs/{id}", jobs::one),
                new Route(HandlerType.GET, "/jobs/{id}/explain", jobs::explain),
                new Route(HandlerType.GET, "/jobs/{id}/log", jobs::log),
                new Route(HandlerType.GET, "/arrays/{id}", jobs::array),
                new Route(HandlerType.POST, "/arrays/{id}/cancel", jobs::cancelArray),
                new Route(HandlerType.POST, "/jobs/{id}/cancel", jobs::cancel),
                new Route(HandlerType.GET, "/nodes", jobs::nodes),
                new Route(HandlerType.POST, "/nodes", this::addNodes),
                new Route(HandlerType.GET, "/nodes/{id}", new NodeRoutes(head)::show),
                new Route(HandlerType.GET, "/nodes/{id}/explain", this::explainNode),
                new Route(HandlerType.GET, "/nodes/{id}/logs", new NodeRoutes(head)::logs),
                new Route(HandlerType.GET, "/nodes/{id}/drift", new RolloutRoutes(head)::drift),
                new Route(HandlerType.POST, "/nodes/{id}/{action}", this::changeNode),
                new Route(HandlerType.GET, "/queues", call -> Answer.ok(Map.of("queues", head.queues()))),
                new Route(HandlerType.GET, "/sites", call -> Answer.ok(Map.of("sites", head.sites()))),
                new Route(HandlerType.GET, "/offerings", this::offerings),
                new Route(HandlerType.GET, "/users/{login}", this::user),
                new Route(HandlerType.POST, "/operations", this::beginOperation),
                new Route(HandlerType.GET, "/operations/{id}", this::operation),
                new Route(
                        HandlerType.GET,
                        "/policies",
                        call -> Answer.ok(head.policies().policies())),
                new Route(
                        HandlerType.GET,
                        "/policies/{name}",
                        call -> Answer.ok(head.policies().policy(call.path.getOrDefault("name", "")))),
                new Route(HandlerType.POST, "/policies/{name}/{action}", this::changePolicy),
                new Route(HandlerType.GET, "/clusters", call -> Answer.ok(Map.of("clusters", clusters(call)))),
                new Route(
                        HandlerType.POST,
                        "/clusters",
                        call -> new Answer(
                                202,
                                head.clusters()
                                        .create(call.caller, RequestReader.read(call.body, ClusterOrder.class)))),
                new Route(
                        HandlerType.GET,
                        "/clusters/{name}",
                        call -> Answer.ok(head.clusters().get(call.caller, named(call)))),
                new Route(
                        HandlerType.POST,
                        "/clusters/{name}/delete",
                        call -> new Answer(202, head.clusters().delete(call.caller, named(call)))),
                new Route(
                        HandlerType.POST,
                        "/clusters/{name}/run",
                        call -> Answer.ok(head.clusters()
                                .run(call.caller, named(call), RequestReader.read(call.body, ClusterRun.class)))),
                new Route(HandlerType.POST, "/clusters/{name}/{action}", this::changeCluster),
                new Route(HandlerType.POST, "/terms", this::comply),
                new Route(HandlerType.GET, "/clusters/{name}/head/{what}", call -> relay(call, "GET")),
                new Route(HandlerType.GET, "/clusters/{name}/head/{what}/{id}", call -> relay(call, "GET")),
                new Route(HandlerType.GET, "/clusters/{name}/head/{what}/{id}/{action}", call -> relay(call, "GET")),
                new Route(HandlerType.POST, "/clusters/{name}/head/{what}", call -> relay(call, "POST")),
                new Route(HandlerType.POST, "/clusters/{name}/head/{what}/{id}/{action}", call -> relay(call, "POST")),
                new Route(HandlerType.GET, "/plan", call -> Answer.ok(head.plan())),
                new Route(
                        HandlerType.GET,
                        "/breakers",
                        call -> Answer.ok(Map.of("breakers", head.breakers().list()))),
                new Route(HandlerType.POST, "/breakers/close", this::closeBreaker),
                new Route(HandlerType.GET, "/decisions", this::decisions),
                new Route(HandlerType.GET, "/decisions/{id}", this::decision),
                new Route(HandlerType.GET, "/decisions/{id}/replay", this::replay),
                new Route(HandlerType.GET, "/backups", new BackupRoutes(head)::list),
                new Route(HandlerType.POST, "/backups", new BackupRoutes(head)::begin),
                new Route(HandlerType.GET, "/stages", new StageRoutes(head)::list),
                new Route(HandlerType.POST, "/stages", new StageRoutes(head)::begin),
                new Route(HandlerType.GET, "/stages/{id}", new StageRoutes(head)::one),
                new Route(HandlerType.POST, "/stages/{id}/remove", new StageRoutes(head)::remove),
                new Route(HandlerType.GET, "/rollouts", new RolloutRoutes(head)::list),
                new Route(HandlerType.POST, "/rollouts/{category}", new RolloutRoutes(head)::begin),
                new Route(HandlerType.POST, "/rollouts/{category}/{action}", new RolloutRoutes(head)::change),
                new Route(HandlerType.GET, "/spend", call -> Answer.ok(head.spend())),
                new Route(HandlerType.GET, "/spend/parts", call -> Answer.ok(head.spendParts())),
                new Route(HandlerType.GET, "/recovery", new RecoveryRoutes(head)::look),
                new Route(HandlerType.POST, "/recovery", new RecoveryRoutes(head)::choose),
                new Route(HandlerType.GET, "/web", this::web),
                new Route(HandlerType.POST, "/release", this::release),
                new Route(HandlerType.POST, "/shutdown", this::shutdown));
    }

    private Answer command(Call call) {
        return commands.run(call, SubmitRoutes.idempotencyKey(call));
    }

    private static String named(Call call) {
        return call.path.getOrDefault("name", "");
    }

    /** Questions of a cluster's users to its head: about jobs and what runs them. Its head decides who sees what. */
    private Answer relay(Call call, String method) {
        var path = new StringBuilder();
        for (var part : List.of("what", "id", "action")) {
            var text = call.path.getOrDefault(part, "");
            if (!text.matches("[A-Za-z0-9-]{0,100}")) {
                throw new ApiException(Code.BAD_REQUEST, part + ": not usable", "allowed: letters, digits and dashes");
            }
            path.append(text.isEmpty() ? "" : "/" + text);
        }
        if (!path.toString().matches(method.equals("GET") ? ASKED_OF_CLUSTERS : TOLD_TO_CLUSTERS)) {
            throw new ApiException(
                    Code.NOT_FOUND,
                    "a cluster's head is not asked for " + path,
                    "jobs with explain and log, arrays, queues, nodes and check");
        }
        var query = new TreeMap<>(call.query)
                .entrySet().stream()
                        .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
        if (!query.matches("[A-Za-z0-9=&%._+-]{0,300}")) {
            throw new ApiException(Code.BAD_REQUEST, "the query is not usable", "allowed: plain names and values");
        }
        var answer = head.clusters()
                .relay(
                        call.caller,
                        named(call),
                        method,
                        path + (query.isEmpty() ? "" : "?" + query.replace("+", "%20")),
                        path.toString().equals("/jobs") && method.equals("POST")
                                ? SubmitRoutes.idempotencyKey(call)
                                : "",
                        call.body);
        return new Answer(answer.status(), answer.json());
    }

    private List<ClusterView> clusters(Call call) {
        onlyQuery(call, List.of("ended"));
        return flag(call, "ended")
                ? head.clusters().all(call.caller)
                : head.clusters().list(call.caller);
    }

    static boolean flag(Call call, String key) {
        var said = call.query().getOrDefault(key, "false");
        if (!said.equals("true") && !said.equals("false")) {
            throw new ApiException(Code.BAD_REQUEST, key + ": found '" + said + "'", "allowed: true, false");
        }
        return said.equals("true");
    }

    private Answer changeCluster(Call call) {
        var change = ClusterChangeReader.read(call.path.getOrDefault("action", ""), call.body);
        return new Answer(202, head.clusters().change(call.caller, named(call), change));
    }

    private Answer comply(Call call) {
        needAdmin(call.caller, "say what this head may have");
        return Answer.ok(Map.of("nodes", head.clusters().comply(RequestReader.read(call.body, ClusterTerms.class))));
    }

    private Answer check(Call call) {
        return Answer.ok(head.check(call.caller, SubmissionReader.read(call.body)));
    }

    static long number(Call call, String name, long fallback, long most) {
        var text = call.query.getOrDefault(name, Long.toString(fallback));
        if (!text.matches("\\d{1,18}") || Long.parseLong(text) > most) {
            throw new ApiException(Code.BAD_REQUEST, name + ": found '" + text + "'", "allowed: a whole number from 0");
        }
        return Long.parseLong(text);
    }

    private Answer addNodes(Call call) {
        needAdmin(call.caller, "change nodes");
        return new Answer(
                201, Map.of("nodes", head.addNodes(call.caller, RequestReader.read(call.body, NodeOrder.class))));
    }

    private Answer changeNode(Call call) {
        needAdmin(call.caller, "change nodes");
        var id = call.path.getOrDefault("id", "");
        var action = call.path.getOrDefault("action", "");
        return Answer.ok(
                NodeTurnReader.reads(action)
                        ? head.turnNode(call.caller, id, action, NodeTurnReader.read(action, call.body))
                        : head.changeNode(call.caller, id, action));
    }

    private Answer changePolicy(Call call) {
        needAdmin(call.caller, "change which policy decides");
        return Answer.ok(head.policies()
                .change(call.caller, call.path.getOrDefault("name", ""), call.path.getOrDefault("action", "")));
    }

    private Answer offerings(Call call) {
        needAdmin(call.caller, "see what sites offer");
        onlyQuery(call, List.of("sites"));
        var sites = call.query.getOrDefault("sites", "");
        return Answer.ok(Map.of(
                "offerings",
                head.accounts().offerings(sites.isEmpty() ? List.of() : List.of(sites.split(",", MOST_SITES)))));
    }

    /** An ordinary user learns of nobody else. */
    private Answer user(Call call) {
        var login = call.path.getOrDefault("login", "");
        if (!call.caller.user().equals(login)) {
            needAdmin(call.caller, "compare another user's accounts");
        }
        if (!login.matches(LOGIN)) {
            throw new ApiException(
                    Code.BAD_REQUEST, "'" + login + "' is no login", "allowed: letters, digits, and . _ @ $ -");
        }
        return Answer.ok(head.users().of(login));
    }

    private Answer explainNode(Call call) {
        needAdmin(call.caller, "see why nodes are there");
        var id = call.path.getOrDefault("id", "");
        return Answer.ok(head.explainNode(id)
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "no node '" + id + "'", "'spillway nodes --all' lists nodes")));
    }

    private Answer closeBreaker(Call call) {
        needAdmin(call.caller, "close breakers");
        return Answer.ok(head.breakers()
                .close(
                        call.caller,
                        RequestReader.read(call.body, BreakerOrder.class).name()));
    }

    private Answer decisions(Call call) {
        needAdmin(call.caller, "see decisions");
        onlyQuery(call, List.of("limit"));
        long most = number(call, "limit", 1000, DecisionsApi.MOST);
        return Answer.ok(Map.of("decisions", head.decisions().latest((int) most)));
    }

    private Answer decision(Call call) {
        needAdmin(call.caller, "see decisions");
        return Answer.ok(head.decisions().decision(call.path.getOrDefault("id", "")));
    }

    private Answer replay(Call call) {
        needAdmin(call.caller, "see decisions");
        return Answer.ok(head.decisions().replay(call.path.getOrDefault("id", "")));
    }

    private Answer beginOperation(Call call) {
        needAdmin(call.caller, "see or change the accounts behind sites");
        return new Answer(202, head.accounts().begin(RequestReader.read(call.body, OperationOrder.class)));
    }

    private Answer operation(Call call) {
        needAdmin(call.caller, "see or change the accounts behind sites");
        return Answer.ok(head.accounts().operation(call.path.getOrDefault("id", "")));
    }

    static void onlyQuery(Call call, List<String> allowed) {
        for (var name : call.query.keySet()) {
            if (!allowed.contains(name)) {
                throw new ApiException(
                        Code.BAD_REQUEST, name + ": unknown parameter", "allowed: " + String.join(", ", allowed));
            }
        }
    }

    /** Only an administrator's link shows everybody's jobs. */
    private Answer web(Call call) {
        return Answer.ok(head.web(call.caller));
    }

    private Answer release(Call call) {
        needAdmin(call.caller, "stop this head");
        head.release(call.caller);
        return new Answer(202, Map.of("accepted", true));
    }

    private Answer shutdown(Call call) {
        needAdmin(call.caller, "stop this head");
        return new Answer(202, Map.of("accepted", true), () -> head.shutdown(call.caller));
    }

    static void needAdmin(Caller caller, String what) {
        if (!caller.admin()) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + caller.user() + " may not " + what,
                    "ask root or the user that the head runs as");
        }
    }
}
