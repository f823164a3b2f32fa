package org.spillway.head.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.spillway.cli.Table;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.tree.Difference;
import org.spillway.image.tree.DifferenceText;
import org.spillway.image.tree.Entry.Kind;
import org.spillway.image.tree.Manifest;
import org.spillway.image.tree.PackageLists;
import org.spillway.image.tree.RawName;

/** Pages about versions and what differs. */
final class ImagePages {
    private static final double MEGA = 1e6;
    private static final int DIGITS = 12;
    private static final String KERNEL = "boot/vmlinuz-";

    private ImagePages() {}

    static String of(long done, long all) {
        return megabytes(done) + (all == 0 ? "" : " of " + megabytes(all));
    }

    static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / MEGA);
    }

    static List<String> tags(VersionStore store, VersionRecord version) throws IOException {
        return store.tags(version.name()).entrySet().stream()
                .filter(tag -> tag.getValue().equals(version.digest()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The facts of a version, for programs. */
    static Map<String, Object> facts(VersionStore store, VersionRecord version) throws IOException {
        Manifest manifest = store.manifest(version);
        var facts = new LinkedHashMap<String, Object>();
        facts.put("name", version.name());
        facts.put("digest", version.digest());
        facts.put("tags", tags(store, version));
        facts.put("builtAt", version.made().toString());
        facts.put("files", manifest.entries().size());
        facts.put("bytes", manifest.bytes());
        facts.put("packages", PackageLists.count(manifest));
        facts.put("kernels", kernels(manifest));
        facts.put("recipe", version.recipe());
        facts.put("signature", version.signature());
        return facts;
    }

    private static List<String> kernels(Manifest manifest) {
        return manifest.entries().stream()
                .filter(entry -> entry.kind() == Kind.FILE && entry.path().startsWith(KERNEL))
                .map(entry -> RawName.shown(entry.path().substring(KERNEL.length())))
                .toList();
    }

    static String show(Map<String, Object> facts) {
        var text = new StringBuilder();
        facts.forEach((key, value) -> {
            Object shown = value instanceof List<?> list
                    ? list.isEmpty()
                            ? "none"
                            : list.stream().map(String::valueOf).collect(Collectors.joining(", "))
                    : value;
            text.append(String.format(
                    Locale.ROOT,
                    "%-10s%s%n",
                    key,
                    key.equals("bytes") ? value + " (" + megabytes((Long) value) + ")" : shown));
        });
        return text.toString();
    }

    static String list(VersionStore store, List<VersionRecord> versions) throws IOException {
        var table = new Table("IMAGE", "DIGEST", "TAGS", "BUILT");
        for (var version : versions) {
            table.row(
                    version.name(),
                    version.digest().substring(0, DIGITS),
                    String.join(", ", tags(store, version)),
                    version.made().toString());
        }
        return table.toString();
    }

    static String differences(List<Difference> all, PackageLists owners) {
        var table = new Table("PATH", "CHANGED", "PACKAGE", "HOW");
        for (var one : all) {
            table.row(
                    DifferenceText.path(one),
                    DifferenceText.line(one),
                    owners.owner(one.path()),
                    DifferenceText.how(one));
        }
        return table.toString();
    }

    static List<Map<String, Object>> json(List<Difference> all, PackageLists owners) {
        var list = new ArrayList<Map<String, Object>>();
        for (var one : all) {
            var map = new LinkedHashMap<String, Object>();
            map.put("path", "/" + RawName.escaped(one.path()));
            map.put("changed", DifferenceText.words(one));
            map.put("package", owners.owner(one.path()));
            map.put("was", DifferenceText.described(one.was()));
            map.put("is", DifferenceText.described(one.is()));
            list.add(map);
        }
        return list;
    }
}
