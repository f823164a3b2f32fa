package org.spillway.proof;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.spillway.cli.CommandSource;
import org.spillway.head.command.HeadCommands;
import org.spillway.proof.bench.BenchCommand;
import org.spillway.proof.demo.DemoCommand;
import org.spillway.proof.faultsim.SimulateFaultsCommand;
import org.spillway.proof.simulate.SimulateCommand;

/** Commands that show what Spillway does, beside any head that serves. */
public final class ProofCommands implements CommandSource {
    @Override
    public Map<String, Supplier<Object>> commands() {
        var commands = new LinkedHashMap<String, Supplier<Object>>();
        commands.put("demo", () -> new DemoCommand(HeadCommands::installed));
        commands.put("local-cloud", LocalCloudCommand::new);
        commands.put("simulate", () -> new SimulateCommand(HeadCommands::installed));
        commands.put("simulate-faults", SimulateFaultsCommand::new);
        commands.put("bench", BenchCommand::new);
        return commands;
    }
}
