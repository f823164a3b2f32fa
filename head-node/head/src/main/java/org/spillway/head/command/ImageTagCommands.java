package org.spillway.head.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import org.spillway.cli.CliFailure;
import org.spillway.head.config.VersionsNamed;
import org.spillway.image.store.Reference;
import org.spillway.image.store.VersionStore;
import org.spillway.settings.ConfigMistakes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands on what stays. */
final class ImageTagCommands {
    private ImageTagCommands() {}

    @Command(
            name = "tag",
            description = "Moves a tag of an image to one of its versions; makes it when it is not there.",
            footer = {
                "",
                "Examples:",
                "  spillway image tag compute:test stable",
                "  spillway image tag compute@3f2a9c01 stable --json"
            })
    static final class Tag extends ImageCommand.OnStore {
        @Parameters(index = "0", paramLabel = "VERSION", description = ImageReadCommands.REFERENCE)
        String version = "";

        @Parameters(index = "1", paramLabel = "TAG", description = "Up to 64 of letters, digits, '.', '_' and '-'.")
        String tag = "";

        @Override
        int run() throws IOException {
            try (VersionStore versions = open()) {
                var named = find(versions, version);
                versions.tag(named, tag);
                return json
                        ? showJson(ImagePages.facts(versions, named))
                        : show(named.name() + ":" + tag + " is " + named.name() + "@" + named.digest() + "\n");
            }
        }
    }

    @Command(
            name = "gc",
            description = {
                "Removes contents and file systems that no version has any more, and what builds have left that were"
                        + " killed. With --untagged also versions that no tag and no category names.",
                "While a build, a checkout or a verification is under way it removes nothing, and says so."
            },
            sortOptions = false,
            footer = {"", "Examples:", "  spillway image gc --untagged --dry-run", "  spillway image gc"})
    static final class Collect extends ImageCommand.OnStore {
        @Option(names = "--untagged", description = "Versions without a tag go, too, unless a category names them.")
        boolean untagged;

        @Option(names = "--dry-run", description = "Only say what would go.")
        boolean dry;

        /** A category may name a version that has no tag. */
        private List<Reference> wanted() {
            Path file = config == null ? ConfigFile.USUAL : config;
            if (!untagged || (config == null && !Files.isRegularFile(file))) {
                return List.of();
            }
            try {
                return VersionsNamed.in(file);
            } catch (ConfigMistakes mistakes) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "nothing was removed, since categories may name versions: " + mistakes.getMessage(),
                        "mend the configuration, or leave out --untagged");
            }
        }

        @Override
        int run() throws IOException {
            var gone = VersionStore.collect(folder(), untagged, wanted(), dry);
            if (json) {
                var answer = new LinkedHashMap<String, Object>();
                answer.put("removed", !dry);
                answer.put("versions", gone.versions());
                answer.put("contents", gone.contents());
                answer.put("bytes", gone.bytes());
                return showJson(answer);
            }
            var text = new StringBuilder();
            gone.versions().forEach(one -> text.append(one).append('\n'));
            return show(text + (dry ? "would remove " : "removed ")
                    + gone.versions().size() + " versions and " + gone.contents() + " contents of "
                    + ImagePages.megabytes(gone.bytes()) + "\n");
        }
    }
}
