package org.spillway.head.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.spillway.image.ImageRefused;
import org.spillway.image.store.Reference;
import org.spillway.settings.ConfigMistakes;
import org.spillway.settings.Problems;
import org.spillway.settings.Section;
import org.spillway.settings.SettingsFile;

/** The versions of root file systems that a configuration names. */
public final class VersionsNamed {
    private VersionsNamed() {}

    /** @throws ConfigMistakes if the file cannot be read, or names what is no version; the rest of it may be wrong */
    public static List<Reference> in(Path file) throws ConfigMistakes {
        var problems = new Problems();
        var named = new ArrayList<Reference>();
        SettingsFile.node(file, problems).ifPresent(node -> {
            var root = new Section(problems, "", node, node);
            var categories = root.section("categories", false);
            for (String name : root.keysOf("categories")) {
                var image = categories.section(name, true).section("image", false);
                if (image.has("version")) {
                    try {
                        named.add(Reference.parse(image.text("version", "", "a version")));
                    } catch (ImageRefused malformed) {
                        image.mistake("version", String.valueOf(malformed.getMessage()));
                    }
                }
            }
        });
        if (!problems.none()) {
            throw new ConfigMistakes(file.toString(), problems.inOrder());
        }
        return List.copyOf(named);
    }
}
