package org.spillway.cloud.openstack;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.core.transport.HttpRequest;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.HoldOff;
import org.spillway.cloud.RecordedCall;
import org.spillway.cloud.Recorder;

/**
 * Sends a request once. The connector's own way would send some twice, a launch among them: over a second address of a
 * host when the first broke off, and after 503 with {@code Retry-After: 0}.
 */
final class Wire implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final long MAX_BODY_BYTES = 64L << 20;
    private static final MediaType JSON = MediaType.get("application/json");
    /** Under this name an answer keeps its {@code Retry-After}, which the client would act upon by itself. */
    private static final String KEPT_PAUSE = "Spillway-Retry-After";
    /** The Compute API guide's rate limits answer 413; proxies 429 and 503. */
    private static final Set<Integer> ASKING = Set.of(413, 429, 503);

    /** Proxies keep an idle connection for a minute or longer (HAProxy: timeout http-keep-alive; Apache: 5 s to 2 min). */
    private static final int KEPT_SECONDS = 30;

    private static final int KEPT_CONNECTIONS = 4;
    private final OkHttpClient client;
    /** For reads. */
    private final OkHttpClient sharing;

    private final Recorder recorder;
    private final HoldOff holdOff;
    private final CallMeter meter;

    /** @param caFile null for the machine's own trust */
    Wire(@Nullable Path caFile, Duration timeout, Recorder recorder, InstantSource clock) throws IOException {
        this.recorder = recorder;
        holdOff = new HoldOff(clock);
        meter = new CallMeter(clock);
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .retryOnConnectionFailure(false)
                .fastFallback(false)
                .followRedirects(false)
                .followSslRedirects(false)
                .connectionPool(new ConnectionPool(0, 1, TimeUnit.SECONDS))
                .connectTimeout(timeout.compareTo(CONNECT_TIMEOUT) < 0 ? timeout : CONNECT_TIMEOUT)
                .readTimeout(timeout)
                .writeTimeout(timeout)
                .callTimeout(timeout)
                .eventListenerFactory(call -> new Sending(call.request().tag(AtomicBoolean.class)))
                .addNetworkInterceptor(Wire::keepingPause);
        if (caFile != null) {
            X509TrustManager trust = trust(caFile);
            builder.sslSocketFactory(context(trust).getSocketFactory(), trust);
        }
        client = builder.build();
        sharing = client.newBuilder()
                .connectionPool(new ConnectionPool(KEPT_CONNECTIONS, KEPT_SECONDS, TimeUnit.SECONDS))
                .build();
    }

    /**
     * Changes have a connection of their own, for one that was kept may have been closed by the other side, which looks
     * like a lost answer. Reads share some: one that fails on a kept connection is made once more, on a new one.
     */
    private Response answer(Request request) throws IOException {
        if (!isRead(request)) {
            return client.newCall(request).execute();
        }
        int before = sharing.connectionPool().connectionCount();
        try {
            return sharing.newCall(request).execute();
        } catch (InterruptedIOException slow) {
            throw slow;
        } catch (IOException closed) {
            if (before == 0) {
                throw closed;
            }
            sharing.connectionPool().evictAll();
            meter.sent(CallMeter.Kind.READ);
            return client.newCall(request).execute();
        }
    }

    private static Response keepingPause(Interceptor.Chain chain) throws IOException {
        Response answer = chain.proceed(chain.request());
        String pause = answer.header("Retry-After");
        return answer.newBuilder()
                .removeHeader("Retry-After")
                .header(KEPT_PAUSE, pause == null ? "" : pause)
                .build();
    }

    /** Services are counted apart, and so are reads and changes. */
    private static String bucket(Request request) {
        return request.url().host() + ":" + request.url().port() + (isRead(request) ? " reads" : " changes");
    }

    private static boolean isRead(Request request) {
        return request.method().equals("GET") || request.method().equals("HEAD");
    }

    CallMeter calls() {
        return meter;
    }

    private void heard(Request request, Response response) {
        if (ASKING.contains(response.code())) {
            holdOff.asked(
                    bucket(request),
                    String.valueOf(response.header(KEPT_PAUSE)),
                    String.valueOf(response.header("Date")));
        }
    }

    /** How an exchange ended. */
    sealed interface Reply {
        /** @param headers by lower-case name */
        record Answer(int status, String body, Map<String, String> headers) implements Reply {
            public Answer {
                headers = Map.copyOf(headers);
            }
        }

        /** Nothing has left this machine. */
        record Unsent(String message) implements Reply {}

        /** Sent, and then silence or noise. */
        record Unclear(String message) implements Reply {}
    }

    Reply send(HttpRequest<?> what) {
        AtomicBoolean sent = new AtomicBoolean();
        Request request;
        try {
            request = request(what, sent);
        } catch (IllegalArgumentException noAddress) {
            return new Reply.Unsent("no address that can be called: " + noAddress.getMessage());
        }
        Optional<Instant> held = holdOff.until(bucket(request));
        if (held.isPresent()) {
            return new Reply.Unsent(HoldOff.said(held.get()));
        }
        meter.sent(isRead(request) ? CallMeter.Kind.READ : CallMeter.Kind.CHANGE);
        String place = request.url().host() + ":" + request.url().port();
        try (Response response = answer(request)) {
            heard(request, response);
            byte[] bytes = response.body().byteStream().readNBytes((int) MAX_BODY_BYTES + 1);
            if (bytes.length > MAX_BODY_BYTES) {
                return new Reply.Unclear("the answer of " + place + " is over " + MAX_BODY_BYTES + " bytes");
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            Map<String, String> headers = new LinkedHashMap<>();
            for (String name : response.headers().names()) {
                String value = response.header(name);
                headers.put(name.toLowerCase(java.util.Locale.ROOT), value == null ? "" : value);
            }
            note(what, request, response.code(), headers, text, "");
            return new Reply.Answer(response.code(), text, headers);
        } catch (IOException lost) {
            note(what, request, 0, Map.of(), "", String.valueOf(lost.getMessage()));
            return sent.get()
                    ? new Reply.Unclear("no whole answer from " + place + ": " + lost.getMessage())
                    : new Reply.Unsent(place + " not reached: " + lost.getMessage());
        }
    }

    private void note(
            HttpRequest<?> what,
            Request request,
            int status,
            Map<String, String> heard,
            String answer,
            String failure) {
        if (recorder.isOn()) {
            Map<String, String> headers = new LinkedHashMap<>();
            request.headers().forEach(header -> headers.put(header.getFirst(), header.getSecond()));
            recorder.heard(new RecordedCall(
                    request.method(),
                    request.url().toString(),
                    headers,
                    what.hasJson() ? what.getJson() : "",
                    status,
                    heard,
                    answer,
                    failure));
        }
    }

    private static Request request(HttpRequest<?> what, AtomicBoolean sent) {
        Request.Builder request = new Request.Builder().url(what.getUrl()).tag(AtomicBoolean.class, sent);
        what.getHeaders().forEach((name, value) -> request.header(name, String.valueOf(value)));
        HttpMethod method = what.getMethod();
        boolean needsBody = method == HttpMethod.POST || method == HttpMethod.PUT || method == HttpMethod.PATCH;
        String json = what.hasJson() ? what.getJson() : needsBody ? "" : null;
        request.method(method.name(), json == null ? null : RequestBody.create(json, JSON));
        return request.build();
    }

    /** Notes that the first byte of a request may have left. */
    private static final class Sending extends EventListener {
        private final @Nullable AtomicBoolean sent;

        Sending(@Nullable AtomicBoolean sent) {
            this.sent = sent;
        }

        @Override
        public void requestHeadersStart(Call call) {
            if (sent != null) {
                sent.set(true);
            }
        }
    }

    private static X509TrustManager trust(Path caFile) throws IOException {
        try (InputStream in = Files.newInputStream(caFile)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int count = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca-" + count++, each);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            for (var manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager found && count > 0) {
                    return found;
                }
            }
            throw new IOException(caFile + " holds no certificate");
        } catch (GeneralSecurityException bad) {
            throw new IOException(caFile + " cannot be used: " + bad.getMessage(), bad);
        }
    }

    private static SSLContext context(X509TrustManager trust) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new X509TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new IOException(impossible);
        }
    }

    @Override
    public void close() {
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
        sharing.connectionPool().evictAll();
    }
}
