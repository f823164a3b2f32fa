package org.spillway.head.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.NodeLogsView;
import org.spillway.cloud.Site;
import org.spillway.head.config.NodeLogSettings;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.nodelog.LastConsoles;
import org.spillway.head.nodelog.NodeBoot;
import org.spillway.head.nodelog.NodeLogGatherer;
import org.spillway.head.nodelog.NodeLogStore;
import org.spillway.head.rest.NodeLogsApi;

/** Logs of nodes: gathered while they live, with their provider's word at the end, and shown for as long as is set. */
final class NodeLogDesk implements NodeLogsApi {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLogDesk.class);
    private static final Duration BETWEEN_SWEEPS = Duration.ofMinutes(10);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(30);
    /** Providers show the console of an instance that is gone for about so long. */
    private static final Duration RECENT = Duration.ofMinutes(30);

    private static final int CONSOLES_AT_ONCE = 20;

    private final NodeLogSettings settings;
    private final Journal journal;
    private final NodeLogStore store;
    private final InstantSource clock;
    private final Map<String, LastConsoles> consoles = new LinkedHashMap<>();
    private Instant nextSweep = Instant.MIN;
    private Instant nextLook = Instant.MIN;

    NodeLogDesk(NodeLogSettings settings, Path folder, Journal journal, InstantSource clock) {
        this.settings = settings;
        this.journal = journal;
        this.store = new NodeLogStore(folder);
        this.clock = clock;
    }

    /** Sites whose ends wait for a moment for what their machines say last. */
    Map<String, Site> around(Map<String, Site> sites) {
        Map<String, Site> asking = new LinkedHashMap<>();
        sites.forEach((name, site) -> {
            LastConsoles consoles = new LastConsoles(name, site, this::keep, LastConsoles.PATIENCE, clock);
            this.consoles.put(name, consoles);
            asking.put(name, consoles);
        });
        return asking;
    }

    NodeLogGatherer gather(
            List<String> sites, Function<String, Optional<DirectorTarget>> directors, DirectorLink link) {
        return new NodeLogGatherer(
                        directors,
                        link,
                        store,
                        (node, site) -> journal.node(node)
                                .filter(known -> known.site().equals(site))
                                .isPresent(),
                        () -> journal.store().isShortOfRoom(),
                        clock)
                .begin(sites, NodeLogGatherer.PERIOD);
    }

    private void keep(String instance, String text) {
        Optional<NodeRecord> node = journal.nodes().stream()
                .filter(one -> instance.equals(one.instance()))
                .findFirst();
        if (node.isEmpty() || journal.store().isShortOfRoom()) {
            return;
        }
        try {
            store.console(node.get().id(), text, clock.instant());
        } catch (IOException | UncheckedIOException failed) {
            LOG.warn("{}: its console could not be kept: {}", node.get().id(), failed.toString());
        }
    }

    /** Removes what is too old or too much, and asks for the consoles of machines that ended by themselves. */
    void keepHouse() {
        Instant now = clock.instant();
        if (!now.isBefore(nextLook)) {
            nextLook = now.plus(BETWEEN_LOOKS);
            consoles.forEach((site, provider) ->
                    Thread.ofVirtual().name("consoles of " + site).start(() -> provider.ask(endedAt(site, now))));
        }
        if (!now.isBefore(nextSweep)) {
            nextSweep = now.plus(BETWEEN_SWEEPS);
            try {
                store.sweep(now, settings.keptFor(), settings.mostBytes());
            } catch (IOException | UncheckedIOException failed) {
                LOG.warn("old logs of nodes could not be removed: {}", failed.toString());
            }
        }
    }

    private List<String> endedAt(String site, Instant now) {
        List<String> ended = new ArrayList<>();
        for (NodeRecord node : journal.nodes()) {
            String instance = node.instance();
            if (instance != null
                    && node.site().equals(site)
                    && node.nodeState().isTerminal()
                    && !node.isGiven()
                    && node.since().isAfter(now.minus(RECENT))
                    && ended.size() < CONSOLES_AT_ONCE) {
                ended.add(instance);
            }
        }
        return ended;
    }

    @Override
    public NodeLogsView of(String node, int boot, List<String> sources) {
        try {
            List<NodeBoot> boots = store.boots(node);
            if (boots.isEmpty()) {
                throw new ApiException(
                        Code.NOT_FOUND,
                        "nothing is kept of what node '" + node + "' said",
                        journal.node(node).isPresent()
                                ? "its first words come home within a minute of its gate"
                                : "'spillway nodes --all' lists nodes; logs stay for nodes.logsKeptFor");
            }
            NodeBoot chosen = boots.stream()
                    .filter(one -> boot == 0 || one.number() == boot)
                    .reduce((first, second) -> second)
                    .orElseThrow(() -> new ApiException(
                            Code.NOT_FOUND,
                            "nothing is kept of boot " + boot + " of node " + node,
                            "its boots are "
                                    + String.join(
                                            ", ",
                                            boots.stream()
                                                    .map(one -> Integer.toString(one.number()))
                                                    .toList())));
            List<NodeLogsView.BootView> shown = new ArrayList<>();
            for (NodeBoot one : boots) {
                NodeBoot.Kept kept = store.kept(one);
                shown.add(new NodeLogsView.BootView(
                        one.number(), one.boot(), one.firstHeard(), kept.lastHeard(), kept.bytes()));
            }
            return new NodeLogsView(
                    node,
                    shown,
                    chosen.number(),
                    store.read(chosen, sources.isEmpty() ? NodeLogsView.SOURCES : sources).stream()
                            .map(text ->
                                    new NodeLogsView.SourceView(text.source(), text.from(), text.end(), text.text()))
                            .toList());
        } catch (IOException | UncheckedIOException failed) {
            LOG.warn("the logs of node {} could not be read: {}", node, failed.toString());
            throw new ApiException(
                    Code.UNAVAILABLE, "the logs of node " + node + " cannot be read", "the head's log says why");
        }
    }
}
