package org.spillway.proof.endtoend;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.spillway.api.JobSubmission;

/** The JDK's web server, with TLS, tags and parts; it counts what it sends. */
final class FileServer implements AutoCloseable {
    private static final char[] PASSWORD = "password".toCharArray();
    private static final int PART = 64 * 1024;

    final Map<String, byte[]> files = new ConcurrentHashMap<>();
    /** By path, or method and path, what has to be said to get it. */
    final Map<String, String> authorizations = new ConcurrentHashMap<>();

    private final Map<String, Integer> rates = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> sent = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final HttpsServer server;
    private final Path certificate;

    /** @param folder of its own */
    FileServer(Path folder) throws IOException {
        certificate = folder.resolve("server.pem");
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setHttpsConfigurator(new HttpsConfigurator(context(folder, certificate)));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    private static SSLContext context(Path folder, Path certificate) throws IOException {
        Path store = folder.resolve("server.p12");
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=files",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "password"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException("keytool made no certificate");
            }
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
            Files.writeString(
                    certificate,
                    "-----BEGIN CERTIFICATE-----\n"
                            + Base64.getMimeEncoder()
                                    .encodeToString(keys.getCertificate("it").getEncoded())
                            + "\n-----END CERTIFICATE-----\n");
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Before the head begins: its inputs may come from here. */
    void trustedBy(HeadFixture head) throws IOException {
        Path file = head.folder().resolve("spillway.yaml");
        Files.writeString(
                file, Files.readString(file) + "staging: { networks: [127.0.0.0/8], caFile: '" + certificate + "' }\n");
    }

    static String submit(HeadFixture head, String script, Path result, JobSubmission.Input... inputs) {
        JobSubmission one = HeadFixture.submission(script, "", Map.of("out.txt", result));
        return head.submit(JobSubmission.of(job -> {
            job.name = one.name();
            job.script = one.script();
            job.scriptName = one.scriptName();
            job.cpus = one.cpus();
            job.walltimeSeconds = one.walltimeSeconds();
            job.folder = one.folder();
            job.outputs = one.outputs();
            job.inputs = List.of(inputs);
        }));
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    String url(String path) {
        return "https://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    /** A file comes no faster than that. */
    void slow(String path, int bytesPerSecond) {
        rates.put(path, bytesPerSecond);
    }

    /** Bytes of bodies so far, of all whose path begins so. */
    long sent(String path) {
        return sent.entrySet().stream()
                .filter(one -> one.getKey().startsWith(path))
                .mapToLong(one -> one.getValue().get())
                .sum();
    }

    /** Answers that are being sent. */
    int open() {
        return open.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        byte[] file = files.get(path);
        open.incrementAndGet();
        try (exchange) {
            if (file == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            var asked = exchange.getRequestHeaders();
            String wanted = authorizations.getOrDefault(
                    exchange.getRequestMethod() + " " + path, authorizations.getOrDefault(path, ""));
            if (!wanted.isEmpty() && !wanted.equals(asked.getFirst("Authorization"))) {
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            String tag = "\"" + sha256(file) + "\"";
            exchange.getResponseHeaders().set("ETag", tag);
            if (tag.equals(asked.getFirst("If-None-Match"))) {
                exchange.sendResponseHeaders(304, -1);
                return;
            }
            String range = asked.getFirst("Range");
            int from = range != null && tag.equals(asked.getFirst("If-Range"))
                    ? Integer.parseInt(range.replaceAll("[^0-9]", ""))
                    : 0;
            if (from > 0) {
                exchange.getResponseHeaders()
                        .set("Content-Range", "bytes " + from + "-" + (file.length - 1) + "/" + file.length);
            }
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(file.length));
                exchange.sendResponseHeaders(200, -1);
                return;
            }
            exchange.sendResponseHeaders(from > 0 ? 206 : 200, file.length - from);
            send(exchange, path, file, from);
        } finally {
            open.decrementAndGet();
        }
    }

    private void send(HttpExchange exchange, String path, byte[] file, int from) throws IOException {
        AtomicLong count = sent.computeIfAbsent(path, one -> new AtomicLong());
        int rate = rates.getOrDefault(path, 0);
        try (var body = exchange.getResponseBody()) {
            for (int at = from; at < file.length; at += PART) {
                int length = Math.min(PART, file.length - at);
                body.write(file, at, length);
                count.addAndGet(length);
                if (rate > 0) {
                    Thread.sleep(1000L * length / rate);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
