package org.spillway.head.web;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.head.rest.Caller;

/** Pages by path, and for whom: an administrator gets everything, others what is under {@code /clusters}. */
final class WebPages {
    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final String MESSAGE_POLICY = "default-src 'none'; style-src 'sha256-%s'; img-src data:;"
            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final Logger LOG = LoggerFactory.getLogger(WebPages.class);
    private static final String ANSWERED = "org.spillway.answered";
    private static final String ID = "[A-Za-z0-9-]{1,100}";

    private static final String CALLER = "org.spillway.caller";
    private static final String FORM = "org.spillway.form";
    /** Attribute of a request: told when it passes the gate. */
    static final String LET_IN = "org.spillway.letIn";

    private static final String UNTIL = "org.spillway.until";
    private static final String NAME = "[a-z][a-z0-9-]{0,29}";
    private static final Set<String> FOR_ALL = Set.of("clusters", "assets", "events");

    /** Learns whose a connection is. */
    @FunctionalInterface
    interface LetIn {
        void accept(Caller caller);
    }

    private final Feed feed;
    private final ClusterPages clusters;
    private final Templates templates;
    private final Assets assets;
    private final EventStreams streams;
    private final InstantSource clock;
    private final Optional<MetricsPage> metrics;

    WebPages(
            Feed feed,
            ClusterPages clusters,
            Templates templates,
            Assets assets,
            EventStreams streams,
            InstantSource clock,
            Optional<MetricsPage> metrics) {
        this.feed = feed;
        this.clusters = clusters;
        this.templates = templates;
        this.assets = assets;
        this.streams = streams;
        this.clock = clock;
        this.metrics = metrics;
    }

    void routes(RoutesConfig routes, Supplier<Gate> gate) {
        metrics.ifPresent(page -> routes.before(MetricsPage.PATH, context -> collect(context, page)));
        routes.before(context -> enter(context, gate.get()));
        metrics.ifPresent(page -> routes.get(MetricsPage.PATH, context -> metrics(context, page)));
        routes.get("/", this::main);
        routes.get("/jobs/{id}", this::job);
        routes.get("/events", this::events);
        routes.get("/clusters", this::clusters);
        routes.get("/clusters/{name}", this::cluster);
        routes.post("/clusters", this::create);
        routes.post("/clusters/{name}/{action}", this::change);
        routes.get("/assets/{name}", this::asset);
        routes.error(404, this::missing);
        routes.exception(ApiException.class, this::refused);
        routes.exception(Exception.class, (fault, context) -> {
            LOG.error("{} {} failed", context.method(), context.path(), fault);
            message(context, 500, "The head failed to answer", "Its log says why. Try again later.");
        });
    }

    /** A collector has no cookie; who shows no token at all may have one, which the gate knows. */
    private void collect(Context context, MetricsPage page) {
        var authorization = header(context, "Authorization");
        boolean reads = context.req().getMethod().equals("GET")
                || context.req().getMethod().equals("HEAD");
        if (reads && page.admits(authorization)) {
            metrics(context, page);
            context.skipRemainingHandlers();
        } else if (authorization.isPresent()) {
            context.header("WWW-Authenticate", "Bearer");
            message(context, 401, "This token is not valid", "The one of web.metricsTokenFile is asked for.");
            context.skipRemainingHandlers();
        }
    }

    private static void metrics(Context context, MetricsPage page) {
        context.attribute(ANSWERED, true);
        context.header("Cache-Control", "no-store");
        context.header("X-Content-Type-Options", "nosniff");
        context.contentType(page.contentType());
        context.result(page.text().get());
    }

