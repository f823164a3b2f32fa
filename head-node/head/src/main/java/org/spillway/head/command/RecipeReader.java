package org.spillway.head.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.image.recipe.Recipe;
import org.spillway.image.recipe.Recipe.Addition;
import org.spillway.image.recipe.Recipe.Base;
import org.spillway.settings.ConfigMistakes;
import org.spillway.settings.Problems;
import org.spillway.settings.Section;
import org.spillway.settings.SettingsFile;

/** A recipe's file, with the line of each mistake. */
final class RecipeReader {
    private static final String NAME = "[a-z0-9-]{1,64}";
    private static final String PACKAGE = "[a-z0-9][a-z0-9+.:=~-]{0,200}";
    private static final String PACKAGES = "a list of packages' names, each once";
    private static final int MOST_FILES = 1000;
    private static final long MOST_ID = 4_294_967_294L;

    private final Path base;

    private RecipeReader(Path base) {
        this.base = base;
    }

    /** @throws ConfigMistakes with every mistake */
    static Recipe read(Path file) throws ConfigMistakes {
        Path whole = file.toAbsolutePath().normalize();
        Path base = Optional.ofNullable(whole.getParent()).orElse(whole);
        var problems = new Problems();
        Optional<Recipe> recipe = SettingsFile.node(whole, problems)
                .map(node -> new RecipeReader(base).recipe(new Section(problems, "", node, node), name(whole)));
        if (!problems.none() || recipe.isEmpty()) {
            throw new ConfigMistakes(file.toString(), problems.inOrder());
        }
        return recipe.get();
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName()).replaceFirst("\\.ya?ml$", "");
    }

    private Recipe recipe(Section root, String fileName) {
        String name = root.matching(
                "name", fileName.matches(NAME) ? fileName : null, NAME, "a name of 1 to 64 of a-z, 0-9 and '-'");
        Base from = base(root);
        var files = new ArrayList<Addition>();
        for (Section one : root.sections("files", MOST_FILES)) {
            files.add(addition(one));
            one.noMore();
        }
        var recipe = new Recipe(name, from, files, packages(root), texts(root, "scripts"), texts(root, "smoke"));
        root.noMore();
        return recipe;
    }

    private Base base(Section root) {
        boolean debian = root.has("mmdebstrap");
        if (root.has("base") == debian) {
            root.mistake(
                    debian ? "mmdebstrap" : "base",
                    debian
                            ? "found beside base; allowed: one of base and mmdebstrap"
                            : "missing; allowed: base, a folder with a tree, or mmdebstrap, a section of keys");
        }
        root.unasked(List.of("base", "mmdebstrap"));
        if (!debian) {
            return new Base.Folder(root.has("base") ? root.path("base", null, base) : base);
        }
        Section section = root.section("mmdebstrap", true);
        var made = new Base.Debian(
                section.matching("suite", null, "[a-z][a-z0-9.-]{0,60}", "a suite of the mirror, such as bookworm"),
                section.matching(
                        "mirror",
                        null,
                        "https?://[A-Za-z0-9][^\\s'\"\\\\]{0,300}",
                        "the http or https address of a mirror, as apt has it"),
                section.oneOf(
                        "variant",
                        "minbase",
                        List.of("minbase", "apt", "essential", "required", "important", "standard", "buildd")),
                packages(section));
        section.noMore();
        return made;
    }

    private Addition addition(Section one) {
        String owner = one.matching("owner", "0:0", "\\d{1,10}:\\d{1,10}", "UID:GID as numbers, such as 0:0");
        String[] ids = owner.matches("\\d+:\\d+") ? owner.split(":", 2) : new String[] {"0", "0"};
        if (Long.parseLong(ids[0]) > MOST_ID || Long.parseLong(ids[1]) > MOST_ID) {
            one.mistake("owner", "found '" + owner + "'; allowed: numbers up to " + MOST_ID);
        }
        String mode = one.matching("mode", "keep", "keep|[0-7]{3,4}", "an octal mode such as 0644, or keep");
        return new Addition(
                one.path("from", null, base),
                one.matching("to", null, "/.*[^/]", "an absolute path in the tree, not the root itself"),
                mode.matches("[0-7]+") ? Integer.parseInt(mode, 8) : -1,
                Long.parseLong(ids[0]),
                Long.parseLong(ids[1]));
    }

    private static List<String> packages(Section section) {
        var words = section.wordsIfAny("packages", PACKAGES);
        words.forEach((word, node) -> {
            if (!word.matches(PACKAGE)) {
                section.mistakeAt(node, "packages", "found '" + word + "'; allowed: " + PACKAGES);
            }
        });
        return List.copyOf(words.keySet());
    }

    private static List<String> texts(Section section, String key) {
        var words = section.wordsIfAny(key, "a list of commands for a shell, each once");
        words.forEach((word, node) -> {
            if (word.isBlank()) {
                section.mistakeAt(node, key, "found nothing; allowed: a command for a shell");
            }
        });
        return List.copyOf(words.keySet());
    }
}
