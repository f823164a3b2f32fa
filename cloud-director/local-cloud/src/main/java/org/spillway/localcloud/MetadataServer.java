package org.spillway.localcloud;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The metadata service of a worn API: on the loopback interface, for each instance below its id, which the instance has as
 * {@code SPILLWAY_METADATA} in its environment. It keeps its port, as instances outlive this process.
 */
final class MetadataServer implements AutoCloseable {
    private final LocalCloud cloud;
    private final InstanceMetadata metadata;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private MetadataServer(LocalCloud cloud, InstanceMetadata metadata, HttpServer server) {
        this.cloud = cloud;
        this.metadata = metadata;
        this.server = server;
    }

    /** Null where no API is worn that has one. @param remembered a file that has its address */
    static @Nullable MetadataServer of(LocalCloud cloud, Optional<InstanceMetadata> metadata, Path remembered)
            throws IOException {
        return metadata.isPresent() ? start(cloud, metadata.get(), remembered) : null;
    }

    private static MetadataServer start(LocalCloud cloud, InstanceMetadata metadata, Path remembered)
            throws IOException {
        int port = Files.exists(remembered)
                ? URI.create(Files.readString(remembered).strip()).getPort()
                : 0;
        MetadataServer serving = new MetadataServer(cloud, metadata, bind(port));
        serving.server.setExecutor(serving.threads);
        serving.server.createContext("/", serving::handle);
        serving.server.start();
        StateDirectory.write(remembered, serving.endpoint() + "\n");
        return serving;
    }

    private static HttpServer bind(int port) throws IOException {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        try {
            return HttpServer.create(new InetSocketAddress(loopback, port), 0);
        } catch (BindException taken) {
            return HttpServer.create(new InetSocketAddress(loopback, 0), 0);
        }
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            FrontReply reply = reply(exchange);
            reply.headers().forEach(exchange.getResponseHeaders()::set);
            boolean empty = reply.body().length == 0;
            exchange.sendResponseHeaders(reply.status(), empty ? -1 : reply.body().length);
            if (!empty) {
                exchange.getResponseBody().write(reply.body());
            }
        }
    }

    private FrontReply reply(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", 3);
        Machine machine = path.length < 3 ? null : cloud.find(path[1], Map.of()).orElse(null);
        if (machine == null) {
            return FrontReply.of(404, "text/plain", "", "");
        }
        Map<String, List<String>> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
        String query = exchange.getRequestURI().getRawQuery();
        return metadata.answer(
                machine.instance(),
                machine.noticed(),
                new FrontRequest(
                        exchange.getRequestMethod(), "/" + path[2], query == null ? "" : query, headers, new byte[0]));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
