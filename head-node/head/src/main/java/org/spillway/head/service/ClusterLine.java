package org.spillway.head.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;
import org.spillway.head.bootstrap.RemoteStream;
import org.spillway.head.link.StreamAnswer;
import org.spillway.head.rest.SessionsApi;

/** A stream through the head of a cluster on demand, which decides by itself who may have it. */
final class ClusterLine implements SessionsApi.Line {
    private static final int OK = 200;
    private final RemoteStream stream;

    private ClusterLine(RemoteStream stream) {
        this.stream = stream;
    }

    /** @throws ApiException as the child's head says @throws IOException if it says nothing */
    static ClusterLine open(RemoteStream stream, String path) throws IOException {
        boolean open = false;
        try {
            stream.out()
                    .write(("POST /api/v1" + path + " HTTP/1.1\r\nHost: spillway\r\nContent-Length: " + (1L << 60)
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            stream.out().flush();
            var answer = StreamAnswer.read(stream.in());
            if (answer.status() != OK) {
                throw refused(answer);
            }
            open = true;
            return new ClusterLine(stream);
        } finally {
            if (!open) {
                stream.close();
            }
        }
    }

    private static ApiException refused(StreamAnswer answer) {
        Code code = switch (answer.status()) {
            case 400 -> Code.BAD_REQUEST;
            case 403 -> Code.FORBIDDEN;
            case 404 -> Code.NOT_FOUND;
            case 409 -> Code.CONFLICT;
            case 429 -> Code.LIMIT_EXCEEDED;
            default -> Code.UNAVAILABLE;
        };
        return new ApiException(code, said(answer, "message"), said(answer, "hint"));
    }

    private static String said(StreamAnswer answer, String field) {
        try {
            JsonNode error =
                    Json.tree(answer.text().getBytes(StandardCharsets.UTF_8)).path("error");
            return error.path(field).asText("").replaceAll("\\p{Cntrl}", "?");
        } catch (IOException noJson) {
            return field.equals("message") ? "the cluster's head answered " + answer.status() : "";
        }
    }

    @Override
    public InputStream in() {
        return stream.in();
    }

    @Override
    public OutputStream out() {
        return stream.out();
    }

    @Override
    public void close() {
        stream.close();
    }
}
