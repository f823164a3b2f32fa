package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.spillway.localcloud.StateDirectory;

/** Things of one kind, each with an {@code id}; on disk when a change is told. */
final class Shelf {
    private static final int MAX_THINGS = 100_000;
    private final Path file;
    private final TreeMap<String, ObjectNode> things = new TreeMap<>();

    Shelf(Path folder, String kind) throws IOException {
        this.file = folder.resolve(kind + ".json");
        if (Files.exists(file)) {
            for (JsonNode each : StateDirectory.JSON.readTree(file.toFile())) {
                things.put(each.path("id").asText(), (ObjectNode) each);
            }
        }
    }

    synchronized List<ObjectNode> all() {
        return things.values().stream().map(ObjectNode::deepCopy).toList();
    }

    synchronized Optional<ObjectNode> find(String id) {
        return Optional.ofNullable(things.get(id)).map(ObjectNode::deepCopy);
    }

    synchronized void put(List<ObjectNode> some) throws IOException {
        if (things.size() + some.size() > MAX_THINGS) {
            throw new IOException("there are " + things.size() + " of these already");
        }
        some.forEach(each -> things.put(each.path("id").asText(), each.deepCopy()));
        save();
    }

    synchronized boolean remove(String id) throws IOException {
        boolean there = things.remove(id) != null;
        if (there) {
            save();
        }
        return there;
    }

    private void save() throws IOException {
        StateDirectory.write(file, StateDirectory.JSON.writeValueAsString(things.values()));
    }
}
