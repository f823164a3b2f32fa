package org.spillway.head.nodelog;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.NodeLogs;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;

/** Fetches what nodes say from the directors, each site on a thread of its own: one that hangs holds up no other. */
public final class NodeLogGatherer implements AutoCloseable {
    /** With the fifteen seconds of a node, half of the minute in which its words shall be at home. */
    public static final Duration PERIOD = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(NodeLogGatherer.class);
    /** In one turn: a director that always has more is left alone for a while. */
    private static final int MOST_ANSWERS = 30;

    private final Function<String, Optional<DirectorTarget>> directors;
    private final DirectorLink link;
    private final NodeLogStore store;
    private final BiPredicate<String, String> isNodeOf;
    private final BooleanSupplier isDiskFull;
    private final InstantSource clock;
    private final Map<String, String> cursors = new ConcurrentHashMap<>();
    private final Map<String, String> told = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * @param directors that serve now, by site
     * @param isNodeOf whether a node is one of a site: a director speaks for no others
     * @param isDiskFull nothing is kept then, and the directors keep the latest
     */
    public NodeLogGatherer(
            Function<String, Optional<DirectorTarget>> directors,
            DirectorLink link,
            NodeLogStore store,
            BiPredicate<String, String> isNodeOf,
            BooleanSupplier isDiskFull,
            InstantSource clock) {
        this.directors = directors;
        this.link = link;
        this.store = store;
        this.isNodeOf = isNodeOf;
        this.isDiskFull = isDiskFull;
        this.clock = clock;
    }

    /** Begins to ask. Once. */
    public NodeLogGatherer begin(Collection<String> sites, Duration period) {
        for (String site : sites) {
            threads.add(Thread.ofVirtual().name("node logs of " + site).start(() -> {
                try {
                    while (true) {
                        Thread.sleep(period);
                        turn(site);
                    }
                } catch (InterruptedException closed) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        return this;
    }

    /** Fetches all that is there now; what fails is fetched by a later turn. */
    void turn(String site) {
        try {
            Optional<DirectorTarget> director = directors.apply(site);
            boolean more = director.isPresent();
            for (int i = 0; more && i < MOST_ANSWERS && !isDiskFull.getAsBoolean(); i++) {
                Optional<NodeLogs> answer = link.nodeLogs(director.get(), cursors.getOrDefault(site, ""));
                if (answer.isPresent()) {
                    keep(site, answer.get());
                }
                more = answer.isPresent() && answer.get().more();
            }
            told.remove(site);
        } catch (LinkDownException down) {
            LOG.debug("site {}: {}", site, down.getMessage());
        } catch (IOException | RuntimeException failed) {
            if (!failed.toString().equals(told.put(site, failed.toString()))) {
                LOG.warn("site {}: the logs of its nodes could not be kept: {}", site, failed.toString());
            }
        }
    }

    private void keep(String site, NodeLogs logs) throws IOException {
        Instant now = clock.instant();
        int strange = 0;
        for (NodeLogs.Piece piece : logs.pieces()) {
            boolean kept = isNodeOf.test(piece.node(), site)
                    && store.append(piece.node(), piece.boot(), piece.source(), piece.from(), piece.bytes(), now);
            strange += kept ? 0 : 1;
        }
        if (strange > 0) {
            LOG.debug("site {}: {} pieces of logs are of no node of it, or malformed", site, strange);
        }
        // Only behind what is kept: a head that dies before asks for it again.
        cursors.put(site, logs.cursor());
    }

    @Override
    public void close() throws InterruptedException {
        threads.forEach(Thread::interrupt);
        for (Thread each : threads) {
            each.join(Duration.ofSeconds(2));
        }
    }
}
