package org.spillway.head.web;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.WebView;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.HeadApi;
import org.spillway.head.serving.ConnectionBook;
import org.spillway.head.serving.FileDescriptors;
import org.spillway.head.serving.ServedConnections;

/** The page on a loopback address: all that an administrator may see, and to everybody the clusters on demand that are theirs. */
public final class WebServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebServer.class);
    private static final long IDLE_MILLIS = 30_000;
    /** Of one address, and of one user that is no administrator. */
    private static final int MOST_CONNECTIONS_OF_ONE = 64;

    private static final ConnectionBook.Times TIMES =
            new ConnectionBook.Times(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(10));
    private static final int WAITING_CONNECTIONS = 512;
    private static final long MOST_FORM_BYTES = 64 << 10;
    /** Threads that accept and select; a virtual thread answers. */
    private static final int MOST_THREADS = 6;

    private static final Duration PACE = Duration.ofSeconds(1);

    private final Place place;
    private final WebToken token;
    private final Caller admin;
    private final InstantSource clock;
    private final EventStreams streams = new EventStreams(PACE, EventStreams.KEEP_ALIVE);
    private final ExecutorService answering = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("web-", 0).factory());
    private final ServedConnections connections;
    private final Javalin javalin;
    private volatile @Nullable ServerConnector connector;

    /**
     * Where the page is served.
     *
     * @param address a loopback address in numbers, such as {@code 127.0.0.1} or {@code ::1}
     * @param port 0 for any that is free
     * @param state directory for {@code web.token} and {@code web.link}
     * @param userLinks for how long the link of one who is no administrator is good
     */
    public record Place(String address, int port, Path state, Duration userLinks) {
        /** As it stands in a URL. */
        String host() {
            return address.contains(":") ? "[" + address + "]" : address;
        }
    }

    private WebServer(Place place, HeadApi head, Optional<MetricsPage> metrics, InstantSource clock)
            throws IOException {
        this.place = place;
        this.clock = clock;
        this.token = WebToken.open(place.state());
        var templates = new Templates();
        var feed = new Feed(head, templates, clock, System::nanoTime);
        var clusters = new ClusterPages(head, templates, clock);
        var pages = new WebPages(feed, clusters, templates, new Assets(), streams, clock, metrics);
        this.admin = new Caller(
                System.getProperty("user.name", "root"),
                (int) Files.getAttribute(place.state(), "unix:uid"),
                (int) Files.getAttribute(place.state(), "unix:gid"),
                true);
        this.connections = new ServedConnections(
                new ConnectionBook.Bounds(FileDescriptors.share() / 2, MOST_CONNECTIONS_OF_ONE, TIMES),
                WebServer::address,
                peer -> Optional.empty());
        this.javalin = Javalin.create(config -> configure(config, pages));
    }

    /**
     * Starts to answer, and leaves the link in {@code web.link}.
     *
     * @param metrics empty when none are served
     * @throws IOException if the address is not this machine's own, or the port is taken
     */
    public static WebServer start(Place place, HeadApi head, Optional<MetricsPage> metrics, InstantSource clock)
            throws IOException {
        if (!InetAddress.getByName(place.address()).isLoopbackAddress()) {
            throw new IOException("the web page is served on a loopback address only, not on " + place.address());
        }
        var server = new WebServer(place, head, metrics, clock);
        try {
            server.javalin.start();
            server.token.writeLink(server.authority());
            LOG.info("the web page is at http://{}; 'spillway web' prints its link", server.authority());
            return server;
        } catch (RuntimeException | IOException failed) {
            server.close();
            throw new IOException(
                    "cannot serve the web page on " + place.host() + ":" + place.port() + ": " + rootMessage(failed)
                            + "; choose another web.port, or 0 for any that is free",
                    failed);
        }
    }

    /** The address with the token in it: who has it sees what an administrator sees. */
    public String link() {
        return token.link(authority());
    }

    /** The way in for whoever asks: an administrator sees everything, others for a while the clusters that are theirs. */
    public WebView link(Caller caller) {
        if (caller.admin()) {
            return new WebView(link(), null);
        }
        Instant until = clock.instant().plus(place.userLinks()).truncatedTo(ChronoUnit.SECONDS);
        return new WebView(token.link(authority(), new WebToken.Visitor(caller, until)), until);
    }

    int port() {
        var started = connector;
        return started == null ? 0 : Math.max(0, started.getLocalPort());
    }

    /** Streams of events that are open now. */
    int streams() {
        return streams.open();
    }

    /** Open connections of those that did not show an administrator's link. */
    int strangers() {
        return connections.count();
    }

    private String authority() {
        return place.host() + ":" + port();
    }

    /** Stops to answer, and takes the link away. */
    @Override
    public void close() {
        streams.end();
        javalin.stop();
        connections.close();
        answering.shutdownNow();
        try {
            token.removeLink();
        } catch (IOException left) {
            LOG.warn("the link to the page could not be removed: {}", left.getMessage());
        }
    }

    private void configure(JavalinConfig config, WebPages pages) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.maxRequestSize = MOST_FORM_BYTES;
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.jetty.threadPool = threads();
        config.jetty.addConnector(this::connector);
        // Made anew for each request: which port it is, is known once the server has started.
        pages.routes(config.routes, () -> new Gate(token, place.host(), port(), admin));
    }

    private QueuedThreadPool threads() {
        var pool = new QueuedThreadPool(MOST_THREADS, 2, (int) IDLE_MILLIS);
        pool.setName("web");
        pool.setReservedThreads(0);
        pool.setVirtualThreadsExecutor(answering);
        return pool;
    }

    private Connector connector(Server server, HttpConfiguration http) {
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        var made = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        made.setHost(place.address());
        made.setPort(place.port());
        made.setAcceptQueueSize(WAITING_CONNECTIONS);
        made.setIdleTimeout(IDLE_MILLIS);
        made.addEventListener(connections);
        http.addCustomizer((request, headers) -> {
            connections.begun(request);
            var peer = ServedConnections.peer(request);
            request.setAttribute(WebPages.LET_IN, (WebPages.LetIn) caller -> letIn(peer, caller));
            return request;
        });
        connector = made;
        return made;
    }

    private static String address(EndPoint peer) {
        return peer.getRemoteSocketAddress() instanceof InetSocketAddress from
                ? "address " + from.getAddress().getHostAddress()
                : "unknown";
    }

    /** The link was shown: the short times are for strangers. */
    private void letIn(EndPoint peer, Caller caller) {
        connections.owned(peer, new ServedConnections.Owner("uid " + caller.uid(), caller.admin()));
        connections.is(peer, ConnectionBook.Phase.ANSWERING);
    }

    private static String rootMessage(Throwable failed) {
        var root = failed;
        for (int depth = 0; root.getCause() != null && depth < 20; depth++) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
