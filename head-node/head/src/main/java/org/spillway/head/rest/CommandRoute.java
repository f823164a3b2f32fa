package org.spillway.head.rest;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;
import org.spillway.head.rest.Routes.Answer;
import org.spillway.head.rest.Routes.Call;
import org.spillway.head.rest.Routes.Route;

/** A whole command in one request: what it asks goes to the other routes, as if its caller had asked. */
final class CommandRoute {
    static final String PATH = "/command";

    private final Optional<CommandRunner> runner;
    private final List<Route> routes;

    CommandRoute(List<Route> routes) {
        this(ServiceLoader.load(CommandRunner.class).findFirst(), routes);
    }

    CommandRoute(Optional<CommandRunner> runner, List<Route> routes) {
        this.runner = runner;
        this.routes =
                routes.stream().filter(route -> !route.path().equals(PATH)).toList();
    }

    /** Text that is not JSON. */
    record Text(byte[] bytes) {}

    Answer run(Call call, String key) {
        var found = runner.orElseThrow(() -> new ApiException(
                Code.UNAVAILABLE, "this head runs no commands", "the client runs them in a process of its own"));
        return Answer.ok(new Text(found.run(call.body(), key, (method, path, headers, body) -> {
            try {
                var answer = ask(call.caller(), method, path, headers, body);
                return new CommandRunner.Reply(answer.status(), Json.bytes(answer.value()));
            } catch (ApiException refused) {
                return new CommandRunner.Reply(refused.code().status(), RestServer.error(refused));
            }
        })));
    }

    private Answer ask(Caller caller, String method, String target, Map<String, String> headers, byte[] body) {
        var path = target.replaceFirst("\\?.*", "");
        for (var route : routes) {
            var names = new HashMap<String, String>();
            if (route.method().name().equals(method) && matches(Routes.BASE + route.path(), path, names)) {
                var lower = new HashMap<String, String>();
                headers.forEach((name, value) -> lower.put(name.toLowerCase(Locale.ROOT), value));
                return route.handler().answer(new Call(caller, names, query(target), lower, body));
            }
        }
        throw new ApiException(Code.NOT_FOUND, "nothing is at " + path, "");
    }

    private static boolean matches(String pattern, String path, Map<String, String> names) {
        var wanted = pattern.split("/", -1);
        var parts = path.split("/", -1);
        if (wanted.length != parts.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].startsWith("{")) {
                names.put(wanted[i].substring(1, wanted[i].length() - 1), parts[i]);
            } else if (!wanted[i].equals(parts[i])) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, String> query(String target) {
        var query = new HashMap<String, String>();
        int mark = target.indexOf('?');
        if (mark >= 0) {
            for (var one : target.substring(mark + 1).split("&", -1)) {
                int equals = one.indexOf('=');
                query.put(
                        equals < 0 ? one : one.substring(0, equals),
                        equals < 0 ? "" : URLDecoder.decode(one.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return query;
    }
}
