package org.spillway.cloud.azure;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.util.Context;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.HoldOff;
import reactor.core.publisher.Mono;

/**
 * Sends nothing while the provider has asked for a pause. Reads, writes and deletions are counted apart ("Understand how
 * Azure Resource Manager throttles requests": 429 with {@code Retry-After}), and so are hosts: the login and the price
 * list have their own.
 */
final class CourteousHttp implements HttpClient {
    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;
    private static final int MAX_CAUSES = 12;

    private final HttpClient client;
    private final HoldOff holdOff;
    private final CallMeter meter;
    private final String counted;

    /** @param counted the host whose calls are the account's */
    CourteousHttp(HttpClient client, InstantSource clock, CallMeter meter, String counted) {
        this.client = client;
        this.meter = meter;
        this.counted = counted;
        this.holdOff = new HoldOff(clock);
    }

    /** The call was not sent. */
    static final class Held extends RuntimeException {
        private static final long serialVersionUID = 1;

        Held(Instant until) {
            super(HoldOff.said(until));
        }
    }

    /** Why nothing was sent, if a pause is behind a failure. */
    static Optional<String> held(Throwable failed) {
        Throwable cause = failed;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            if (cause instanceof Held held) {
                return Optional.of(String.valueOf(held.getMessage()));
            }
            cause = cause.getCause();
        }
        return Optional.empty();
    }

    @Override
    public Mono<HttpResponse> send(HttpRequest request) {
        return send(request, Context.NONE);
    }

    @Override
    public Mono<HttpResponse> send(HttpRequest request, Context context) {
        return Mono.defer(() -> {
            Optional<Instant> until = holdOff.until(bucket(request));
            if (until.isPresent()) {
                return Mono.error(new Held(until.get()));
            }
            count(request);
            return client.send(request, context).doOnNext(response -> heard(request, response));
        });
    }

    @Override
    public HttpResponse sendSync(HttpRequest request, Context context) {
        Optional<Instant> until = holdOff.until(bucket(request));
        if (until.isPresent()) {
            throw new Held(until.get());
        }
        count(request);
        HttpResponse response = client.sendSync(request, context);
        heard(request, response);
        return response;
    }

    private void count(HttpRequest request) {
        if (request.getUrl().getHost().equalsIgnoreCase(counted)) {
            meter.sent(isRead(request) ? CallMeter.Kind.READ : CallMeter.Kind.CHANGE);
        }
    }

    private static boolean isRead(HttpRequest request) {
        HttpMethod method = request.getHttpMethod();
        return method == HttpMethod.GET || method == HttpMethod.HEAD;
    }

    private void heard(HttpRequest request, HttpResponse response) {
        int status = response.getStatusCode();
        String pause = response.getHeaderValue(HttpHeaderName.RETRY_AFTER);
        if (pause != null && (status == TOO_MANY || status == UNAVAILABLE)) {
            String date = response.getHeaderValue(HttpHeaderName.DATE);
            holdOff.asked(bucket(request), pause, date == null ? "" : date);
        }
    }

    private static String bucket(HttpRequest request) {
        boolean deletes = request.getHttpMethod() == HttpMethod.DELETE;
        String kind = isRead(request) ? "reads" : deletes ? "deletions" : "writes";
        return request.getUrl().getAuthority() + " " + kind;
    }
}
