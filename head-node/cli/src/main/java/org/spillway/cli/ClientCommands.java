package org.spillway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Commands that ask a head, and need nothing else. */
final class ClientCommands implements CommandSource {
    @Override
    public Map<String, Supplier<Object>> commands() {
        var commands = new LinkedHashMap<String, Supplier<Object>>();
        commands.put("submit", SubmitCommand::new);
        commands.put("check", CheckCommand::new);
        commands.put("run", RunCommand::new);
        commands.put("ssh", SshCommand::new);
        commands.put("forward", ForwardCommand::new);
        commands.put("notebook", NotebookCommand::new);
        commands.put("queue", QueueCommand::new);
        commands.put("job", JobCommand::new);
        commands.put("explain", ExplainCommand::new);
        commands.put("logs", LogsCommand::new);
        commands.put("cancel", CancelCommand::new);
        commands.put("stage", StageCommand::commandLine);
        commands.put("cluster", ClusterCommand::commandLine);
        commands.put("queues", QueuesCommand::new);
        commands.put("sites", SitesCommand::new);
        commands.put("spend", SpendCommand::new);
        commands.put("nodes", NodesCommand::new);
        commands.put("node", NodeCommand::commandLine);
        commands.put("plan", PlanCommand::new);
        commands.put("breaker", BreakerCommand::commandLine);
        commands.put("recover", RecoverCommand::new);
        commands.put("web", WebCommand::new);
        commands.put("stop", StopCommand::new);
        return commands;
    }
}
