package org.spillway.localcloud;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Reads {@code --config}; a mistake is told as {@code FILE:LINE: key: message}. */
final class ConfigFile {
    private static final Set<String> TOP = Set.of("network", "listen", "zones", "types", "faults");
    private static final Set<String> TYPE = Set.of(
            "name",
            "cpus",
            "memoryGiB",
            "gpus",
            "gpuModel",
            "diskGiB",
            "pricePerHour",
            "spotPricePerHour",
            "capacity",
            "bootSeconds",
            "process",
            "gpuMemoryGiB",
            "fabric",
            "architecture",
            "machine");
    private static final String NUMBER = "(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])";
    private static final long GIB = 1L << 30;
    private static final int MAX_INSTANCES = 100_000;
    private final Path file;

    private ConfigFile(Path file) {
        this.file = file;
    }

    /** A configuration that cannot be used; the message is complete. */
    static final class Mistake extends Exception {
        private static final long serialVersionUID = 1;

        Mistake(String message) {
            super(message);
        }
    }

    static LocalCloudConfig load(Path file) throws Mistake {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException unreadable) {
            throw new Mistake(file + ":1: config: cannot be read: " + unreadable);
        }
        return new ConfigFile(file).parse(text);
    }

    private LocalCloudConfig parse(String text) throws Mistake {
        Node root;
        try {
            root = new Yaml(new LoaderOptions()).compose(new StringReader(text));
        } catch (MarkedYAMLException bad) {
            int line = bad.getProblemMark() == null ? 1 : bad.getProblemMark().getLine() + 1;
            throw new Mistake(file + ":" + line + ": config: not YAML: " + bad.getProblem());
        } catch (YAMLException bad) {
            throw new Mistake(file + ":1: config: not YAML: " + bad.getMessage());
        }
        LocalCloudConfig base = LocalCloudConfig.builtIn();
        if (root == null) {
            return base;
        }
        Map<String, Node> top = mapping(root, "config", TOP);
        List<MachineType> types = new ArrayList<>();
        for (Node node : sequence(top, "types")) {
            MachineType type = type(mapping(node, "types", TYPE), node);
            if (types.stream().anyMatch(other -> other.name().equals(type.name()))) {
                throw mistake(node, "types.name", "'" + type.name() + "' stands twice");
            }
            types.add(type);
        }
        List<String> zones = new ArrayList<>();
        for (Node node : sequence(top, "zones")) {
            zones.add(word(node, "zones"));
        }
        List<Fault> faults = new ArrayList<>();
        for (Node node : sequence(top, "faults")) {
            faults.add(fault(node));
        }
        return new LocalCloudConfig(
                network(top),
                listen(top),
                zones.isEmpty() ? base.zones() : zones,
                types.isEmpty() ? base.types() : types,
                faults,
                Manner.PLAIN);
    }

    private String network(Map<String, Node> top) throws Mistake {
        Node node = top.get("network");
        if (node == null) {
            return "";
        }
        String value = scalar(node, "network");
        if (!value.matches("127\\.([1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-4])")
                && !value.matches("10\\." + NUMBER + "\\." + NUMBER)) {
            throw mistake(
                    node, "network", "found '" + value + "'; allowed: 127.1 to 127.254, or such as 10.9.8, in quotes");
        }
        return value;
    }

    private String listen(Map<String, Node> top) throws Mistake {
        Node node = top.get("listen");
        if (node == null) {
            return LocalCloudConfig.LOOPBACK;
        }
        String value = scalar(node, "listen");
        if (!value.matches(NUMBER + "(\\." + NUMBER + "){3}") || value.equals("0.0.0.0")) {
            throw mistake(node, "listen", "found '" + value + "'; allowed: an IPv4 address of this machine");
        }
        return value;
    }

    /** Machines are made by programs that this process may start, so a path that it would look up elsewhere is none. */
    private String machine(Map<String, Node> keys) throws Mistake {
        Node node = keys.get("machine");
        if (node == null) {
            return "";
        }
        String value = scalar(node, "types.machine");
        if (!value.startsWith("/") || !Files.isExecutable(Path.of(value))) {
            throw mistake(node, "types.machine", "found '" + value + "'; allowed: the absolute path of a program");
        }
        return value;
    }

    private MachineType type(Map<String, Node> keys, Node at) throws Mistake {
        if (!keys.containsKey("name")) {
            throw mistake(at, "types.name", "is missing");
        }
        int gpus = whole(keys, "gpus", 0, 0, 1024);
        Node model = keys.get("gpuModel");
        Resources resources = new Resources(
                whole(keys, "cpus", 1, 1, 65_536),
                whole(keys, "memoryGiB", 1, 1, 1 << 20) * GIB,
                gpus,
                model != null ? word(model, "types.gpuModel") : gpus > 0 ? "h100" : "",
                whole(keys, "diskGiB", 100, 0, 1 << 20) * GIB);
        Money price = money(keys, "pricePerHour", Money.parse("0.10"));
        Node process = keys.get("process");
        String processes = process == null ? "true" : scalar(process, "types.process");
        if (process != null && !processes.equals("true") && !processes.equals("false")) {
            throw mistake(process, "types.process", "found '" + processes + "'; allowed: true, false");
        }
        return new MachineType(
                word(keys.getOrDefault("name", at), "types.name"),
                resources,
                price,
                money(keys, "spotPricePerHour", new Money(price.micros() / 3)),
                whole(keys, "capacity", LocalCloudConfig.DEFAULT_CAPACITY, 0, MAX_INSTANCES),
                seconds(keys.get("bootSeconds")),
                Boolean.parseBoolean(processes),
                whole(keys, "gpuMemoryGiB", gpus > 0 ? 80 : 0, 0, 1 << 20) * GIB,
                features(keys),
                machine(keys));
    }

    private Set<String> features(Map<String, Node> keys) throws Mistake {
        Set<String> features = new TreeSet<>();
        features.add("arch:" + choice(keys, "architecture", "x86_64", List.of("x86_64", "arm64")));
        String fabric = choice(keys, "fabric", "none", List.of("none", "efa", "infiniband"));
        if (!fabric.equals("none")) {
            features.add("fabric:" + fabric);
        }
        return features;
    }

    private String choice(Map<String, Node> keys, String key, String otherwise, List<String> allowed) throws Mistake {
        Node node = keys.get(key);
        if (node == null) {
            return otherwise;
        }
        String found = scalar(node, "types." + key);
        if (!allowed.contains(found)) {
            throw mistake(node, "types." + key, "found '" + found + "'; allowed: " + String.join(", ", allowed));
        }
        return found;
    }

    private Duration seconds(@org.jspecify.annotations.Nullable Node node) throws Mistake {
        if (node == null) {
            return LocalCloudConfig.DEFAULT_BOOT_TIME;
        }
        String found = scalar(node, "types.bootSeconds");
        try {
            long millis = new BigDecimal(found).movePointRight(3).longValue();
            if (millis >= 0 && millis <= 3_600_000) {
                return Duration.ofMillis(millis);
            }
        } catch (NumberFormatException notANumber) {
            throw mistake(node, "types.bootSeconds", "found '" + found + "'; allowed: 0 to 3600");
        }
        throw mistake(node, "types.bootSeconds", "found '" + found + "'; allowed: 0 to 3600");
    }

    private Fault fault(Node node) throws Mistake {
        if (!(node instanceof MappingNode map)) {
            throw mistake(node, "faults", "each is a mapping with 'kind'");
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (NodeTuple tuple : map.getValue()) {
            json.put(scalar(tuple.getKeyNode(), "faults"), scalar(tuple.getValueNode(), "faults"));
        }
        try {
            return Fault.from(json);
        } catch (IllegalArgumentException bad) {
            throw mistake(node, "faults", String.valueOf(bad.getMessage()));
        }
    }

    private Money money(Map<String, Node> keys, String key, Money otherwise) throws Mistake {
        Node node = keys.get(key);
        if (node == null) {
            return otherwise;
        }
        String found = scalar(node, key);
        try {
            Money money = Money.parse(found);
            if (money.micros() >= 0) {
                return money;
            }
        } catch (NumberFormatException bad) {
            throw mistake(node, "types." + key, "found '" + found + "'; allowed: a decimal, at most six decimals");
        }
        throw mistake(node, "types." + key, "found '" + found + "'; a price is never negative");
    }

    private int whole(Map<String, Node> keys, String key, int otherwise, int least, int most) throws Mistake {
        Node node = keys.get(key);
        if (node == null) {
            return otherwise;
        }
        String found = scalar(node, key);
        if (!found.matches("[0-9]{1,9}") || Integer.parseInt(found) < least || Integer.parseInt(found) > most) {
            throw mistake(node, "types." + key, "found '" + found + "'; allowed: " + least + " to " + most);
        }
        return Integer.parseInt(found);
    }

    private String word(Node node, String key) throws Mistake {
        String found = scalar(node, key);
        if (!found.matches("[A-Za-z0-9._-]{1,60}")) {
            throw mistake(node, key, "found '" + found + "'; allowed: letters, digits, '.', '_' and '-'");
        }
        return found;
    }

    private String scalar(Node node, String key) throws Mistake {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        throw mistake(node, key, "expected a single value");
    }

    private List<Node> sequence(Map<String, Node> top, String key) throws Mistake {
        Node node = top.get(key);
        if (node == null) {
            return List.of();
        }
        if (node instanceof SequenceNode sequence && !sequence.getValue().isEmpty()) {
            return sequence.getValue();
        }
        throw mistake(node, key, "expected a list that is not empty");
    }

    private Map<String, Node> mapping(Node node, String where, Set<String> allowed) throws Mistake {
        if (!(node instanceof MappingNode map)) {
            throw mistake(node, where, "expected a mapping");
        }
        Map<String, Node> keys = new LinkedHashMap<>();
        for (NodeTuple tuple : map.getValue()) {
            String key = scalar(tuple.getKeyNode(), where);
            if (!allowed.contains(key)) {
                throw mistake(
                        tuple.getKeyNode(),
                        key,
                        "unknown; allowed in " + where + ": " + String.join(", ", new TreeSet<>(allowed)));
            }
            if (keys.put(key, tuple.getValueNode()) != null) {
                throw mistake(tuple.getKeyNode(), key, "stands twice");
            }
        }
        return keys;
    }

    private Mistake mistake(Node node, String key, String message) {
        return new Mistake(file + ":" + (node.getStartMark().getLine() + 1) + ": " + key + ": " + message);
    }
}
