package org.spillway.slurm.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.head.config.Installed;
import org.spillway.slurm.conf.SlurmFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "config",
        description = {
            "Prints what Slurm needs beside its slurm.conf, or writes it: spillway.conf (nodes, partitions and settings, for"
                    + " 'Include spillway.conf'), gres.conf, burst_buffer.conf, burst_buffer.lua, cli_filter.lua, and the"
                    + " programs that Slurm powers nodes up and down with.",
            "The nodes' figures are those of the sites' offerings: from the head that runs, else from the providers."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway slurm config --config spillway.yaml",
            "  spillway slurm config --config spillway.yaml --out /etc/slurm && scontrol reconfigure"
        })
final class SlurmConfigCommand extends SlurmFilesCommand {
    /** Marks that every file of ours has in it: others are not overwritten. */
    private static final List<String> OURS =
            List.of("written by 'spillway slurm config'", " slurm resume ", " slurm suspend ");

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Write the files there, which is the folder of slurm.conf. A file that is not of ours is refused.")
    @Nullable
    Path out;

    SlurmConfigCommand(Supplier<Installed> installed) {
        super(installed);
    }

    @Override
    public Integer call() {
        var files = known().files();
        if (out == null) {
            return show(json ? Json.writeIndented(files) + "\n" : page(files));
        }
        var folder = out;
        files.forEach(file -> refuseOthers(folder.resolve(file.name())));
        files.forEach(file -> write(folder, file));
        return show(json ? Json.writeIndented(files) + "\n" : written(folder, files));
    }

    private static String page(List<SlurmFiles.Written> files) {
        var text = new StringBuilder();
        files.forEach(file -> text.append("######## ")
                .append(file.name())
                .append(file.executable() ? " (executable)" : "")
                .append('\n')
                .append(file.text())
                .append('\n'));
        return text.toString();
    }

    private static String written(Path folder, List<SlurmFiles.Written> files) {
        var text = new StringBuilder();
        files.forEach(file ->
                text.append("wrote ").append(folder.resolve(file.name())).append('\n'));
        return text + "Now: 'Include " + SlurmFiles.CONF
                + "' in slurm.conf, restart slurmctld once for the burst buffer," + " and 'spillway slurm check'.\n";
    }

    private static void refuseOthers(Path file) {
        try {
            if (!Files.exists(file)) {
                return;
            }
            var text = Files.readString(file);
            if (!text.isBlank() && OURS.stream().noneMatch(text::contains)) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        file + " is not of ours, and nothing was written",
                        "write elsewhere (--out DIR) and put the two together");
            }
        } catch (IOException unreadable) {
            throw new CliFailure(CliFailure.BAD_INPUT, file + " cannot be read: " + unreadable.getMessage(), "");
        }
    }

    /** By a rename: Slurm may read it at any time. */
    private static void write(Path folder, SlurmFiles.Written file) {
        try {
            var mode = PosixFilePermissions.fromString(file.executable() ? "rwxr-xr-x" : "rw-r--r--");
            var fresh = Files.createTempFile(folder, "." + file.name(), ".new");
            Files.writeString(fresh, file.text());
            Files.setPosixFilePermissions(fresh, mode);
            Files.move(fresh, folder.resolve(file.name()), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException unwritable) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    folder.resolve(file.name()) + " cannot be written: " + unwritable,
                    "name a folder that is there and that you may write to");
        }
    }
}
