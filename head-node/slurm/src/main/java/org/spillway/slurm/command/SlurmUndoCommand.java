package org.spillway.slurm.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.spillway.api.Json;
import org.spillway.cli.CliFailure;
import org.spillway.head.command.AccountCommand;
import org.spillway.head.command.ConfigFile;
import org.spillway.head.config.Installed;
import org.spillway.slurm.setup.SetupRefused;
import org.spillway.slurm.setup.SetupStore;
import org.spillway.slurm.setup.SlurmSetup;
import picocli.CommandLine.Command;

@Command(
        name = "undo",
        description = {
            "Takes back what 'spillway slurm setup --apply' has done: each file is what it was, byte for byte, with its mode and"
                    + " owner. In a file that somebody has changed since, only our own lines go.",
            "Where these were changed it refuses, names the file, shows the difference, and changes nothing."
        },
        sortOptions = false,
        footer = {"", "Example:", "  spillway slurm undo --config spillway.yaml && systemctl restart slurmctld"})
public final class SlurmUndoCommand extends AccountCommand {
    public SlurmUndoCommand(Supplier<Installed> installed) {
        super(installed);
    }

    @Override
    public Integer call() {
        var read = ConfigFile.read(config, installed.get(), err());
        try (var store = SetupStore.open(read.state().resolve(SlurmSetup.FOLDER))) {
            List<String> notes = new ArrayList<>();
            store.recover().forEach(file -> notes.add(file + ": a call that was broken off has been taken back first"));
            var setup = new SlurmSetup(store);
            var proposal = setup.back();
            notes.addAll(proposal.notes());
            setup.make(proposal);
            return show(json ? json(proposal, notes) : page(proposal, notes));
        } catch (SetupRefused refused) {
            throw failure(refused);
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    private static String json(SlurmSetup.Proposal proposal, List<String> notes) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put(
                "files",
                proposal.changes().stream().map(change -> change.move().path()).toList());
        all.put("notes", notes);
        all.put("restart", proposal.restart());
        return Json.writeIndented(all) + "\n";
    }

    private static String page(SlurmSetup.Proposal proposal, List<String> notes) {
        var text = new StringBuilder();
        notes.forEach(note -> text.append("note: ").append(note).append('\n'));
        if (proposal.changes().isEmpty()) {
            return text + "There is nothing to take back.\n";
        }
        proposal.changes()
                .forEach(change -> text.append(change.move().to().digest().isEmpty() ? "removed " : "restored ")
                        .append(change.move().path())
                        .append('\n'));
        return text + next(proposal.restart())
                + "Jobs in the head's partitions are gone with them; 'spillway stop --release' ends its nodes.\n";
    }

    /** Whom to tell. */
    static String next(boolean restart) {
        return "Machines with copies of these files get them as always. "
                + (restart
                        ? "Then restart slurmctld (jobs go on), and 'scontrol reconfigure'.\n"
                        : "Then 'scontrol reconfigure'.\n");
    }

    static CliFailure failure(SetupRefused refused) {
        return new CliFailure(CliFailure.FAILED, String.valueOf(refused.getMessage()), refused.advice());
    }

    static CliFailure failure(IOException failed) {
        return new CliFailure(
                CliFailure.FAILED,
                String.valueOf(failed),
                "run it as root on slurmctld's machine; a call that was broken off is taken back by the next");
    }
}
