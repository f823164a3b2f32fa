package org.spillway.head.command;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.cli.CommandGroup;
import org.spillway.cli.OwnCommand;
import org.spillway.cli.Terminal;
import org.spillway.head.config.HeadConfig;
import org.spillway.image.store.Reference;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.Watch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "image",
        description = {
            "Builds root file systems as signed versions, compares them file by file, and writes them out again.",
            "A version is the digest of a manifest with every file's content, owner, mode, capabilities and links;"
                    + " what two versions share lies on the disk once.",
            "A category of the configuration that names a version (image.version) has jobs that live in it: its nodes"
                    + " mount it as the root of each job. Machines do not boot from versions."
        },
        footer = {
            "",
            "Examples:",
            "  spillway image build compute.yaml --tag test",
            "  spillway image diff compute:stable compute:test",
            "  spillway image verify compute --tree /srv/node-root"
        })
final class ImageCommand extends CommandGroup {
    /** With its subcommands. */
    static CommandLine commandLine() {
        var line = new CommandLine(new ImageCommand());
        line.addSubcommand("build", new ImageBuildCommand());
        line.addSubcommand("list", new ImageReadCommands.Listing());
        line.addSubcommand("show", new ImageReadCommands.Show());
        line.addSubcommand("diff", new ImageReadCommands.Diff());
        line.addSubcommand("verify", new ImageTreeCommands.Verify());
        line.addSubcommand("drift", new ImageDriftCommand());
        line.addSubcommand("checkout", new ImageTreeCommands.Checkout());
        line.addSubcommand("tag", new ImageTagCommands.Tag());
        line.addSubcommand("rollout", ImageRolloutCommands.Group.commandLine());
        line.addSubcommand("rollback", ImageRolloutCommands.rollback());
        line.addSubcommand("gc", new ImageTagCommands.Collect());
        return line;
    }

    /** A command on the store of this machine. */
    abstract static class OnStore extends OwnCommand {
        private static final long PAUSE_NANOS = 100_000_000;
        private static final int BAR = 20;

        @Option(
                names = "--config",
                paramLabel = "FILE",
                description = "The head's configuration, to find its state. Otherwise ./spillway.yaml, or ./state.")
        @Nullable
        Path config;

        @Option(
                names = "--store",
                paramLabel = "DIR",
                description = "Where versions are kept; image-store in the head's state unless given.")
        @Nullable
        Path store;

        @Option(names = "--json", description = "Print the answer as JSON, for programs.")
        boolean json;

        private long shown;

        abstract int run() throws IOException, InterruptedException;

        /** The exit code of what could not be done at all. */
        int failureCode() {
            return CliFailure.FAILED;
        }

        @Override
        public final Integer call() throws InterruptedException {
            try {
                return run();
            } catch (IOException failure) {
                throw new CliFailure(failureCode(), String.valueOf(failure.getMessage()), "");
            } finally {
                Terminal.progress(err(), "");
            }
        }

        Path folder() {
            return store == null ? StateFolder.of(config).resolve(HeadConfig.VERSIONS) : store;
        }

        VersionStore open() throws IOException {
            return VersionStore.open(folder(), StoreKey.of(StateFolder.of(config)));
        }

        static VersionRecord find(VersionStore store, String text) throws IOException {
            return store.find(Reference.parse(text));
        }

        int showJson(Object answer) {
            Terminal.progress(err(), "");
            return show(Json.writeIndented(answer) + "\n");
        }

        Watch watch(String what) {
            return (phase, done, all) -> {
                long now = System.nanoTime();
                if (now - shown > PAUSE_NANOS) {
                    shown = now;
                    Terminal.progress(err(), what + ": " + line(phase, done, all));
                }
            };
        }

        static String line(Watch.Phase phase, long done, long all) {
            String much = all == 0
                    ? ""
                    : "[" + "#".repeat((int) (BAR * done / all)) + ".".repeat(BAR - (int) (BAR * done / all)) + "] ";
            return switch (phase) {
                case LOOKING -> "found " + done + " files";
                case READING -> much + "read " + ImagePages.of(done, all);
                case SYNCING -> "waits for the disk";
                case KEEPING -> much + "kept " + done + " of " + all + " new contents";
                case WRITING -> much + "wrote " + ImagePages.of(done, all);
                case RUNNING -> much + "step " + (done + 1) + " of " + all;
            };
        }
    }
}
