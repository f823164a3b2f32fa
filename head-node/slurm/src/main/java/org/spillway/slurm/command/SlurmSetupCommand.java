package org.spillway.slurm.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.head.config.Installed;
import org.spillway.slurm.setup.SetupRefused;
import org.spillway.slurm.setup.SetupStore;
import org.spillway.slurm.setup.SlurmSetup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "setup",
        description = {
            "Looks at the Slurm that is there, and shows what the head needs of it as a difference to each file, without"
                    + " changing any. With --apply the changes are made; 'spillway slurm undo' takes them back.",
            "The site's own Prolog, Epilog, filter and power programs go on being called, and its burst buffer stays. Each"
                    + " file is kept as it was, with its mode and owner, in the head's state directory.",
            "Run it as root on slurmctld's machine, again whenever the head's configuration has changed."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway slurm setup --config spillway.yaml",
            "  spillway slurm setup --config spillway.yaml --apply && systemctl restart slurmctld"
        })
public final class SlurmSetupCommand extends SlurmFilesCommand {
    private final UnaryOperator<Path> programs;

    @Option(names = "--apply", description = "Make the changes.")
    boolean apply;

    @Option(
            names = "--cli-filter",
            description =
                    "Also say CliFilterPlugins=lua where the site has no filter, so that sbatch itself tells mistakes in"
                            + " #SPILLWAY lines. cli_filter.lua must then lie beside every slurm.conf: without it sbatch fails.")
    boolean filter;

    public SlurmSetupCommand(Supplier<Installed> installed) {
        this(installed, usual -> usual);
    }

    /** @param programs where a program is that is usually elsewhere */
    public SlurmSetupCommand(Supplier<Installed> installed, UnaryOperator<Path> programs) {
        super(installed);
        this.programs = programs;
    }

    @Override
    public Integer call() {
        var known = known();
        var conf = known.slurm().conf();
        List<String> notes = new ArrayList<>(looked(conf));
        try (var store = SetupStore.open(known.config().state().resolve(SlurmSetup.FOLDER))) {
            var setup = new SlurmSetup(store);
            if (apply) {
                store.recover()
                        .forEach(file -> notes.add(file + ": a call that was broken off has been taken back first"));
            } else if (!store.manifest().pending().isEmpty()) {
                throw new SetupRefused(
                        "an earlier call was broken off", "'--apply' finishes it, 'spillway slurm undo' takes it back");
            }
            var proposal = setup.propose(conf, known.wanted(), known.place(), filter);
            notes.addAll(proposal.notes());
            if (apply) {
                setup.make(proposal);
            }
            return show(json ? json(proposal, notes) : page(proposal, notes));
        } catch (SetupRefused refused) {
            throw SlurmUndoCommand.failure(refused);
        } catch (IOException failed) {
            throw SlurmUndoCommand.failure(failed);
        }
    }

    /** Notes about the Slurm that runs. @throws CliFailure if it is another one */
    private List<String> looked(Path conf) {
        String config;
        try {
            config = new Scontrol(programs, conf).ask("show", "config");
        } catch (CliFailure away) {
            return List.of("slurmctld does not answer (" + away.getMessage() + "): only its files were looked at");
        }
        var read = config.lines()
                .filter(line -> line.matches("SLURM_CONF\\s*=.*"))
                .map(line -> line.replaceFirst("^[^=]*=\\s*", "").strip())
                .findFirst()
                .orElse("");
        if (!read.isEmpty() && !isSame(Path.of(read), conf)) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "slurmctld reads " + read + ", and the head " + conf,
                    "workload.slurm.conf: " + read + " in the head's configuration");
        }
        return List.of();
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException missing) {
            return one.equals(other);
        }
    }

    private String json(SlurmSetup.Proposal proposal, List<String> notes) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("applied", apply);
        all.put(
                "files",
                proposal.changes().stream()
                        .map(change -> Map.of("path", change.move().path(), "diff", change.diff()))
                        .toList());
        all.put("notes", notes);
        all.put("restart", proposal.restart() && !proposal.changes().isEmpty());
        return Json.writeIndented(all) + "\n";
    }

    private String page(SlurmSetup.Proposal proposal, List<String> notes) {
        var text = new StringBuilder();
        if (!apply) {
            proposal.changes().forEach(change -> text.append(change.diff()).append('\n'));
        }
        notes.forEach(note -> text.append("note: ").append(note).append('\n'));
        if (proposal.changes().isEmpty()) {
            return text + "Slurm's files have all that the head needs.\n";
        }
        int count = proposal.changes().size();
        String files = count + (count == 1 ? " file" : " files");
        if (!apply) {
            return text + files + " to change; '--apply' does it, and 'spillway slurm undo' takes it back.\n";
        }
        proposal.changes()
                .forEach(change ->
                        text.append("changed ").append(change.move().path()).append('\n'));
        return text + SlurmUndoCommand.next(proposal.restart()) + "Then 'spillway slurm check' looks at what runs.\n";
    }
}
