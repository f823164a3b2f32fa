package org.spillway.head.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.image.store.VersionStore;
import org.spillway.image.tree.Difference;
import org.spillway.image.tree.PackageLists;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Commands that only look. */
final class ImageReadCommands {
    private ImageReadCommands() {}

    /** How a version is named. */
    static final String REFERENCE = "NAME (its tag latest), NAME:TAG, or NAME@ and at least 8 digits of its digest.";

    @Command(
            name = "list",
            description = "Lists the versions of all images, or of one, the last built first.",
            footer = {"", "Examples:", "  spillway image list", "  spillway image list compute --json"})
    static final class Listing extends ImageCommand.OnStore {
        @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "Only this image.")
        @Nullable
        String name;

        @Override
        int run() throws IOException {
            try (VersionStore versions = open()) {
                var all = versions.versions().stream()
                        .filter(one -> name == null || one.name().equals(name))
                        .toList();
                if (!json) {
                    return show(ImagePages.list(versions, all));
                }
                var list = new ArrayList<Map<String, Object>>();
                for (var one : all) {
                    list.add(ImagePages.facts(versions, one));
                }
                return showJson(Map.of("versions", list));
            }
        }
    }

    @Command(
            name = "show",
            description = {
                "Shows a version: digest, tags, files, bytes, packages, kernels, and the head's signature, which is"
                        + " checked."
            },
            footer = {"", "Examples:", "  spillway image show compute", "  spillway image show compute:stable --json"})
    static final class Show extends ImageCommand.OnStore {
        @Parameters(index = "0", paramLabel = "VERSION", description = REFERENCE)
        String version = "";

        @Override
        int run() throws IOException {
            try (VersionStore versions = open()) {
                var facts = ImagePages.facts(versions, find(versions, version));
                return json ? showJson(facts) : show(ImagePages.show(facts));
            }
        }
    }

    @Command(
            name = "diff",
            description = {
                "Shows by file what differs between two versions: added, removed, type, content, target of a link,"
                        + " device, mode, owner, links (other names of the same file), attributes (capabilities, access"
                        + " lists).",
                "PACKAGE is the one that owns the file by the dpkg lists of the second version, or of the first for"
                        + " what was removed."
            },
            footer = {
                "",
                "Examples:",
                "  spillway image diff compute:stable compute:test",
                "  spillway image diff compute@3f2a9c01 compute --json"
            })
    static final class Diff extends ImageCommand.OnStore {
        @Parameters(index = "0", paramLabel = "A", description = REFERENCE)
        String first = "";

        @Parameters(index = "1", paramLabel = "B", description = "The same.")
        String second = "";

        @Override
        int run() throws IOException {
            try (VersionStore versions = open()) {
                var one = versions.manifest(find(versions, first));
                var other = versions.manifest(find(versions, second));
                var all = Difference.between(one, other, path -> false);
                var owners = PackageLists.of(other, versions::text).orElse(PackageLists.of(one, versions::text));
                return answer(all, owners);
            }
        }

        private int answer(List<Difference> all, PackageLists owners) {
            if (json) {
                var root = new LinkedHashMap<String, Object>();
                root.put("differences", ImagePages.json(all, owners));
                return showJson(root);
            }
            return show(all.isEmpty() ? "no difference\n" : ImagePages.differences(all, owners));
        }
    }
}
