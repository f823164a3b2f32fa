package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.util.Context;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The size of an answer is whatever the other side likes. */
final class BoundedHttpTest {
    private static final int MOST = 1000;
    /** As the SDK's clients ask for it. */
    private static final Context EAGER = new Context("azure-eagerly-read-response", true);

    private HttpServer server;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String[] words = exchange.getRequestURI().getPath().split("/", -1);
            int length = Integer.parseInt(words[2]);
            // Length 0 means: in chunks, of whatever length.
            exchange.sendResponseHeaders(200, words[1].equals("told") ? length : 0);
            try (var body = exchange.getResponseBody()) {
                body.write(new byte[length]);
            } catch (IOException hungUp) {
                // As it should be.
            }
        });
        server.start();
        client = new BoundedHttp(new JdkHttpClientBuilder().build(), MOST);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private HttpRequest get(String how, int length) {
        return new HttpRequest(
                HttpMethod.GET, "http://127.0.0.1:" + server.getAddress().getPort() + "/" + how + "/" + length);
    }

    @ParameterizedTest
    @CsvSource({"told,1000", "chunked,1000", "told,1", "chunked,1"})
    void whatFitsIsReadWhole(String how, int length) {
        try (HttpResponse response = client.sendSync(get(how, length), EAGER)) {
            assertThat(response.getStatusCode()).isEqualTo(200);
            assertThat(response.getBodyAsBinaryData().toBytes()).hasSize(length);
        }
        assertThat(client.send(get(how, length), EAGER)
                        .flatMap(HttpResponse::getBodyAsByteArray)
                        .block())
                .hasSize(length);
    }

    @ParameterizedTest
    @CsvSource({"told,1001", "chunked,1001", "told,900000", "chunked,900000"})
    void whatDoesNotFitFailsTheCall(String how, int length) {
        assertThatThrownBy(() -> client.sendSync(get(how, length), EAGER)).hasMessageContaining("over 1000 bytes");
        assertThatThrownBy(() -> client.send(get(how, length), EAGER).block()).hasMessageContaining("over 1000 bytes");
    }
}
