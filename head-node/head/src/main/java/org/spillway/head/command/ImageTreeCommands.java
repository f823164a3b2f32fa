package org.spillway.head.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.CliFailure;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.tree.PackageLists;
import org.spillway.image.tree.RawName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands between versions and trees on a disk. */
final class ImageTreeCommands {
    private ImageTreeCommands() {}

    @Command(
            name = "verify",
            description = {
                "Compares a tree with a version, file by file, and says which package owns what differs: the drift of a"
                        + " machine whose root is mounted there. Every file is read.",
                "Times are not compared, and what is mounted below the tree is not looked into, but named.",
                "Without --tree, the version's own contents in the store are read and compared with their digests; one"
                        + " that has rotted is put aside, and the next build of the version brings it again."
            },
            sortOptions = false,
            footer = {
                "",
                "Examples:",
                "  spillway image verify compute --tree /srv/node-root",
                "  spillway image verify compute:stable --tree / --json",
                "  spillway image verify compute",
                "",
                "Exit codes: 0 it is the same, 1 it is not, 2 it could not be compared."
            })
    static final class Verify extends ImageCommand.OnStore {
        @Parameters(index = "0", paramLabel = "VERSION", description = ImageReadCommands.REFERENCE)
        String version = "";

        @Option(names = "--tree", paramLabel = "DIR", description = "The root of the tree to compare.")
        @Nullable
        Path tree;

        @Override
        int failureCode() {
            return CliFailure.BAD_INPUT;
        }

        @Override
        int run() throws IOException {
            try (VersionStore versions = open()) {
                var wanted = find(versions, version);
                return tree == null ? ofStore(versions, wanted) : ofTree(versions, wanted, tree);
            }
        }

        private int ofTree(VersionStore versions, VersionRecord wanted, Path root) throws IOException {
            var drift = versions.drift(wanted, root, watch(version));
            var owners = PackageLists.of(versions.manifest(wanted), versions::text);
            boolean same = drift.differences().isEmpty();
            if (json) {
                var answer = new LinkedHashMap<String, Object>();
                answer.put("digest", wanted.digest());
                answer.put("same", same);
                answer.put(
                        "mounted",
                        drift.mounted().stream()
                                .map(path -> "/" + RawName.escaped(path))
                                .toList());
                answer.put("differences", ImagePages.json(drift.differences(), owners));
                showJson(answer);
            } else {
                show((same ? "" : ImagePages.differences(drift.differences(), owners))
                        + mounted(drift.mounted())
                        + root + (same ? " is " : " is not ") + wanted.name() + "@" + wanted.digest()
                        + (same ? "" : ": " + drift.differences().size() + " differences") + "\n");
            }
            return same ? 0 : 1;
        }

        private static String mounted(List<String> paths) {
            return paths.isEmpty()
                    ? ""
                    : "not looked into, something is mounted there: "
                            + String.join(
                                    ", ",
                                    paths.stream()
                                            .map(path -> "/" + RawName.shown(path))
                                            .toList()) + "\n";
        }

        private int ofStore(VersionStore versions, VersionRecord wanted) throws IOException {
            var wrong = versions.rotten(wanted, watch(version));
            if (json) {
                var answer = new LinkedHashMap<String, Object>();
                answer.put("digest", wanted.digest());
                answer.put("same", wrong.isEmpty());
                answer.put("rotten", wrong);
                showJson(answer);
            } else {
                show(
                        wrong.isEmpty()
                                ? wanted.name() + "@" + wanted.digest() + " is whole in the store\n"
                                : String.join("\n", wrong) + "\n");
            }
            return wrong.isEmpty() ? 0 : 1;
        }
    }

    @Command(
            name = "checkout",
            description = {
                "Writes a version's tree, with owners, modes, setuid, capabilities, access lists, devices, hard links"
                        + " and holes, so mostly as root. It appears when all of it is on the disk.",
                "All times are the second 0 of 1970: they are not part of a version."
            },
            sortOptions = false,
            footer = {
                "",
                "Examples:",
                "  spillway image checkout compute --to /srv/node-root",
                "  spillway image checkout compute:stable --to /srv/stable --json"
            })
    static final class Checkout extends ImageCommand.OnStore {
        @Parameters(index = "0", paramLabel = "VERSION", description = ImageReadCommands.REFERENCE)
        String version = "";

        @Option(
                names = "--to",
                required = true,
                paramLabel = "DIR",
                description = "A folder that is not there yet, or is empty.")
        Path to = Path.of("");

        @Override
        int run() throws IOException {
            try (VersionStore versions = open()) {
                var wanted = find(versions, version);
                versions.checkout(wanted, to, watch(version));
                if (json) {
                    var facts = ImagePages.facts(versions, wanted);
                    facts.put("tree", to.toString());
                    return showJson(facts);
                }
                return show(to + " is " + wanted.name() + "@" + wanted.digest() + "\n");
            }
        }
    }
}
