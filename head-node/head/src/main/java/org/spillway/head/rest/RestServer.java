package org.spillway.head.rest;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;
import org.spillway.head.serving.ConnectionBook;
import org.spillway.head.serving.FileDescriptors;
import org.spillway.head.serving.ServedConnections;

/**
 * The REST API on a UNIX socket, and nowhere else. The socket may be open to everybody (mode 666): who calls is told by
 * the kernel, and decided upon here.
 */
public final class RestServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RestServer.class);
    private static final int MOST_BODY_BYTES = 2 * 1024 * 1024;
    private static final long IDLE_MILLIS = 30_000;
    /** A sender that trickles gives its thread back after this. */
    private static final long BODY_NANOS = 30_000_000_000L;

    private static final int WAITING_CONNECTIONS = 512;
    /** Threads that accept and select; a virtual thread waits for each peer. */
    private static final int MOST_THREADS = 6;

    /** Of one user that is not an administrator: the others are to be answered too. */
    private static final int MOST_CONNECTIONS_OF_ONE = 32;

    private static final ConnectionBook.Times TIMES =
            new ConnectionBook.Times(Duration.ofSeconds(15), Duration.ofSeconds(30), Duration.ofSeconds(30));

    private static final String ANSWERED = "org.spillway.answered";

    private final Path socket;
    private final PeerCredentials peers;
    private final Routes routes;
    private final Javalin javalin;
    private final byte[] openApi;
    private final SessionRoute sessions;
    private final UserLane users = new UserLane();
    private final AtomicLong strangers = new AtomicLong();
    private final ExecutorService answering = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("rest-", 0).factory());
    private final ServedConnections connections;

    private RestServer(Path socket, HeadApi head) throws IOException {
        this.socket = socket;
        this.peers = new PeerCredentials();
        try (var in = RestServer.class.getResourceAsStream("/openapi.json")) {
            openApi = Objects.requireNonNull(in, "openapi.json is missing: this is not a complete build")
                    .readAllBytes();
        }
        this.routes = new Routes(head);
        this.sessions = new SessionRoute(head);
        this.connections = new ServedConnections(
                new ConnectionBook.Bounds(FileDescriptors.share(), MOST_CONNECTIONS_OF_ONE, TIMES),
                peer -> "stranger " + strangers.incrementAndGet(),
                peer -> Optional.of(owner(peer)));
        this.javalin = Javalin.create(this::configure);
    }

    /**
     * Starts to answer.
     *
     * @param socket at most 106 bytes long; a missing directory is made with mode 711
     * @param socketMode octal digits 600, 660 or 666
     * @throws SocketInUseException if another head answers there; nothing is changed
     * @throws IOException if the socket cannot be made
     */
    public static RestServer start(Path socket, String socketMode, HeadApi head) throws IOException {
        SocketPlace.prepare(socket);
        var server = new RestServer(socket, head);
        try {
            server.javalin.start();
            SocketPlace.setMode(socket, socketMode);
            return server;
        } catch (RuntimeException | IOException failed) {
            server.close();
            throw new IOException("cannot listen on " + socket + ": " + rootMessage(failed), failed);
        }
    }

    /** Open connections of callers that are not trusted. */
    int connections() {
        return connections.count();
    }

    /** Stops to answer and takes the socket away. */
    @Override
    public void close() {
        javalin.stop();
        connections.close();
        users.close();
        answering.shutdownNow();
    }

    /** Who cannot be known shares the place of all such. */
    private ServedConnections.Owner owner(EndPoint peer) {
        try {
            var caller = peers.of(Exchange.channel(peer));
            return new ServedConnections.Owner("uid " + caller.uid(), routes.isTrusted(caller));
        } catch (ApiException unknown) {
            return new ServedConnections.Owner("unknown", false);
        }
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.maxRequestSize = MOST_BODY_BYTES;
        config.http.prefer405over404 = true;
        config.jetty.threadPool = threads();
        config.jetty.addConnector(this::connector);
        for (var route : routes.all()) {
            config.routes.addHttpHandler(
                    route.method(), Routes.BASE + route.path(), context -> answer(context, route.handler()));
        }
        config.routes.post(Routes.BASE + SessionRoute.PATH, context -> session(context, sessions::answer));
        config.routes.post(
                Routes.BASE + SessionRoute.CLUSTER_PATH, context -> session(context, sessions::answerOfCluster));
        config.routes.get(Routes.BASE + "/openapi.json", context -> {
            context.contentType("application/json");
            context.result(openApi);
        });
        config.routes.error(404, context -> missing(context, Code.NOT_FOUND, "nothing is at " + context.path()));
        config.routes.error(
                405, context -> missing(context, Code.METHOD_NOT_ALLOWED, context.method() + " is not for this"));
    }

    private QueuedThreadPool threads() {
        var pool = new QueuedThreadPool(MOST_THREADS, 3, (int) IDLE_MILLIS);
        pool.setName("rest");
        pool.setReservedThreads(0);
        pool.setVirtualThreadsExecutor(answering);
        return pool;
    }

    private Connector connector(Server server, HttpConfiguration http) {
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        http.addCustomizer((request, headers) -> {
            Exchange.begin(request, connections);
            return request;
        });
        var connector = new UnixDomainServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        connector.setUnixDomainPath(socket);
        connector.setAcceptQueueSize(WAITING_CONNECTIONS);
        connector.setIdleTimeout(IDLE_MILLIS);
        connector.addEventListener(connections);
        return connector;
    }

    private void answer(Context context, Routes.Handler handler) {
        try {
            var caller = caller(context);
            var answer = routes.isTrusted(caller)
                    ? handler.answer(call(context, caller))
                    : limited(context, caller, handler);
            if (answer.afterwards().equals(Routes.Answer.NOTHING)) {
                send(context, answer.status(), answer.value());
            } else {
                sendFirst(context, answer);
            }
        } catch (ApiException refused) {
            refuse(context, refused);
        } catch (UncheckedIOException gone) {
            LOG.debug("{} {} was not sent to its end", context.method(), context.path(), gone);
        } catch (RuntimeException fault) {
            LOG.error("{} {} failed", context.method(), context.path(), fault);
            refuse(
                    context,
                    new ApiException(Code.INTERNAL, "the head failed to answer", "its log says why; try again later"));
        }
    }

    private void session(Context context, BiConsumer<Context, Caller> answer) {
        try {
            answer.accept(context, caller(context));
        } catch (ApiException refused) {
            refuse(context, refused);
        } catch (UncheckedIOException gone) {
            LOG.debug("{} has ended", context.path(), gone);
        }
    }

    /** Refused before the body is read: a body that trickles is what holds a thread longest. */
    private Routes.Answer limited(Context context, Caller caller, Routes.Handler handler) {
        var exchange = Exchange.of(context.req());
        var share = users.begin(caller, announced(context));
        exchange.holds(share);
        var call = call(context, caller);
        exchange.read();
        return share.inTurn(() -> handler.answer(call));
    }

    /** A body without a length may be as large as any. */
    private static long announced(Context context) {
        long length = context.req().getContentLengthLong();
        boolean none = length < 0 && context.header("Transfer-Encoding") == null;
        return none ? 0 : length < 0 ? MOST_BODY_BYTES : Math.min(length, MOST_BODY_BYTES);
    }

    private Caller caller(Context context) {
        return peers.of(Exchange.of(context.req()).channel());
    }

    private static Routes.Call call(Context context, Caller caller) {
        var headers = new HashMap<String, String>();
        context.headerMap().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
        var query = new HashMap<String, String>();
        context.queryParamMap().forEach((name, values) -> query.put(name, values.isEmpty() ? "" : values.getFirst()));
        return new Routes.Call(caller, context.pathParamMap(), query, headers, body(context));
    }

    private static byte[] body(Context context) {
        long end = System.nanoTime() + BODY_NANOS;
        try (var in = context.req().getInputStream()) {
            var body = new ByteArrayOutputStream();
            var part = new byte[16 * 1024];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                body.write(part, 0, count);
                if (body.size() > MOST_BODY_BYTES) {
                    throw new ApiException(
                            Code.TOO_LARGE,
                            "the body is larger than 2 MiB",
                            "put large data into an input file (--in)");
                }
                if (System.nanoTime() > end) {
                    throw new ApiException(Code.BAD_REQUEST, "the body came too slowly", "allowed: 30 seconds");
                }
            }
            return body.toByteArray();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static void missing(Context context, Code code, String message) {
        // An answer of ours with this status has its body already.
        if (context.attribute(ANSWERED) == null) {
            refuse(
                    context,
                    new ApiException(code, message, "GET " + Routes.BASE + "/openapi.json lists what there is"));
        }
    }

    private static void refuse(Context context, ApiException refused) {
        context.attribute(ANSWERED, true);
        context.status(refused.code().status());
        if (refused.code() == Code.TOO_MANY || refused.code() == Code.UNAVAILABLE) {
            context.header("Retry-After", refused.code() == Code.TOO_MANY ? "1" : "5");
        }
        context.contentType("application/json");
        context.result(error(refused));
    }

    /** The body of a refusal. */
    static byte[] error(ApiException refused) {
        return Json.bytes(Map.of(
                "error",
                Map.of("code", refused.code().name(), "message", refused.getMessage(), "hint", refused.hint())));
    }

    private static void send(Context context, int status, Object value) {
        context.attribute(ANSWERED, true);
        context.status(status);
        boolean text = value instanceof CommandRoute.Text;
        context.contentType(text ? "text/plain" : "application/json");
        var body = value instanceof CommandRoute.Text(byte[] bytes) ? bytes : Json.bytes(value);
        Exchange.of(context.req()).writes(body.length);
        context.result(body);
    }

    /**
     * The call's effect may take the socket away: all of the answer is the kernel's, or its reader is gone, before
     * that.
     */
    private static void sendFirst(Context context, Routes.Answer answer) {
        var json = Json.bytes(answer.value());
        context.attribute(ANSWERED, true);
        var response = context.res();
        response.setStatus(answer.status());
        response.setContentType("application/json");
        response.setContentLength(json.length);
        try {
            response.getOutputStream().write(json);
            response.flushBuffer();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        } finally {
            answer.afterwards().run();
        }
    }

    private static String rootMessage(Throwable failed) {
        var root = failed;
        for (int depth = 0; root.getCause() != null && depth < 20; depth++) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
