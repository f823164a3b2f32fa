package org.spillway.cloud.azure;

import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpPipeline;
import com.azure.core.http.HttpPipelineBuilder;
import com.azure.core.http.HttpPipelineCallContext;
import com.azure.core.http.HttpPipelineNextPolicy;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.http.policy.BearerTokenAuthenticationPolicy;
import com.azure.core.http.policy.RequestIdPolicy;
import com.azure.core.http.rest.Response;
import com.azure.core.util.Context;
import com.azure.core.util.FluxUtil;
import com.azure.resourcemanager.compute.fluent.ComputeManagementClient;
import com.azure.resourcemanager.compute.implementation.ComputeManagementClientBuilder;
import com.azure.resourcemanager.network.fluent.NetworkManagementClient;
import com.azure.resourcemanager.network.implementation.NetworkManagementClientBuilder;
import com.azure.resourcemanager.resources.fluent.ResourceManagementClient;
import com.azure.resourcemanager.resources.implementation.ResourceManagementClientBuilder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The SDK's clients without their retries, each call bounded in time and size and ended in one of four ways. */
final class Arm implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_CAUSES = 12;
    private static final int MAX_PAGES = 1000;
    private static final int MAX_MESSAGE = 300;
    private final AzureSettings settings;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient http;
    private final CallMeter meter;
    private final Tokens tokens;
    private final HttpPipeline pipeline;
    private final ComputeManagementClient compute;
    private @Nullable NetworkManagementClient network;
    private @Nullable ResourceManagementClient resources;

    /** @throws IOException if the certificates to trust cannot be read */
    Arm(AzureSettings settings, InstantSource clock) throws IOException {
        this(settings, clock, client -> client);
    }

    /** @param way in front of the wire */
    Arm(AzureSettings settings, InstantSource clock, UnaryOperator<HttpClient> way) throws IOException {
        this.settings = settings;
        java.net.http.HttpClient.Builder plain = java.net.http.HttpClient.newBuilder()
                .version(java.net.http.HttpClient.Version.HTTP_1_1)
                .sslContext(Trust.context(settings.trust()));
        HttpClient unbounded = new JdkHttpClientBuilder(plain)
                .executor(threads)
                .connectionTimeout(
                        Duration.ofSeconds(Math.min(10, settings.timeout().toSeconds())))
                .responseTimeout(settings.timeout())
                .readTimeout(settings.timeout())
                .build();
        this.meter = new CallMeter(clock);
        this.http = new CourteousHttp(
                way.apply(new BoundedHttp(unbounded, BoundedHttp.MAX_BODY_BYTES)),
                clock,
                meter,
                settings.endpoint().getHost());
        this.tokens = new Tokens(settings, http);
        this.pipeline = new HttpPipelineBuilder()
                .httpClient(http)
                .policies(
                        // A next page or an operation elsewhere would be sent the token.
                        (context, next) -> Links.isHome(
                                        settings.endpoint(),
                                        context.getHttpRequest().getUrl().toString())
                                ? next.process()
                                : Mono.error(new IllegalStateException("refused to follow a link to another host")),
                        new RequestIdPolicy(),
                        new BearerTokenAuthenticationPolicy(tokens, tokens.scope()),
                        Arm::withoutLength)
                .build();
        this.compute = new ComputeManagementClientBuilder()
                .pipeline(pipeline)
                .endpoint(settings.endpoint().toString())
                .subscriptionId(settings.subscription())
                .buildClient();
    }

    /** The client tells the length by itself, and warns of everyone who does it too. */
    static Mono<HttpResponse> withoutLength(HttpPipelineCallContext context, HttpPipelineNextPolicy next) {
        context.getHttpRequest().getHeaders().remove(HttpHeaderName.CONTENT_LENGTH);
        return next.process();
    }

    /** Calls to the resource manager. */
    CallMeter calls() {
        return meter;
    }

    ComputeManagementClient compute() {
        return compute;
    }

    synchronized NetworkManagementClient network() {
        NetworkManagementClient client = network;
        if (client == null) {
            client = new NetworkManagementClientBuilder()
                    .pipeline(pipeline)
                    .endpoint(settings.endpoint().toString())
                    .subscriptionId(settings.subscription())
                    .buildClient();
            network = client;
        }
        return client;
    }

    synchronized ResourceManagementClient resources() {
        ResourceManagementClient client = resources;
        if (client == null) {
            client = new ResourceManagementClientBuilder()
                    .pipeline(pipeline)
                    .endpoint(settings.endpoint().toString())
                    .subscriptionId(settings.subscription())
                    .buildClient();
            resources = client;
        }
        return client;
    }

    /** A call whose answer has a body of a type of the SDK. */
    <T> Answer<T> call(Supplier<Response<T>> call) {
        return guarded(() -> {
            Response<T> response = call.get();
            return new Answer.Done<>(response.getValue(), response.getStatusCode(), "", -1);
        });
    }

    /** A call that may be accepted only: its body is read here and its operation is told. */
    Answer<JsonNode> change(Supplier<Mono<Response<Flux<ByteBuffer>>>> call) {
        return guarded(() -> {
            Answer.Done<JsonNode> done = call.get()
                    .flatMap(response -> FluxUtil.collectBytesInByteBufferStream(response.getValue())
                            .map(bytes -> done(response.getStatusCode(), response.getHeaders(), bytes)))
                    .block(settings.timeout().plusSeconds(2));
            return done == null ? new Answer.Unclear<>("no answer") : done;
        });
    }

    /** @param place whole URL, or a path with its query behind the endpoint */
    Answer<JsonNode> raw(HttpMethod method, String place) {
        String url = place.startsWith("/") ? settings.endpoint() + place : place;
        return guarded(() -> {
            try (HttpResponse response = pipeline.sendSync(new HttpRequest(method, url), Context.NONE)) {
                byte[] bytes = response.getBodyAsBinaryData().toBytes();
                int status = response.getStatusCode();
                return status < 300 ? done(status, response.getHeaders(), bytes) : error(status, bytes);
            }
        });
    }

    /** With a body of JSON. @param place a path with its query behind the endpoint */
    Answer<JsonNode> post(String place, String json) {
        return guarded(() -> {
            HttpRequest request = new HttpRequest(HttpMethod.POST, settings.endpoint() + place)
                    .setHeader(HttpHeaderName.CONTENT_TYPE, "application/json")
                    .setBody(json);
            try (HttpResponse response = pipeline.sendSync(request, Context.NONE)) {
                byte[] bytes = response.getBodyAsBinaryData().toBytes();
                int status = response.getStatusCode();
                return status < 300 ? done(status, response.getHeaders(), bytes) : error(status, bytes);
            }
        });
    }

    /** Every page. @throws CloudException if one of them failed, or there is no end */
    <T> List<T> pages(Supplier<com.azure.core.http.rest.PagedIterable<T>> call) throws CloudException {
        return guarded(() -> {
                    List<T> all = new ArrayList<>();
                    int pages = 0;
                    for (var page : call.get().iterableByPage()) {
                        if (++pages > MAX_PAGES) {
                            return new Answer.Unclear<List<T>>("the listing has more than " + MAX_PAGES + " pages");
                        }
                        all.addAll(page.getValue());
                    }
                    return new Answer.Done<>(all, 200, "", -1);
                })
                .orThrow();
    }

    /** Something outside of the resource manager, without its token: prices, consoles. */
    Answer<byte[]> fetch(String url) {
        try (HttpResponse response = http.sendSync(new HttpRequest(HttpMethod.GET, url), Context.NONE)) {
            byte[] bytes = response.getBodyAsBinaryData().toBytes();
            return response.getStatusCode() == 200
                    ? new Answer.Done<>(bytes, 200, "", -1)
                    : error(response.getStatusCode(), bytes);
        } catch (RuntimeException failed) {
            return isUnreached(failed)
                    ? new Answer.Unsent<>(
                            Reason.THROTTLED, CourteousHttp.held(failed).orElse("not reached"))
                    : new Answer.Unclear<>("no answer: " + failed.getClass().getSimpleName());
        }
    }

    /** The time by the provider's clock. */
    Answer<Instant> time() {
        return guarded(() -> {
            String url = settings.endpoint() + "/subscriptions/" + settings.subscription() + "?api-version=2022-12-01";
            try (HttpResponse response = pipeline.sendSync(new HttpRequest(HttpMethod.GET, url), Context.NONE)) {
                String date = response.getHeaderValue(HttpHeaderName.DATE);
                Instant there = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date == null ? "" : date));
                return new Answer.Done<>(there, response.getStatusCode(), "", -1);
            } catch (DateTimeParseException none) {
                return new Answer.Unclear<>("the answer has no date");
            }
        });
    }

    private <T> Answer<T> guarded(Supplier<Answer<T>> call) {
        try {
            tokens.ensure();
        } catch (CloudException noLogin) {
            return new Answer.Unsent<>(noLogin.reason(), String.valueOf(noLogin.getMessage()));
        }
        Answer<T> answer;
        try {
            answer = call.get();
        } catch (HttpResponseException refused) {
            HttpResponse response = refused.getResponse();
            answer = response == null
                    ? new Answer.Unclear<>(firstLine(refused))
                    : error(
                            response.getStatusCode(),
                            response.getBodyAsBinaryData().toBytes());
        } catch (RuntimeException failed) {
            return isUnreached(failed)
                    ? new Answer.Unsent<>(
                            Reason.THROTTLED,
                            CourteousHttp.held(failed).orElse("endpoint " + settings.endpoint() + " not reached"))
                    : new Answer.Unclear<>("no answer from " + settings.endpoint() + ": " + firstLine(failed));
        }
        if (answer instanceof Answer.Refused<T> no && no.status() == 401) {
            tokens.forget();
        }
        return answer;
    }

    static <T> Answer<T> error(int status, byte[] body) {
        ErrorBody error = ErrorBody.of(body);
        return ArmErrors.answer(status, error.code(), error.message());
    }

    private static Answer.Done<JsonNode> done(int status, HttpHeaders headers, byte[] bytes) {
        String operation = value(headers, HttpHeaderName.fromString("Azure-AsyncOperation"));
        String pause = value(headers, HttpHeaderName.RETRY_AFTER);
        return new Answer.Done<>(
                read(bytes),
                status,
                operation.isEmpty() && status == 202 ? value(headers, HttpHeaderName.LOCATION) : operation,
                pause.matches("[0-9]{1,4}") ? Integer.parseInt(pause) : -1);
    }

    private static String value(HttpHeaders headers, HttpHeaderName name) {
        String found = headers.getValue(name);
        return found == null ? "" : found;
    }

    private static JsonNode read(byte[] bytes) {
        try {
            JsonNode tree = JSON.readTree(bytes.length == 0 ? "{}".getBytes(StandardCharsets.UTF_8) : bytes);
            return tree == null ? JSON.createObjectNode() : tree;
        } catch (JsonProcessingException bad) {
            return JSON.createObjectNode();
        } catch (IOException bad) {
            throw new IllegalStateException(bad);
        }
    }

    /** Whether there was no connection, so that nothing was sent. */
    static boolean isUnreached(Throwable failed) {
        Throwable cause = failed;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            if (cause instanceof CourteousHttp.Held
                    || cause instanceof ConnectException
                    || cause instanceof HttpConnectTimeoutException
                    || cause instanceof UnknownHostException
                    || cause instanceof UnresolvedAddressException
                    || cause instanceof SSLHandshakeException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    static String firstLine(Throwable failed) {
        return line(failed.getClass().getSimpleName() + ": " + failed.getMessage());
    }

    /** Untrusted text, for one line of a message. */
    static String line(String text) {
        String flat = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return flat.length() <= MAX_MESSAGE ? flat : flat.substring(0, MAX_MESSAGE) + "...";
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