    private void enter(Context context, Gate gate) {
        context.header("Content-Security-Policy", POLICY);
        context.header("X-Content-Type-Options", "nosniff");
        context.header("Referrer-Policy", "no-referrer");
        context.header("Cross-Origin-Opener-Policy", "same-origin");
        context.header("Cross-Origin-Resource-Policy", "same-origin");
        context.header("Cache-Control", "no-store");
        var verdict = gate.judge(
                new Gate.Asked(
                        context.req().getMethod(),
                        header(context, "Host").orElse(""),
                        header(context, "Origin"),
                        Optional.ofNullable(context.queryParam("token")),
                        Optional.ofNullable(context.cookie(gate.cookieName())),
                        context.path(),
                        context.req().getMethod().equals("POST")
                                ? Optional.ofNullable(context.formParam("form"))
                                : Optional.empty()),
                clock.instant());
        switch (verdict) {
            case Gate.Verdict.Pass pass -> pass(context, pass);
            case Gate.Verdict.Enter enter -> welcome(context, gate, enter);
            case Gate.Verdict.Refuse refuse -> {
                message(context, refuse.status(), refuse.title(), refuse.message());
                context.skipRemainingHandlers();
            }
        }
    }

    private void pass(Context context, Gate.Verdict.Pass pass) {
        if (context.req().getAttribute(LET_IN) instanceof LetIn known) {
            known.accept(pass.caller());
        }
        context.attribute(CALLER, pass.caller());
        context.attribute(FORM, pass.form());
        context.attribute(UNTIL, pass.until());
        String first = context.path().split("/", 3)[1];
        if (pass.caller().admin() || FOR_ALL.contains(first)) {
            return;
        }
        if (first.isEmpty()) {
            lead(context, "/clusters");
        } else {
            message(context, 403, "This is for administrators", "Your clusters are at /clusters.");
        }
        context.skipRemainingHandlers();
    }

    private static Caller caller(Context context) {
        return Objects.requireNonNull(context.attribute(CALLER));
    }

    private static void lead(Context context, String path) {
        context.attribute(ANSWERED, true);
        context.status(303);
        context.header("Location", path);
    }

    /** Forms go to this server only, and say where they come from. */
    private static void withForms(Context context) {
        context.header("Content-Security-Policy", POLICY.replace("form-action 'none'", "form-action 'self'"));
        context.header("Referrer-Policy", "same-origin");
    }

    private Map<String, Object> form(Context context) {
        withForms(context);
        return Map.of("form", Objects.requireNonNull(context.<String>attribute(FORM)));
    }

    private void clusters(Context context) {
        var model = new HashMap<String, Object>(clusters.list(caller(context)));
        model.putAll(form(context));
        html(context, 200, templates.render("clusters-page", model("/events?clusters", model)));
    }

    private void cluster(Context context) {
        String name = context.pathParam("name");
        if (!name.matches(NAME)) {
            message(context, 404, "There is no such cluster", "");
            return;
        }
        var model = new HashMap<String, Object>(clusters.one(caller(context), name));
        model.putAll(form(context));
        html(context, 200, templates.render("cluster-page", model("/events?cluster=" + name, model)));
    }

    private void create(Context context) {
        lead(context, "/clusters/" + clusters.create(caller(context), context::formParam));
    }

    private void change(Context context) {
        String name = context.pathParam("name");
        clusters.change(caller(context), name, context.pathParam("action"), context::formParam);
        lead(context, "/clusters/" + (name.matches(NAME) ? name : ""));
    }

    private static Optional<String> header(Context context, String name) {
        return Optional.ofNullable(context.header(name));
    }

    /** Always to the main page: a path of the caller's choice could lead out of the house. */
    private void welcome(Context context, Gate gate, Gate.Verdict.Enter enter) {
        context.header("Set-Cookie", gate.cookieName() + "=" + enter.cookie() + "; Path=/; HttpOnly; SameSite=Strict");
        if (header(context, "Sec-Fetch-Site").filter("cross-site"::equals).isPresent()) {
            // The link was followed on another site's page: after a redirect the browser would keep a strict cookie
            // back, as it does not when this page leads on.
            html(context, 200, templates.render("welcome", Map.of("assets", assets.paths())));
        } else {
            context.attribute(ANSWERED, true);
            context.status(303);
            context.header("Location", "/");
        }
        context.skipRemainingHandlers();
    }

