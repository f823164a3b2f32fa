package org.spillway.head.service;

import java.util.Arrays;
import java.util.EnumMap;
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
import org.spillway.head.rollout.DriftWord;

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
                drifted(),
                head.sites().stream().anyMatch(site -> !site.directory().equals(CauseView.NONE))));
    }

    /** Of every site all findings, so that an alert on one need not know whether it was ever there. */
    private Map<String, Map<DriftWord.Kind, Long>> drifted() {
        Map<String, Map<DriftWord.Kind, Long>> all = new LinkedHashMap<>();
        for (String site : config.sites().keySet()) {
            Map<DriftWord.Kind, Long> kinds = new EnumMap<>(DriftWord.Kind.class);
            Arrays.stream(DriftWord.Kind.values()).filter(DriftWord.Kind::isBad).forEach(kind -> kinds.put(kind, 0L));
            journal.liveNodes(site).stream()
                    .map(node -> loop.heard(site).driftOf(node.id()).kind())
                    .filter(DriftWord.Kind::isBad)
                    .forEach(kind -> kinds.merge(kind, 1L, Long::sum));
            all.put(site, kinds);
        }
        return all;
    }

    private HeadFacts.Site site(String name) {
        return new HeadFacts.Site(
                loop.lastListing(name).orElse(null),
                loop.lastAnswer(name).orElse(null),
                !loop.trouble(name).isNone(),
                forwards.connections(name));
    }
}
