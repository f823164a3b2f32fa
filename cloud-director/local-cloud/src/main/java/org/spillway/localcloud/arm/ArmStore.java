package org.spillway.localcloud.arm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.spillway.localcloud.StateDirectory;

/** Resources by their lower-case ids: in memory, and as lines of a file of which the last one of an id counts. */
final class ArmStore {
    private final ConcurrentSkipListMap<String, ObjectNode> resources = new ConcurrentSkipListMap<>();
    private final FileOutputStream out;

    ArmStore(Path file) throws IOException {
        if (Files.exists(file)) {
            try (var lines = Files.lines(file)) {
                lines.forEach(this::read);
            }
        }
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, ObjectNode> each : resources.entrySet()) {
            text.append(line(each.getKey(), each.getValue()));
        }
        StateDirectory.write(file, text.toString());
        this.out = new FileOutputStream(file.toFile(), true);
    }

    /** A line that was cut by a crash was never told to anybody. */
    private void read(String line) {
        try {
            if (!line.isEmpty() && StateDirectory.JSON.readTree(line) instanceof ObjectNode entry) {
                String key = entry.path("key").asText();
                if (entry.path("body") instanceof ObjectNode body) {
                    resources.put(key, body);
                } else {
                    resources.remove(key);
                }
            }
        } catch (JsonProcessingException cut) {
            return;
        }
    }

    private static String line(String key, JsonNode body) throws JsonProcessingException {
        ObjectNode entry = StateDirectory.JSON.createObjectNode().put("key", key);
        entry.set("body", body);
        return "\n" + StateDirectory.JSON.writeValueAsString(entry);
    }

    Optional<ObjectNode> find(String key) {
        return Optional.ofNullable(resources.get(key)).map(ObjectNode::deepCopy);
    }

    boolean has(String key) {
        return resources.containsKey(key);
    }

    /** Written down when this returns. All of them or, after a crash, the first of them. */
    synchronized void put(Map<String, ObjectNode> all) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, ObjectNode> each : all.entrySet()) {
            text.append(line(each.getKey(), each.getValue()));
        }
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        all.forEach((key, body) -> resources.put(key, body.deepCopy()));
    }

    synchronized void remove(Collection<String> keys) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String key : keys) {
            if (resources.containsKey(key)) {
                text.append(line(key, StateDirectory.JSON.nullNode()));
            }
        }
        if (!text.isEmpty()) {
            out.write(text.toString().getBytes(StandardCharsets.UTF_8));
            keys.forEach(resources::remove);
        }
    }

    /** Resources whose key starts so, in its order. They are not to be changed. */
    Collection<ObjectNode> startingWith(String prefix) {
        return resources.subMap(prefix, prefix + Character.MAX_VALUE).values();
    }

    /** Keys of other resources whose text names this id. */
    List<String> mentions(String key) {
        List<String> found = new ArrayList<>();
        resources.forEach((other, body) -> {
            if (!other.equals(key) && ArmId.key(body.toString()).contains(key)) {
                found.add(other);
            }
        });
        return found;
    }
}
