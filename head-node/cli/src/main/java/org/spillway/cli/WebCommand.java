package org.spillway.cli;

import org.spillway.api.WebView;
import picocli.CommandLine.Command;

@Command(
        name = "web",
        description = {
            "Prints the link to the web page. For root and the user that the head runs as it shows everything, and everybody's"
                    + " jobs; for others the clusters on demand that are theirs.",
            "Clusters on demand are made and changed there; all else it only shows. Who has the link is you.",
            "A link to one's own clusters ends after 12 hours, or what web.userLinksEndAfter says in the configuration, and so"
                    + " does what was opened by it; --json says when. Ask for another then."
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
    protected String path() {
        return "/web";
    }

    @Override
    protected String page(HeadClient head) {
        return head.get(path(), WebView.class).link() + "\n";
    }
}
