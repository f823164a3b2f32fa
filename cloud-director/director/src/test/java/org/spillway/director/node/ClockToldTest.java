package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A director's certificate that is not of a node's time, in the words of the curl that is here. */
final class ClockToldTest {
    private static final char[] SECRET = "changeit".toCharArray();

    @TempDir
    Path folder;

    private String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private SSLServerSocket serverSince(String start) throws Exception {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Path keys = folder.resolve("keys");
        run(List.of(
                keytool,
                "-genkeypair",
                "-alias",
                "a",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-startdate",
                start,
                "-validity",
                "5",
                "-storetype",
                "PKCS12",
                "-keystore",
                keys.toString(),
                "-storepass",
                new String(SECRET)));
        Files.writeString(
                folder.resolve("ca.pem"),
                run(List.of(
                        keytool,
                        "-exportcert",
                        "-rfc",
                        "-alias",
                        "a",
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        new String(SECRET))));
        var store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, SECRET);
        }
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, SECRET);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-10d", "+5d"})
    void aCertificateThatIsNotOfThisTimeMakesTheClockAQuestionOnce(String start) throws Exception {
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("join.sh"))
                        .toURI())
                .getParent();
        try (SSLServerSocket server = serverSince(start)) {
            Thread.startVirtualThread(() -> {
                while (!server.isClosed()) {
                    try (SSLSocket client = (SSLSocket) server.accept()) {
                        client.startHandshake();
                    } catch (IOException refused) {
                        continue;
                    }
                }
            });
            String said = run(List.of("sh", "-c", """
                    . "$0/base.sh"; . "$0/join.sh"
                    S=$PWD
                    say() { echo "$*"; }
                    curl -sS --noproxy '*' --cacert ca.pem "https://127.0.0.1:$1/" 2>why || clock_told && echo told
                    clock_told && echo again
                    echo 'curl: (7) Failed to connect' >why
                    clock_told || echo 'no clock'
                    """, node.toString(), Integer.toString(server.getLocalPort())));
            assertThat(said.lines().toList())
                    .hasSize(4)
                    .element(0)
                    .asString()
                    .startsWith("the director's certificate is not of this time by this machine's clock, ");
            assertThat(said.lines().skip(1)).containsExactly("told", "again", "no clock");
        }
    }
}
