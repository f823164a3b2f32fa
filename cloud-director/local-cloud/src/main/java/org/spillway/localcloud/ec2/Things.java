package org.spillway.localcloud.ec2;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import org.spillway.localcloud.StateDirectory;

/** All things, in one file that is written whole at each change: there are few. */
final class Things {
    private final Path file;
    private final ConcurrentSkipListMap<String, Thing> all = new ConcurrentSkipListMap<>();

    private Things(Path file) {
        this.file = file;
    }

    static Things open(Path file) throws IOException {
        Things things = new Things(file);
        if (Files.exists(file)) {
            StateDirectory.JSON
                    .readValue(file.toFile(), new TypeReference<List<Thing>>() {})
                    .forEach(thing -> things.all.put(thing.id(), thing));
        }
        return things;
    }

    static String newId(String prefix) {
        return prefix + "-" + UUID.randomUUID().toString().replace("-", "").substring(0, 17);
    }

    List<Thing> of(String kind) {
        return all.values().stream().filter(thing -> thing.kind().equals(kind)).toList();
    }

    Collection<Thing> all() {
        return all.values();
    }

    Optional<Thing> find(String kind, String id) {
        return Optional.ofNullable(all.get(id)).filter(thing -> thing.kind().equals(kind));
    }

    /** In the file when this returns. */
    synchronized Thing put(Thing thing) throws IOException {
        all.put(thing.id(), thing);
        save();
        return thing;
    }

    synchronized void putAll(Collection<Thing> things) throws IOException {
        things.forEach(thing -> all.put(thing.id(), thing));
        save();
    }

    synchronized void removeAll(Collection<String> ids) throws IOException {
        if (all.keySet().removeAll(ids)) {
            save();
        }
    }

    private void save() throws IOException {
        StateDirectory.write(file, StateDirectory.JSON.writeValueAsString(all.values()));
    }
}
