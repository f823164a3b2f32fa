package org.spillway.cli;

import org.spillway.api.PlanView;
import picocli.CommandLine.Command;

@Command(
        name = "plan",
        description = "Shows what the head would do next, each step with its reason. Changes nothing.",
        footer = {"", "Example:", "  spillway plan"})
final class PlanCommand extends ReadingCommand {
    @Override
    protected String path() {
        return "/plan";
    }

    @Override
    protected String page(HeadClient head) {
        return pages().plan(head.get(path(), PlanView.class));
    }
}
