package org.spillway.head.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterView;
import org.spillway.api.Json;
import org.spillway.api.NodeView;
import org.spillway.api.RequestReader;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.ClusterChangeReader;
import org.spillway.head.rest.HeadApi;
import org.spillway.settings.Quantities;

/**
 * Clusters on demand as pages, and what is sent from their forms. Everything is asked of the head as the caller, by the
 * same words as over REST: who may see and change what is decided there.
 */
final class ClusterPages {
    private static final Duration NODES_FRESH = Duration.ofSeconds(5);
    private static final String HEAD_AWAY = Cause.codeOf(ClusterCause.HeadAway.class);
    private static final int MOST_KEPT = 64;
    private static final int MOST_NODES = 200;

    private final HeadApi head;
    private final Templates templates;
    private final InstantSource clock;
    private final Map<String, Cached> cached = new ConcurrentHashMap<>();

    ClusterPages(HeadApi head, Templates templates, InstantSource clock) {
        this.head = head;
        this.templates = templates;
        this.clock = clock;
    }

    /** The values of a form; null for a field that it has not. */
    @FunctionalInterface
    interface Fields {
        @Nullable
        String of(String name);
    }

    /** The head's last word on its nodes, and when. @param nodes null where it said nothing */
    private record Cached(@Nullable List<NodeView> nodes, Instant at) {}

    /**
     * @param spent of the budget, as SVG wants it
     * @param left of its time, in words; empty where it does not count
     * @param mine whether the caller may change it
     */
    record Row(ClusterView view, String tone, String spent, String left, boolean mine) {}

    /** @param took in words; empty while it is under way */
    record StageRow(String stage, Instant begun, String took) {}

    /** The model of the list. */
    Map<String, Object> list(Caller caller) {
        List<Row> rows = head.clusters().list(caller).stream()
                .map(view -> row(caller, view))
                .toList();
        return Map.of(
                "clusters", rows.stream().filter(row -> !row.view().isOver()).toList(),
                "ended", rows.stream().filter(row -> row.view().isOver()).toList(),
                "sites", head.sites(),
                "caller", caller,
                "currency", head.spend().currency());
    }

    Map<String, String> listParts(Caller caller) {
        return Map.of("clusters", templates.render("clusters", list(caller)));
    }

    /** The model of one. @throws ApiException NOT_FOUND for one that the caller may not see, too */
    Map<String, Object> one(Caller caller, String name) {
        ClusterView view = head.clusters().get(caller, name);
        List<NodeView> nodes = nodes(caller, view);
        var model = new LinkedHashMap<String, Object>();
        model.put("row", row(caller, view));
        model.put(
                "stages",
                view.stages().stream()
                        .map(stage -> new StageRow(
                                stage.stage(),
                                stage.begunAt(),
                                stage.endedAt() == null
                                        ? ""
                                        : Texts.duration(Duration.between(stage.begunAt(), stage.endedAt()))))
                        .toList());
        model.put("nodes", nodes == null ? List.of() : nodes);
        model.put("nodesKnown", nodes != null);
        model.put("currency", head.spend().currency());
        return model;
    }

    Map<String, String> parts(Caller caller, String name, Object form) {
        var model = new LinkedHashMap<>(one(caller, name));
        model.put("form", form);
        return Map.of("cluster", templates.render("cluster", model), "actions", templates.render("actions", model));
    }

    private Row row(Caller caller, ClusterView view) {
        Duration left = Duration.between(clock.instant(), view.expiresAt());
        boolean counts = !view.isOver() && !view.isWaiting();
        double budget = Math.max(1, view.budget().micros());
        double spent = Math.min(100, 100 * view.spent().micros() / budget);
        return new Row(
                view,
                tone(view.state()),
                String.format(Locale.ROOT, "%.1f%%", spent),
                counts ? Texts.minutes(left.isNegative() ? Duration.ZERO : left) : "",
                caller.admin() || caller.user().equals(view.owner()));
    }

