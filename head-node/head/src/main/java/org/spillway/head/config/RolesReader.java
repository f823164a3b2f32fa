package org.spillway.head.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.head.config.HeadConfig.Category;
import org.spillway.head.config.HeadConfig.Queue;
import org.spillway.head.config.HeadConfig.Roles;
import org.spillway.head.config.HeadConfig.Workload;
import org.spillway.image.ImageRefused;
import org.spillway.image.store.Reference;
import org.spillway.image.store.VersionLook;
import org.spillway.settings.Problems;
import org.spillway.settings.Section;
import org.spillway.settings.Suggestion;

/** {@code categories}, {@code overlays} and {@code repurpose}: what nodes can be. */
final class RolesReader {
    private static final int MOST = 32;
    private static final String VERSION =
            "a version that 'spillway image list' shows, as NAME, NAME:TAG, or NAME@ and 8 digits of its digest or more";

    private static final String TYPED = "[^\\s*]{1,100}\\*?";

    private final Problems problems;
    private final Path base;
    private final Path versions;

    /** @param versions the folder of versions of root file systems */
    RolesReader(Problems problems, Path base, Path versions) {
        this.problems = problems;
        this.base = base;
        this.versions = versions;
    }

    Roles read(Section root, Map<String, Queue> queues, Workload workload) {
        var overlays = new LinkedHashMap<String, Path>();
        var overlaySection = root.section("overlays", false);
        for (var name : names(root, "overlays", overlaySection)) {
            var section = overlaySection.section(name, true);
            overlays.put(name, tree(section, true).orElse(base));
            section.noMore();
        }
        var categories = new LinkedHashMap<String, Category>();
        var served = new HashMap<String, String>();
        var all = root.section("categories", false);
        for (var name : names(root, "categories", all)) {
            var category = category(name, all.section(name, true), queues, overlays.keySet());
            category.queues().forEach(queue -> {
                var other = served.putIfAbsent(queue, name);
                if (other != null) {
                    all.mistake(
                            name,
                            "found queue '" + queue + "', which is category " + other
                                    + "'s; allowed: one category for a queue");
                }
            });
            categories.put(name, category);
        }
        if (workload.foreign().isPresent()) {
            List.of("categories", "overlays").stream()
                    .filter(root::has)
                    .forEach(key -> root.mistake(
                            key,
                            "found with workload.manager: " + workload.manager()
                                    + "; allowed: with the embedded queue only"));
        }
        var changes = root.section("repurpose", false);
        var rest = changes.duration("rest", Duration.ofMinutes(1), Duration.ZERO, Duration.ofDays(1));
        changes.noMore();
        return new Roles(categories, overlays, rest);
    }

    private static List<String> names(Section root, String key, Section section) {
        return root.has(key) ? ConfigReader.names(section, MOST) : List.of();
    }

    private Category category(String name, Section section, Map<String, Queue> queues, Collection<String> overlays) {
        var image = section.section("image", false);
        var version = version(image);
        var rollout = RolloutReader.read(image, version.isPresent());
        var drift = RolloutReader.drift(image, version.isPresent());
        var tree = tree(image, false);
        var wanted = known(section, "queues", queues.keySet(), true);
        wanted.stream()
                .map(queues::get)
                .filter(queue -> queue != null && queue.minNodes().isPresent())
                .forEach(queue -> section.mistake(
                        "queues", "found '" + queue.name() + "', which has minNodes; allowed: queues without"));
        var types = section.wordsIfAny("types", "a list of instance types, such as [g5.*]");
        types.forEach((type, where) -> {
            if (!type.matches(TYPED)) {
                problems.add(
                        where,
                        section.at("types"),
                        "found '" + type + "'; allowed: an instance type, or its beginning and *");
            }
        });
        var its = known(section, "overlays", overlays, false);
        var change = section.duration("change", Duration.ofMinutes(1), Duration.ZERO, Duration.ofDays(1));
        section.noMore();
        return new Category(name, tree, version, wanted, List.copyOf(types.keySet()), its, change, rollout, drift);
    }

    /** A version that is in the store, or in one that this user may not look into. */
    private Optional<Reference> version(Section image) {
        if (!image.has("version")) {
            return Optional.empty();
        }
        if (image.has("tree")) {
            image.mistake("version", "found beside 'tree'; allowed: one of the two");
        }
        var text = image.text("version", "", VERSION);
        try {
            var named = Reference.parse(text);
            VersionLook.problem(versions, named)
                    .ifPresent(problem ->
                            image.mistake("version", "found '" + text + "', but " + problem + "; allowed: " + VERSION));
            return Optional.of(named);
        } catch (ImageRefused malformed) {
            image.mistake("version", "found '" + text + "'; allowed: " + VERSION);
            return Optional.empty();
        }
    }

    private Optional<Path> tree(Section section, boolean required) {
        if (!required && !section.has("tree")) {
            section.noMore();
            return Optional.empty();
        }
        var tree = ConfigReader.tree(section, base);
        if (!required) {
            section.noMore();
        }
        return Optional.of(tree);
    }

    private List<String> known(Section section, String key, Collection<String> names, boolean required) {
        var allowed = names.isEmpty() ? "none is defined" : String.join(", ", names);
        var words = required ? section.words(key, "a list of " + key) : section.wordsIfAny(key, "a list of " + key);
        var good = new ArrayList<String>();
        words.forEach((word, where) -> {
            if (names.contains(word)) {
                good.add(word);
            } else {
                problems.add(
                        where,
                        section.at(key),
                        "found '" + word + "'; allowed: " + allowed + Suggestion.phrase(word, names));
            }
        });
        return good;
    }
}
