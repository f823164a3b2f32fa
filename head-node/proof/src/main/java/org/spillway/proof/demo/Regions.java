package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The one or two regions beside home.
 *
 * @param api what they are when the demo makes them; empty for sections of a file, which name regions that exist
 * @param sections of a file by region, as they go into the configuration; empty for those that the demo makes
 * @param budget the most that may be spent on a day
 * @param cluster its name marks what is bought, and finds a network that was made before
 */
record Regions(
        Optional<EmulatedApi> api, List<String> names, Map<String, String> sections, String budget, String cluster) {
    private static final String USUAL_BUDGET = "2.00";
    private static final int MOST_BYTES = 256 * 1024;
    private static final String USUAL_CLUSTER = "demo";
    private static final Set<String> KEYS = Set.of("sites", "budget", "cluster");

    Regions {
        names = List.copyOf(names);
        sections = Map.copyOf(sections);
    }

    static Regions emulated(EmulatedApi api) {
        return new Regions(Optional.of(api), api.regions(), Map.of(), USUAL_BUDGET, USUAL_CLUSTER);
    }

    /** Whether the head has machines at home, too; a Slurm has its own there. */
    boolean haveHome() {
        return api.isEmpty() || api.orElseThrow() != EmulatedApi.SLURM;
    }

    /** Whether the regions exist already, and stay. */
    boolean areForeign() {
        return api.isEmpty();
    }

    /** Whether the head speaks to them by a driver other than that of home. */
    boolean haveDrivers() {
        return areForeign() || !api.orElseThrow().isLocal();
    }

    /** @throws IOException with what is wrong with the file, and what is allowed */
    static Regions of(Path file) throws IOException {
        Map<String, Object> top = mapping(file, "", read(file));
        Set<String> unknown = new TreeSet<>(top.keySet());
        unknown.removeAll(KEYS);
        if (!unknown.isEmpty()) {
            throw new IOException(
                    file + ": " + unknown.iterator().next() + ": unknown; allowed: budget, cluster, sites");
        }
        String budget = String.valueOf(top.getOrDefault("budget", USUAL_BUDGET));
        if (!budget.matches("[0-9]{1,7}(\\.[0-9]{1,6})?")) {
            throw new IOException(file + ": budget: found '" + budget + "'; allowed: an amount such as 50.00");
        }
        String cluster = String.valueOf(top.getOrDefault("cluster", USUAL_CLUSTER));
        if (!cluster.matches("[a-z0-9-]{1,20}")) {
            throw new IOException(file + ": cluster: found '" + cluster
                    + "'; allowed: 1 to 20 lower-case letters, digits and dashes");
        }
        Map<String, Object> sites = mapping(file, "sites", top.get("sites"));
        if (sites.isEmpty() || sites.size() > 2) {
            throw new IOException(file + ": sites: found " + sites.size() + "; allowed: one or two");
        }
        Map<String, String> sections = new LinkedHashMap<>();
        for (var site : sites.entrySet()) {
            String name = site.getKey();
            if (!name.matches("[a-z0-9][a-z0-9-]{0,39}") || name.equals(DemoFiles.HOME)) {
                throw new IOException(file + ": sites: found '" + name
                        + "'; allowed: lower-case letters, digits and dashes, and not " + DemoFiles.HOME);
            }
            sections.put(name, dump(absolute(file, mapping(file, "sites." + name, site.getValue()))));
        }
        return new Regions(Optional.empty(), List.copyOf(sections.keySet()), sections, budget, cluster);
    }

    private static Object read(Path file) throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) > MOST_BYTES) {
            throw new IOException(file + ": not a file of at most " + MOST_BYTES + " bytes");
        }
        try {
            return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
        } catch (YAMLException malformed) {
            throw new IOException(file + ": not YAML: " + malformed.getMessage(), malformed);
        }
    }

    private static Map<String, Object> mapping(Path file, String where, @org.jspecify.annotations.Nullable Object found)
            throws IOException {
        if (!(found instanceof Map<?, ?> map)) {
            throw new IOException(file + ": " + where + (where.isEmpty() ? "" : ": ") + "a mapping is wanted here");
        }
        Map<String, Object> texts = new LinkedHashMap<>();
        map.forEach((key, value) -> texts.put(String.valueOf(key), value));
        return texts;
    }

    /** Files that a section names are sought beside the file that it stood in, wherever the section goes. */
    private static Map<String, Object> absolute(Path file, Map<String, Object> section) throws IOException {
        if (!(section.get("options") instanceof Map<?, ?> options)) {
            return section;
        }
        Path base = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(file);
        Map<String, Object> found = new LinkedHashMap<>();
        options.forEach((key, value) -> {
            boolean path = String.valueOf(key).endsWith("File") && value instanceof String;
            found.put(
                    String.valueOf(key),
                    path ? base.resolve(String.valueOf(value)).normalize().toString() : value);
        });
        Map<String, Object> moved = new LinkedHashMap<>(section);
        moved.put("options", found);
        return moved;
    }

    /** As a block that stands below {@code sites: / NAME:}. */
    private static String dump(Map<String, Object> section) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        return new Yaml(options).dump(section).indent(4).stripTrailing() + "\n";
    }

    /** A queue for each side; with one region both are it. */
    String west() {
        return names.getLast();
    }

    String east() {
        return names.getFirst();
    }
}
