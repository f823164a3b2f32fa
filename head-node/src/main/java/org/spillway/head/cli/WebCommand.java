package org.spillway.head.cli;

import org.spillway.head.rest.WebView;
import picocli.CommandLine.Command;

@Command(
        name = "web",
        description = {
            "Prints the link to the web page, which shows what an administrator sees and changes nothing.",
            "For root and the user that the head runs as: who has the link sees everybody's jobs."
        },
        footer = {
            "",
            "The page answers on this machine only. From another one, keep the port:",
            "  ssh -L PORT:127.0.0.1:PORT HEAD",
            "",
            "Example:",
            "  spillway web"
        })
final class WebCommand extends ReadingCommand {
    @Override
    String path() {
        return "/web";
    }

    @Override
    String page(HeadClient head) {
        return head.get(path(), WebView.class).link() + "\n";
    }
}