    private void main(Context context) {
        html(context, 200, templates.render("main", model("/events", Map.of("board", feed.board()))));
    }

    private void job(Context context) {
        var id = context.pathParam("id");
        var found = id.matches(ID) ? feed.job(id) : Optional.<Map<String, Object>>empty();
        if (found.isEmpty()) {
            message(context, 404, "There is no such job", "The head forgets jobs that ended a month ago.");
            return;
        }
        var model = new HashMap<String, Object>(found.get());
        html(context, 200, templates.render("job-page", model("/events?job=" + id, model)));
    }

    private Map<String, Object> model(String events, Map<String, Object> more) {
        var model = new HashMap<String, Object>(more);
        model.put("health", feed.health());
        model.put("assets", assets.paths());
        model.put("version", assets.version());
        model.put("events", events);
        return model;
    }

    private void events(Context context) throws IOException {
        var job = Optional.ofNullable(context.queryParam("job"));
        var name = Optional.ofNullable(context.queryParam("cluster"));
        boolean list = context.queryParam("clusters") != null;
        Caller caller = caller(context);
        if (!caller.admin() && name.isEmpty() && !list) {
            message(context, 403, "This is for administrators", "");
            return;
        }
        if (name.filter(one -> !one.matches(NAME)).isPresent()) {
            message(context, 404, "There is no such cluster", "");
            return;
        }
        Object form = Objects.requireNonNull(context.<String>attribute(FORM));
        Instant until = Objects.requireNonNull(context.attribute(UNTIL));
        if (job.filter(id -> !id.matches(ID)).isPresent()) {
            message(context, 404, "There is no such job", "");
            return;
        }
        var place = streams.take(caller);
        if (place.isEmpty()) {
            context.header("Retry-After", "15");
            message(context, 503, "Too many pages are open", "The page works without its live part: load it again.");
            return;
        }
        context.attribute(ANSWERED, true);
        var response = context.res();
        response.setStatus(200);
        response.setContentType("text/event-stream; charset=utf-8");
        streams.send(
                place.get(),
                response.getOutputStream(),
                assets.version(),
                () -> clock.instant().isBefore(until),
                () -> list
                        ? clusters.listParts(caller)
                        : name.map(one -> clusters.parts(caller, one, form))
                                .orElseGet(() -> job.map(feed::jobParts).orElseGet(feed::mainParts)));
    }

    private void asset(Context context) {
        var asset = assets.named(context.pathParam("name"));
        if (asset.isEmpty()) {
            message(context, 404, "Nothing is here", "");
            return;
        }
        // The name has the content's hash in it: this never grows old.
        context.header("Cache-Control", "private, max-age=31536000, immutable");
        context.attribute(ANSWERED, true);
        context.contentType(asset.get().contentType());
        context.result(asset.get().content());
    }

    private void missing(Context context) {
        if (context.attribute(ANSWERED) == null) {
            message(context, 404, "Nothing is here", "");
        }
    }

    private void refused(ApiException refused, Context context) {
        message(context, refused.code().status(), refused.getMessage(), refused.hint());
    }

    /** Whole in itself: who may not come in gets no other file. Its one style is allowed by its hash. */
    private void message(Context context, int status, String title, String text) {
        context.header("Content-Security-Policy", MESSAGE_POLICY.formatted(assets.messageStyleSha256()));
        html(
                context,
                status,
                templates.render(
                        "message",
                        Map.of("title", title, "text", text, "status", status, "style", assets.messageStyle())));
    }

    private static void html(Context context, int status, String html) {
        context.attribute(ANSWERED, true);
        context.status(status);
        context.contentType("text/html; charset=utf-8");
        context.result(html);
    }
}
