package org.spillway.head.command;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.spillway.cli.CliFailure;
import org.spillway.image.recipe.ImageBuild;
import org.spillway.image.recipe.Recipe;
import org.spillway.image.store.VersionStore;
import org.spillway.settings.ConfigMistakes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "build",
        description = {
            "Builds a version of a recipe and signs it with the head's key. What was made of the same before is found,"
                    + " and nothing is built.",
            "A recipe is a file in YAML: 'base', a folder with a tree, or 'mmdebstrap' (suite, mirror, variant,"
                    + " packages); then, each if wanted, 'files', 'packages', 'scripts' and 'smoke', in this order."
                    + " docs/images.md has every key.",
            "Scripts and smoke commands run inside the tree as root, without a network, in namespaces of their own."
                    + " Only when every smoke command has ended with 0 is there a version, and are tags moved: 'latest'"
                    + " always, and those of --tag."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway image build compute.yaml",
            "  spillway image build compute.yaml --tag test --json",
            "",
            "Exit codes: 0 the version is there, 1 it was not built and nothing of it stays, 2 the recipe has mistakes."
        })
final class ImageBuildCommand extends ImageCommand.OnStore {
    @Parameters(index = "0", paramLabel = "RECIPE", description = "The recipe's file.")
    Path file = Path.of("");

    @Option(names = "--tag", paramLabel = "T", description = "Move this tag to the version, too; may be repeated.")
    List<String> tags = new ArrayList<>();

    @Option(names = "--again", description = "Build it even if a version was made of the same.")
    boolean again;

    @Override
    int run() throws IOException, InterruptedException {
        Recipe recipe;
        try {
            recipe = RecipeReader.read(file);
        } catch (ConfigMistakes mistakes) {
            mistakes.lines().forEach(err()::println);
            throw new CliFailure(CliFailure.BAD_INPUT, "the recipe " + file + " cannot be used", "");
        }
        var moved = new LinkedHashSet<>(List.of(VersionStore.LATEST));
        moved.addAll(tags);
        try (VersionStore versions = open()) {
            var built = new ImageBuild(
                            versions,
                            watch(recipe.name()),
                            InstantSource.system().instant())
                    .build(recipe, again, List.copyOf(moved));
            var page = ImagePages.facts(versions, built.version());
            page.put("made", built.made());
            if (json) {
                return showJson(page);
            }
            return show(recipe.name() + "@" + built.version().digest() + "\n"
                    + (built.made() ? "built" : "unchanged: a version was made of the same") + "; tags "
                    + String.join(", ", moved) + " name it\n");
        }
    }
}
