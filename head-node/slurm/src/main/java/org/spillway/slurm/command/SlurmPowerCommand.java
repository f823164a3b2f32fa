package org.spillway.slurm.command;

import java.util.Map;
import org.spillway.cli.AnswerCommand;
import org.spillway.cli.HeadClient;
import org.spillway.cli.Table;
import org.spillway.slurm.hooks.SlurmSlot;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The calls of Slurm's ResumeProgram and SuspendProgram. */
@Command(
        description = {
            "Tells the head which nodes Slurm would have powered up or down. Slurm's programs call it, as root or SlurmUser.",
            "The head buys nothing for Slurm's word alone, but looks at once; it ends nodes when nothing runs on them. Where"
                    + " no head answers nothing is bought or ended, and the exit code is 3."
        },
        sortOptions = false)
public final class SlurmPowerCommand extends AnswerCommand {
    private final String action;

    @Parameters(index = "0", paramLabel = "HOSTLIST", description = "Slurm's nodes, such as west-gpu-[1-4].")
    String nodes = "";

    /** @param action {@code resume} or {@code suspend} */
    public SlurmPowerCommand(String action) {
        this.action = action;
    }

    @Override
    public Integer call() {
        var body = head().post("/slurm/" + action, Map.of("nodes", nodes));
        if (json) {
            return showJson(body);
        }
        var table = new Table("NODE", "SPILLWAY'S", "WHAT");
        HeadClient.list(body, "nodes", SlurmSlot.class)
                .forEach(slot -> table.row(slot.name(), slot.node().isEmpty() ? "" : slot.node(), slot.what()));
        return show(table.toString());
    }
}
