package org.spillway.cloud.aws;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.RecordedCall;
import org.spillway.cloud.Recorder;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;

/** Tells a recorder of each call as it leaves, and of its answer, which is read whole for it. */
final class AwsRecording implements SdkHttpClient {
    private final SdkHttpClient client;
    private final Recorder recorder;

    AwsRecording(SdkHttpClient client, Recorder recorder) {
        this.client = client;
        this.recorder = recorder;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        ExecutableHttpRequest prepared = client.prepareRequest(request);
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                return answered(request, prepared);
            }

            @Override
            public void abort() {
                prepared.abort();
            }
        };
    }

    private HttpExecuteResponse answered(HttpExecuteRequest request, ExecutableHttpRequest prepared)
            throws IOException {
        byte[] answer;
        HttpExecuteResponse response;
        try {
            response = prepared.call();
            answer = response.responseBody().isPresent()
                    ? response.responseBody().get().readAllBytes()
                    : new byte[0];
        } catch (IOException failed) {
            note(request, 0, Map.of(), "", String.valueOf(failed.getMessage()));
            throw failed;
        }
        note(
                request,
                response.httpResponse().statusCode(),
                flat(response.httpResponse().headers()),
                text(answer),
                "");
        HttpExecuteResponse.Builder copy = HttpExecuteResponse.builder().response(response.httpResponse());
        if (response.responseBody().isPresent()) {
            copy.responseBody(AbortableInputStream.create(new ByteArrayInputStream(answer)));
        }
        return copy.build();
    }

    private void note(HttpExecuteRequest request, int status, Map<String, String> heard, String answer, String failure)
            throws IOException {
        SdkHttpRequest call = request.httpRequest();
        String body = "";
        if (request.contentStreamProvider().isPresent()) {
            try (InputStream content = request.contentStreamProvider().get().newStream()) {
                body = text(content.readAllBytes());
            }
        }
        recorder.heard(new RecordedCall(
                call.method().name(),
                call.getUri().toString(),
                flat(call.headers()),
                body,
                status,
                heard,
                answer,
                failure));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Map<String, String> flat(Map<String, List<String>> headers) {
        Map<String, String> flat = new LinkedHashMap<>();
        headers.forEach((name, values) -> flat.put(name, String.join(", ", values)));
        return flat;
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
        client.close();
    }
}
