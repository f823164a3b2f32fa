package org.spillway.cli;

import java.time.Instant;
import java.util.function.Function;
import org.spillway.api.NodePageView;

/** A node as a page of text. Pure. */
record NodePage(Function<Instant, String> time) {
    String node(NodePageView view) {
        var node = view.node();
        var place = view.place();
        var facts = new Table("node", node.id())
                .row("role", node.role())
                .row("site", node.site())
                .row("zone, host", place.getOrDefault("zone", "") + comma(place.getOrDefault("host", "")))
                .row("type, market", place.getOrDefault("type", "") + comma(place.getOrDefault("market", "")))
                .row("fabric", place.getOrDefault("fabric", ""))
                .row("instance, address", node.instance() + comma(node.address()))
                .row("price", node.pricePerHour() + " per hour")
                .row("state", node.state() + " since " + time.apply(node.since()) + colon(node.reason()))
                .row("held", String.join("; ", view.held()))
                .row("jobs", String.join(", ", node.jobs()))
                .row("category", node.category() + comma(String.join(", ", node.overlays())))
                .row("becomes", node.becomes())
                .row("image", node.image())
                .row("version, kernel", node.version() + comma(node.kernel()));
        var page = new StringBuilder(facts.toString());
        page.append('\n').append(new Table(view.story()));
        if (!view.checks().isEmpty()) {
            var checks = new Table("CHECK", "RESULT", "FOUND");
            view.checks().forEach(check -> checks.row(check.name(), check.passed() ? "ok" : "FAILED", check.found()));
            page.append('\n').append(checks);
        }
        if (!view.faults().isEmpty()) {
            var faults = new Table("FAULT", "AT", "JOB", "FOUND");
            view.faults()
                    .forEach(fault -> faults.row(fault.check(), time.apply(fault.at()), fault.job(), fault.found()));
            page.append('\n').append(faults);
        }
        var history = new Table("SINCE", "STATE", "REASON");
        view.history().forEach(step -> history.row(time.apply(step.at()), step.state(), step.reason()));
        return page.append('\n')
                .append(history)
                .append('\n')
                .append(logs(view))
                .append('\n')
                .toString();
    }

    private String logs(NodePageView view) {
        if (view.boots().isEmpty()) {
            return "nothing is kept of what it said";
        }
        var last = view.boots().getLast();
        return "last heard " + time.apply(last.lastHeard()) + ", of boot " + last.number() + ": spillway node logs "
                + view.node().id();
    }

    private static String comma(String more) {
        return more.isEmpty() ? "" : ", " + more;
    }

    private static String colon(String why) {
        return why.isEmpty() ? "" : ": " + why;
    }
}
