package org.spillway.cli;

import java.util.List;
import org.spillway.api.Json;
import org.spillway.api.SiteView;
import org.spillway.api.SpendView;
import picocli.CommandLine.Command;

@Command(
        name = "sites",
        description = "Lists the sites with their directors, and what has been spent in this period.",
        footer = {"", "Example:", "  spillway sites"})
final class SitesCommand extends ReadingCommand {
    @Override
    protected String path() {
        return "/sites";
    }

    /** Programs get what people get. */
    @Override
    protected byte[] json(HeadClient head) {
        return Json.bytes(new Sites(head.list(path(), "sites", SiteView.class), head.get("/spend", SpendView.class)));
    }

    private record Sites(List<SiteView> sites, SpendView spend) {}

    @Override
    protected String page(HeadClient head) {
        return pages().sites(head.list(path(), "sites", SiteView.class), head.get("/spend", SpendView.class));
    }
}
