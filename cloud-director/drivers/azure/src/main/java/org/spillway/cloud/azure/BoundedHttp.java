package org.spillway.cloud.azure;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.util.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads each answer whole, and none that is longer than this machine can bear: then the call fails, and what it did is
 * unknown.
 */
final class BoundedHttp implements HttpClient {
    /** A page of a thousand machines has about 5 MB. */
    static final int MAX_BODY_BYTES = 64 << 20;
    /** With it the client below would read the whole answer before anybody counts. */
    private static final String EAGERLY = "azure-eagerly-read-response";

    private final HttpClient client;
    private final int most;

    BoundedHttp(HttpClient client, int most) {
        this.client = client;
        this.most = most;
    }

    @Override
    public Mono<HttpResponse> send(HttpRequest request) {
        return send(request, Context.NONE);
    }

    @Override
    public Mono<HttpResponse> send(HttpRequest request, Context context) {
        return client.send(request, context.addData(EAGERLY, false))
                .flatMap(response -> response.getBody()
                        .reduceWith(Gathering::new, Gathering::with)
                        .map(body -> (HttpResponse) new Whole(response, body.toByteArray()))
                        .doFinally(end -> response.close()));
    }

    @Override
    public HttpResponse sendSync(HttpRequest request, Context context) {
        try (HttpResponse response = client.sendSync(request, context.addData(EAGERLY, false));
                InputStream body = response.getBodyAsInputStreamSync()) {
            byte[] bytes = body == null ? new byte[0] : body.readNBytes(most + 1);
            if (bytes.length > most) {
                throw tooLong();
            }
            return new Whole(response, bytes);
        } catch (IOException cut) {
            throw new UncheckedIOException(cut);
        }
    }

    private IllegalStateException tooLong() {
        return new IllegalStateException("the answer is over " + most + " bytes");
    }

    /** Bytes so far. */
    private final class Gathering extends ByteArrayOutputStream {
        Gathering with(ByteBuffer more) {
            if (more.remaining() > most - size()) {
                throw tooLong();
            }
            byte[] bytes = new byte[more.remaining()];
            more.get(bytes);
            writeBytes(bytes);
            return this;
        }
    }

    /** An answer in memory. */
    private static final class Whole extends HttpResponse {
        private final int status;
        private final HttpHeaders headers;
        private final byte[] body;

        Whole(HttpResponse response, byte[] body) {
            super(response.getRequest());
            this.status = response.getStatusCode();
            this.headers = response.getHeaders();
            this.body = body;
        }

        @Override
        public int getStatusCode() {
            return status;
        }

        @Override
        @Deprecated
        @SuppressWarnings("InlineMeSuggester")
        public String getHeaderValue(String name) {
            return headers.getValue(HttpHeaderName.fromString(name));
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }

        @Override
        public Flux<ByteBuffer> getBody() {
            return Flux.defer(() -> Flux.just(ByteBuffer.wrap(body)));
        }

        @Override
        public Mono<byte[]> getBodyAsByteArray() {
            return Mono.just(body.clone());
        }

        @Override
        public Mono<String> getBodyAsString() {
            return getBodyAsString(StandardCharsets.UTF_8);
        }

        @Override
        public Mono<String> getBodyAsString(Charset charset) {
            return Mono.just(new String(body, charset));
        }
    }
}
