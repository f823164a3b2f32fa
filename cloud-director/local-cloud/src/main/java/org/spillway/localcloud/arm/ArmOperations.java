package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Accepted operations, and how they go on. The oldest are forgotten. */
final class ArmOperations {
    private static final int KEPT = 20_000;
    private final Map<String, Progress> running = new LinkedHashMap<>();

    /** Looked at by each poll. */
    interface Progress {
        /** @return null while it is under way, an empty code when it has succeeded */
        @org.jspecify.annotations.Nullable
        Failure look();
    }

    record Failure(String code, String message) {
        static final Failure NONE = new Failure("", "");
    }

    synchronized String start(Progress progress) {
        String id = UUID.randomUUID().toString();
        running.put(id, progress);
        if (running.size() > KEPT) {
            running.remove(running.keySet().iterator().next());
        }
        return id;
    }

    ObjectNode look(String id) throws ArmFault {
        Progress progress;
        synchronized (this) {
            progress = running.get(id);
        }
        if (progress == null) {
            throw ArmFault.notFound("operations/" + id);
        }
        Failure end = progress.look();
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("name", id);
        if (end == null) {
            return body.put("status", "InProgress");
        }
        if (end.code().isEmpty()) {
            return body.put("status", "Succeeded");
        }
        body.put("status", "Failed");
        body.putObject("error").put("code", end.code()).put("message", end.message());
        return body;
    }
}
