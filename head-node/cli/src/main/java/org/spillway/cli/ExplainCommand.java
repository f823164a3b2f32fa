package org.spillway.cli;

import org.spillway.api.DecisionView;
import org.spillway.api.ExplainView;
import org.spillway.api.NodeExplainView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "explain",
        description = {
            "Says in one sentence why a job is where it is, and when it may start; why a node is there, and when it goes;"
                    + " or what a decision saw and did, and what it could have done instead.",
            "Nodes and decisions are explained to administrators."
        },
        footer = {
            "",
            "Examples:",
            "  spillway explain 42",
            "  spillway explain aws-east-1043",
            "  spillway explain d1043"
        })
final class ExplainCommand extends ReadingCommand {
    @Parameters(
            paramLabel = "ID",
            description = "The id of a job, as 'submit' and 'queue' print it, of a node, or of a decision.")
    String id = "";

    @Override
    protected String path() {
        var name = segment(id);
        return isDecision() ? "/decisions/" + name : (isJob() ? "/jobs/" : "/nodes/") + name + "/explain";
    }

    private boolean isJob() {
        return id.matches("\\d+(-\\d+)?");
    }

    private boolean isDecision() {
        return id.matches("d\\d+");
    }

    @Override
    protected String page(HeadClient head) {
        if (isDecision()) {
            return pages().decision(head.get(path(), DecisionView.class));
        }
        var sentence = isJob()
                ? head.get(path(), ExplainView.class).sentence()
                : head.get(path(), NodeExplainView.class).sentence();
        return sentence.replaceAll("\\p{Cntrl}", "?") + "\n";
    }
}
