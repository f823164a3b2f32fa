package org.spillway.head.service;

import java.util.LinkedHashMap;
import java.util.Map;
import org.spillway.api.CauseView;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.forward.HomeForwards;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.TickTimes;
import org.spillway.head.metrics.HeadFacts;
import org.spillway.head.metrics.MetricsText;
import org.spillway.head.rest.HeadApi;

/** Gathers what metrics are made of. Any thread. */
record MetricsDesk(
        HeadConfig config, Journal journal, Loop loop, HomeForwards forwards, TickTimes ticks, HeadApi head) {
    /** All metrics as of now, in Prometheus' text format. */
    String text() {
        Map<String, HeadFacts.Site> sites = new LinkedHashMap<>();
        config.sites().keySet().forEach(name -> sites.put(name, site(name)));
        return MetricsText.of(new HeadFacts(
                head.health(),
                journal.jobs(),
                journal.nodes(),
                sites,
                head.spend(),
                head.breakers().list(),
                ticks,
                journal.rollouts(),
                head.sites().stream().anyMatch(site -> !site.directory().equals(CauseView.NONE))));
    }

    private HeadFacts.Site site(String name) {
        return new HeadFacts.Site(
                loop.lastListing(name).orElse(null),
                loop.lastAnswer(name).orElse(null),
                !loop.trouble(name).isNone(),
                forwards.connections(name));
    }
}
