package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.loop.launches.LaunchDecision;
import org.spillway.head.ondemand.ChildSites;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;

/**
 * Buys a child's first nodes while its head is made, so that all of them boot together. The child's head begins as one that
 * was killed while it called its provider: with a journal in which that launch is called, and with the secrets that the
 * nodes' first-boot data was made of. What it does then is what every head does that starts again, and it is the same
 * whether the call was made, refused, or lost with its parent. All of it lies on disk before the call, and the same call
 * again is answered from the parent's own journal. Blocks; any thread.
 */
final class LaunchAhead {
    private static final Logger LOG = LoggerFactory.getLogger(LaunchAhead.class);
    /** For so long the price is reserved in the child's books, whose own head then goes on with it. */
    private static final Duration RESERVED = Duration.ofMinutes(15);

    /** A node knocks for so much longer than others: its director is not there yet. */
    private static final Duration HEAD_IS_MADE = Duration.ofMinutes(15);

    private final Path folder;
    private final ChildSites sites;
    private final Function<String, Duration> registration;
    private final int unproven;
    private final Set<Market> markets;
    private final BiFunction<String, LaunchRequest, LaunchAnswer> buying;
    private final InstantSource clock;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    /**
     * @param folder for what is kept of each child until it is gone: secrets, so it is this head's only
     * @param registration of a site: how long a node may take to join
     * @param unproven nodes that may be bought at a time while none has come up; 0 for any number
     * @param markets in which they may be bought
     * @param buying a request for a child's id, by the rules for what it buys itself
     */
    LaunchAhead(
            Path folder,
            ChildSites sites,
            Function<String, Duration> registration,
            int unproven,
            Set<Market> markets,
            BiFunction<String, LaunchRequest, LaunchAnswer> buying,
            InstantSource clock) {
        this.folder = folder;
        this.sites = sites;
        this.registration = registration;
        this.unproven = unproven;
        this.markets = Set.copyOf(markets);
        this.buying = buying;
        this.clock = clock;
    }

    /**
     * Writes down what is to be bought, once, and begins to buy it; again, the same.
     *
     * @return the state that its head begins with; empty while its site sells no such nodes
     */
    Optional<Path> begin(ClusterRecord child) throws IOException {
        Path state = folder.resolve(child.id());
        if (!Files.isDirectory(state)) {
            Optional<Offering> offering = cheapest(child);
            if (offering.isEmpty()) {
                return Optional.empty();
            }
            write(child, offering.get(), state);
        }
        if (underWay.add(child.id())) {
            LaunchRequest request = request(state);
            Thread.ofVirtual().name("first nodes of " + child.id()).start(() -> buy(child.id(), request));
        }
        return Optional.of(state);
    }

    private void buy(String id, LaunchRequest request) {
        try {
            LOG.info("first nodes of {}: {}", id, buying.apply(id, request).outcome());
        } catch (RuntimeException failure) {
            LOG.warn("first nodes of {}: no certain answer: {}", id, failure.getMessage());
        } finally {
            underWay.remove(id);
        }
    }

    private Optional<Offering> cheapest(ClusterRecord child) {
        try {
            return sites.of(child.id(), child.spec().site()).compute().offerings().stream()
                    .filter(one -> one.id().instanceType().equals(child.spec().nodeType())
                            && markets.contains(one.id().market()))
                    .min(Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id));
        } catch (CloudException failure) {
            LOG.info("first nodes of {} are bought by its own head: {}", child.id(), failure.getMessage());
            return Optional.empty();
        }
    }

    /** Under another name until it is whole. */
    private void write(ClusterRecord child, Offering offering, Path state) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path made = folder.resolve(child.id() + ".new");
        delete(made);
        Files.createDirectory(made);
        var spec = child.spec();
        Instant now = clock.instant();
        // Before its other secrets: beside those an empty journal would be one that was lost.
        try (SqliteJournalStore store = SqliteJournalStore.ahead(made, now)) {
            SiteAuthority its = SiteAuthority.open(made, clock);
            var decision = new LaunchDecision(
                    store.nextSequence(),
                    spec.site(),
                    offering,
                    unproven == 0 ? spec.nodes() : Math.min(spec.nodes(), unproven),
                    NodeRecord.Role.NODE,
                    "",
                    spec.owner().name().replaceAll("[^A-Za-z0-9._@-]", "-"),
                    RESERVED,
                    NodeFact.BOUGHT_AHEAD,
                    now);
            var credentials =
                    new HeadCredentials(its, registration.apply(spec.site()).plus(HEAD_IS_MADE), site -> Duration.ZERO);
            String userData = credentials.nodeUserData(
                    spec.site(), decision.intent(), child.head().inside());
            new Journal(store, now)
                    .commit(now, decision.called(userData, store.standing().tag()));
        } catch (JournalFailure failure) {
            throw new IOException(
                    "the journal of " + child.id() + " cannot be written: " + failure.getMessage(), failure);
        }
        Files.move(made, state, StandardCopyOption.ATOMIC_MOVE);
    }

    /** As it was written down, with its secrets. */
    private LaunchRequest request(Path state) throws IOException {
        try (SqliteJournalStore store = SqliteJournalStore.open(state)) {
            LaunchRequest request = new Journal(store, clock.instant())
                    .intents().stream()
                            .map(Intent::request)
                            .findFirst()
                            .orElseThrow(() -> new IOException("there is no launch in " + state));
            return request.withUserData(SiteAuthority.beside(state, clock).renderSecrets(request.userData()));
        } catch (JournalFailure failure) {
            throw new IOException(state + " cannot be read: " + failure.getMessage(), failure);
        }
    }

    /** Lets go of a child's secrets: nothing of it is left. */
    void forget(String id) throws IOException {
        delete(folder.resolve(id));
        delete(folder.resolve(id + ".new"));
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.isDirectory(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
