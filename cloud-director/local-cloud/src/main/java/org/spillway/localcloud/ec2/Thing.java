package org.spillway.localcloud.ec2;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Something that only EC2's API knows: a network, a disk, a key.
 *
 * @param kind as in TagSpecification's ResourceType
 * @param facts by the name of the filter that looks at them; lists with commas
 */
record Thing(String id, String kind, Map<String, String> facts, Map<String, String> tags) {
    Thing {
        facts = Map.copyOf(facts);
        tags = Map.copyOf(tags);
    }

    String fact(String name) {
        return facts.getOrDefault(name, "");
    }

    List<String> facts(String name) {
        String value = fact(name);
        return value.isEmpty() ? List.of() : List.of(value.split(",", -1));
    }

    Thing with(String name, String value) {
        Map<String, String> changed = new HashMap<>(facts);
        changed.put(name, value);
        return new Thing(id, kind, changed, tags);
    }

    Thing tagged(Map<String, String> newTags) {
        return new Thing(id, kind, facts, newTags);
    }
}
