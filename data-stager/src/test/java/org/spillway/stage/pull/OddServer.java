package org.spillway.stage.pull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A web server that says and does what a test wants of it, byte by byte. */
final class OddServer implements AutoCloseable {
    /** The script of a server. */
    interface Script {
        /** @param number of the request, from 1 */
        void answer(Asked asked, int number, OutputStream out) throws IOException;
    }

    /** @param fields by their names in lower case */
    record Asked(String method, String target, Map<String, String> fields) {
        String field(String name) {
            return fields.getOrDefault(name, "");
        }

        /** The first byte that is asked for. */
        long from() {
            String range = field("range");
            return range.isEmpty() ? 0 : Long.parseLong(range.replaceAll("[^0-9]", ""));
        }
    }

    /** A certificate of its own, for 127.0.0.1 and localhost. */
    record Identity(SSLContext context, String pem) {
        static Identity make(Path folder) throws IOException {
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
                            "CN=localhost",
                            "-ext",
                            "SAN=ip:127.0.0.1,dns:localhost,dns:files.example",
                            "-validity",
                            "2",
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            store.toString(),
                            "-storepass",
                            "password"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                if (keytool.waitFor() != 0 || !Files.exists(store)) {
                    throw new IOException("keytool made no certificate");
                }
                KeyStore keys = KeyStore.getInstance("PKCS12");
                try (var in = Files.newInputStream(store)) {
                    keys.load(in, "password".toCharArray());
                }
                KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                managers.init(keys, "password".toCharArray());
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(managers.getKeyManagers(), null, null);
                String pem = "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(keys.getCertificate("it").getEncoded())
                        + "\n-----END CERTIFICATE-----\n";
                return new Identity(context, pem);
            } catch (InterruptedException | GeneralSecurityException e) {
                throw new IOException(e);
            }
        }
    }

    final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final ServerSocket socket;
    private final Script script;
    private final boolean encrypted;

    /** @param identity null for a server without TLS */
    OddServer(@Nullable Identity identity, Script script) throws IOException {
        this.script = script;
        this.encrypted = identity != null;
        this.socket = identity == null
                ? new ServerSocket()
                : identity.context().getServerSocketFactory().createServerSocket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofVirtual().start(() -> {
            while (!socket.isClosed()) {
                try {
                    Socket one = socket.accept();
                    Thread.ofVirtual().start(() -> serve(one));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    int port() {
        return socket.getLocalPort();
    }

    String url(String path) {
        return (encrypted ? "https" : "http") + "://127.0.0.1:" + port() + path;
    }

    private void serve(Socket one) {
        try (one) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(one.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", -1);
                Map<String, String> fields = new HashMap<>();
                for (String field = in.readLine(); field != null && !field.isEmpty(); field = in.readLine()) {
                    int colon = field.indexOf(':');
                    fields.put(
                            field.substring(0, colon).toLowerCase(Locale.ROOT),
                            field.substring(colon + 1).strip());
                }
                Asked request = new Asked(words[0], words[1], fields);
                int number;
                synchronized (asked) {
                    asked.add(request);
                    number = asked.size();
                }
                OutputStream out = one.getOutputStream();
                script.answer(request, number, out);
                out.flush();
            }
        } catch (IOException gone) {
            return; // as many a script wants it
        }
    }

    /** The head of an answer. @param fields each {@code name: value} */
    static byte[] head(String status, String... fields) {
        return ("HTTP/1.1 " + status + "\r\n"
                        + String.join(
                                "",
                                List.of(fields).stream()
                                        .map(field -> field + "\r\n")
                                        .toList()) + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A server that does as it should. */
    static void serve(Asked asked, byte[] file, String tag, OutputStream out) throws IOException {
        boolean same = asked.field("if-range").equals(tag);
        int from = same ? (int) asked.from() : 0;
        if (asked.field("if-none-match").equals(tag)) {
            out.write(head("304 Not Modified", "ETag: " + tag));
        } else if (from > 0) {
            out.write(head(
                    "206 Partial Content",
                    "ETag: " + tag,
                    "Content-Range: bytes " + from + "-" + (file.length - 1) + "/" + file.length,
                    "Content-Length: " + (file.length - from)));
            out.write(file, from, file.length - from);
        } else {
            out.write(head("200 OK", "ETag: " + tag, "Content-Length: " + file.length));
            out.write(file);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