    private static String tone(String state) {
        return switch (state) {
            case "RUNNING" -> "good";
            case "WAITING_FOR_APPROVAL" -> "warn";
            case "FAILED", "REJECTED" -> "bad";
            case "STOPPED", "DELETED" -> "calm";
            default -> "busy";
        };
    }

    /** Asked of its own head, and not each second: null while that does not say. */
    private @Nullable List<NodeView> nodes(Caller caller, ClusterView view) {
        if (!view.state().equals("RUNNING") || view.remarkCause().code().equals(HEAD_AWAY)) {
            return null;
        }
        String key = caller.uid() + "/" + caller.admin() + "/" + view.id();
        Instant now = clock.instant();
        Cached before = cached.get(key);
        if (before != null && now.isBefore(before.at().plus(NODES_FRESH))) {
            return before.nodes();
        }
        if (cached.size() > MOST_KEPT) {
            cached.clear();
        }
        List<NodeView> nodes;
        try {
            var answer = head.clusters().relay(caller, view.name(), "GET", "/nodes", "", new byte[0]);
            nodes = answer.status() == 200
                    ? Json.list(Json.write(answer.json()).getBytes(StandardCharsets.UTF_8), "nodes", NodeView.class)
                            .stream()
                            .filter(node -> !node.state().isTerminal())
                            .limit(MOST_NODES)
                            .toList()
                    : null;
        } catch (ApiException | IOException notNow) {
            nodes = null;
        }
        cached.put(key, new Cached(nodes, now));
        return nodes;
    }

    /** @return its name */
    String create(Caller caller, Fields field) {
        var order = new LinkedHashMap<String, Object>();
        for (String text : List.of("name", "site", "type", "budget", "results", "image")) {
            order.put(text, text(field, text));
        }
        order.put("nodes", number(field, "nodes", 1));
        order.put("gpus", number(field, "gpus", 0));
        order.put("ttlSeconds", seconds(field, "ttl"));
        var users = new ArrayList<String>();
        for (String user : text(field, "users").split("[\\s,]+", -1)) {
            if (!user.isEmpty()) {
                users.add(user);
            }
        }
        order.put("users", users);
        return head.clusters()
                .create(caller, RequestReader.read(bytes(order), ClusterOrder.class))
                .name();
    }

    /** @throws ApiException as over REST */
    void change(Caller caller, String name, String action, Fields field) {
        if (action.equals("delete")) {
            head.clusters().delete(caller, name);
            return;
        }
        var body = new LinkedHashMap<String, Object>();
        switch (action) {
            case "scale" -> body.put("nodes", number(field, "nodes", 0));
            case "extend" -> {
                body.put("ttlSeconds", text(field, "ttl").isEmpty() ? 0 : seconds(field, "ttl"));
                if (!text(field, "budget").isEmpty()) {
                    body.put("budget", text(field, "budget"));
                }
            }
            case "stop" -> body.put("now", text(field, "now").equals("on"));
            case "reject" -> body.put("why", text(field, "why"));
            default -> {}
        }
        head.clusters().change(caller, name, ClusterChangeReader.read(action, bytes(body)));
    }

    private static byte[] bytes(Map<String, Object> body) {
        return Json.write(body).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Fields field, String name) {
        String text = field.of(name);
        return text == null ? "" : text.strip();
    }

    /** A text that is no number is sent as it is: the head says what is wrong with it. */
    private static Object number(Fields field, String name, int usual) {
        String text = text(field, name);
        return text.isEmpty() ? usual : text.matches("\\d{1,9}") ? (Object) Integer.valueOf(text) : text;
    }

    private static long seconds(Fields field, String name) {
        try {
            return Quantities.duration(text(field, name).replaceFirst("^\\+", ""))
                    .toSeconds();
        } catch (IllegalArgumentException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "time: " + malformed.getMessage(), "such as 30m or 8h");
        }
    }
}
