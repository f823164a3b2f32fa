package org.spillway.head.cli;

import org.spillway.head.rest.SiteView;
import org.spillway.head.rest.SpendView;
import picocli.CommandLine.Command;

@Command(
        name = "sites",
        description = "Lists the sites with their directors, and what has been spent in this period.",
        footer = {"", "Example:", "  spillway sites"})
final class SitesCommand extends ReadingCommand {
    @Override
    String path() {
        return "/sites";
    }

    @Override
    String page(HeadClient head) {
        return pages().sites(head.list(path(), "sites", SiteView.class), head.get("/spend", SpendView.class));
    }
}
