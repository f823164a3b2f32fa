package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openstack4j.core.transport.ExecutionOptions;
import org.openstack4j.core.transport.HttpEntityHandler;
import org.openstack4j.core.transport.HttpResponse;
import org.openstack4j.core.transport.ObjectMapperSingleton;

/** A service's answer, as OpenStack4j reads it: errors have ended their call before. */
final class Reply implements HttpResponse {
    private final Api.Result.Done done;

    Reply(Api.Result.Done done) {
        this.done = done;
    }

    @Override
    public <T> T getEntity(Class<T> type) {
        return HttpEntityHandler.handle(this, type, null, Boolean.TRUE);
    }

    @Override
    public <T> T getEntity(Class<T> type, @Nullable ExecutionOptions<T> options) {
        return HttpEntityHandler.handle(this, type, options, Boolean.TRUE);
    }

    @Override
    public <T> T readEntity(Class<T> type) {
        try {
            return ObjectMapperSingleton.getContext(type).readerFor(type).readValue(text());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private String text() {
        JsonNode body = done.body();
        return body instanceof MissingNode ? "" : body.toString();
    }

    @Override
    public int getStatus() {
        return done.status();
    }

    @Override
    public String getContentType() {
        return "application/json";
    }

    @Override
    public String getStatusMessage() {
        return "";
    }

    @Override
    public InputStream getInputStream() {
        return new ByteArrayInputStream(text().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public @Nullable String header(String name) {
        return null;
    }

    @Override
    public Map<String, String> headers() {
        return Map.of();
    }

    @Override
    public void close() {
        // Read whole before.
    }
}
