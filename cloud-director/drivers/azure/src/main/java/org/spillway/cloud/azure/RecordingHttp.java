package org.spillway.cloud.azure;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeader;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.RecordedCall;
import org.spillway.cloud.Recorder;
import reactor.core.publisher.Mono;

/** Tells a recorder of each call as it leaves, and of its answer, which has been read whole. */
final class RecordingHttp implements HttpClient {
    private final HttpClient client;
    private final Recorder recorder;

    RecordingHttp(HttpClient client, Recorder recorder) {
        this.client = client;
        this.recorder = recorder;
    }

    @Override
    public Mono<HttpResponse> send(HttpRequest request) {
        return send(request, Context.NONE);
    }

    @Override
    public Mono<HttpResponse> send(HttpRequest request, Context context) {
        return client.send(request, context)
                .doOnNext(response -> note(request, response))
                .doOnError(failed -> note(request, failed));
    }

    @Override
    public HttpResponse sendSync(HttpRequest request, Context context) {
        try {
            HttpResponse response = client.sendSync(request, context);
            note(request, response);
            return response;
        } catch (RuntimeException failed) {
            note(request, failed);
            throw failed;
        }
    }

    private void note(HttpRequest request, HttpResponse response) {
        BinaryData answer = response.getBodyAsBinaryData();
        note(request, response.getStatusCode(), flat(response.getHeaders()), text(answer), "");
    }

    private void note(HttpRequest request, Throwable failed) {
        note(request, 0, Map.of(), "", failed.getClass().getSimpleName() + ": " + failed.getMessage());
    }

    private void note(HttpRequest request, int status, Map<String, String> heard, String answer, String failure) {
        recorder.heard(new RecordedCall(
                request.getHttpMethod().toString(),
                request.getUrl().toString(),
                flat(request.getHeaders()),
                text(request.getBodyAsBinaryData()),
                status,
                heard,
                answer,
                failure));
    }

    private static String text(@Nullable BinaryData body) {
        return body == null ? "" : body.toString();
    }

    private static Map<String, String> flat(HttpHeaders headers) {
        Map<String, String> flat = new LinkedHashMap<>();
        for (HttpHeader header : headers) {
            flat.put(header.getName(), header.getValue());
        }
        return flat;
    }
}
