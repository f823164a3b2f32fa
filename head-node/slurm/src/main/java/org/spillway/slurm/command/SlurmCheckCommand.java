package org.spillway.slurm.command;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.head.config.Installed;
import org.spillway.slurm.conf.ConfLines;
import org.spillway.slurm.conf.Difference;
import org.spillway.slurm.conf.Differences;
import org.spillway.slurm.conf.Running;
import org.spillway.slurm.conf.SlurmFiles;
import picocli.CommandLine.Command;

@Command(
        name = "check",
        description = {
            "Compares the Slurm that runs with what the head needs: each difference with its place in"
                    + " slurm.conf, what it breaks, and the line that repairs it. Changes nothing.",
            "Exit code 1 when anything differs."
        },
        sortOptions = false,
        footer = {"", "Examples:", "  spillway slurm check --config spillway.yaml", "  spillway slurm check --json"})
public final class SlurmCheckCommand extends SlurmFilesCommand {
    private static final int MOST_INCLUDES = 100;
    private static final Pattern INCLUDE = Pattern.compile("(?i)include\\s+(\\S+)");

    private final UnaryOperator<Path> programs;

    public SlurmCheckCommand(Supplier<Installed> installed) {
        this(installed, usual -> usual);
    }

    /** @param programs where a program is that is usually elsewhere */
    public SlurmCheckCommand(Supplier<Installed> installed, UnaryOperator<Path> programs) {
        super(installed);
        this.programs = programs;
    }

    @Override
    public Integer call() {
        var known = known();
        var conf = known.slurm().conf();
        var slurm = new Scontrol(programs, conf);
        var running = Running.of(
                slurm.ask("show", "config"),
                slurm.ask("-o", "-a", "show", "partition"),
                slurm.ask("-o", "-a", "show", "node"),
                slurm.ask("-o", "show", "reservation"));
        var all = new ArrayList<>(
                Differences.of(known.wanted(), known.slurm(), running, lines(conf), SlurmCheckCommand::address));
        known.files().stream()
                .filter(file -> !file.name().equals(SlurmFiles.CONF))
                .filter(file -> !file.name().equals(SlurmFiles.FILTER) || running.filters())
                .forEach(file -> compare(conf.resolveSibling(file.name()), file, all));
        if (!Files.isExecutable(program("curl"))) {
            all.add(new Difference(
                    "curl", "", "", "Slurm's hooks cannot reach the head: jobs wait for their data", "install curl"));
        }
        if (json) {
            show(Json.writeIndented(Map.of("differences", all)) + "\n");
        } else if (all.isEmpty()) {
            show("Slurm has all that the head needs.\n");
        } else {
            all.forEach(difference -> show(difference.text()));
            show(all.size() + (all.size() == 1 ? " difference" : " differences")
                    + "; 'spillway slurm setup' shows what would mend them.\n");
        }
        return all.isEmpty() ? 0 : CliFailure.FAILED;
    }

    private static void compare(Path file, SlurmFiles.Written wanted, List<Difference> all) {
        var name = file.toString();
        try {
            var text = Files.exists(file) ? Files.readString(file) : "";
            var lacks = SlurmFiles.isChained(text, file) ? List.<String>of() : lacks(file, text, wanted.text());
            if (!lacks.isEmpty()) {
                var repair = text.isBlank() || !file.endsWith("gres.conf")
                        ? "spillway slurm setup --apply"
                        : "add: " + String.join("; ", lacks);
                all.add(new Difference(name, "", text.isEmpty() ? "" : "another text", broken(wanted.name()), repair));
            } else if (wanted.executable() && !Files.isExecutable(file)) {
                all.add(new Difference(name, "", "no right to run it", broken(wanted.name()), "chmod 755 " + file));
            }
        } catch (IOException unreadable) {
            all.add(new Difference(
                    name,
                    "",
                    "not readable here",
                    "nobody knows what is in it",
                    "run this as root on slurmctld's machine"));
        }
    }

    /** Lines of your own may stand in gres.conf; the other files are Spillway's alone. */
    private static List<String> lacks(Path file, String text, String wanted) {
        if (!file.endsWith("gres.conf")) {
            return text.equals(wanted) ? List.of() : List.of(wanted);
        }
        var there = text.lines().map(String::strip).toList();
        return wanted.lines()
                .filter(line -> !line.startsWith("#") && !there.contains(line))
                .toList();
    }

    private static String broken(String name) {
        return switch (name) {
            case "gres.conf" -> "the GPUs of these nodes are not counted";
            case "burst_buffer.conf", "burst_buffer.lua" -> "data is not staged as this version does it";
            case "cli_filter.lua" -> "with CliFilterPlugins=lua and without this file sbatch and srun fail for all";
            default -> "Slurm cannot power nodes up or down";
        };
    }

    private static String address(String name) {
        try {
            return InetAddress.getByName(name).getHostAddress();
        } catch (UnknownHostException unknown) {
            return name;
        }
    }

    /** With what it includes; nothing where it cannot be read: the running Slurm tells all but the place. */
    private static ConfLines lines(Path conf) {
        var lines = new ArrayList<ConfLines.Line>();
        var files = new ArrayList<>(List.of(conf));
        for (int i = 0; i < files.size() && i < MOST_INCLUDES; i++) {
            var file = files.get(i);
            try {
                var read = ConfLines.of(file.toString(), Files.readString(file));
                lines.addAll(read);
                for (var line : read) {
                    var include = INCLUDE.matcher(line.text());
                    if (include.matches()) {
                        files.add(conf.resolveSibling(include.group(1)));
                    }
                }
            } catch (IOException unreadable) {
                continue;
            }
        }
        return new ConfLines(lines);
    }
}
