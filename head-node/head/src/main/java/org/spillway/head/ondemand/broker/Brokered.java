package org.spillway.head.ondemand.broker;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.ondemand.Allowance;
import org.spillway.head.ondemand.Allowances;
import org.spillway.head.ondemand.ChildSites;
import org.spillway.head.ondemand.Estate;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Money;

/** All that children buy through this head. */
public final class Brokered implements AutoCloseable {
    /** The least time that clouds bill. */
    public static final Duration QUANTUM = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(Brokered.class);
    private static final Duration AHEAD_LIMIT = Duration.ofMinutes(2);

    /**
     * @param quantum for so long a launch's price is reserved, if the child does not end before
     * @param betweenLooks at the instances of children that do not ask
     */
    public record Times(Duration quantum, Duration betweenLooks) {
        public static final Times USUAL = new Times(QUANTUM, Duration.ofSeconds(15));
    }

    private final ChildSites sites;
    private final Ledger ledger;
    private final Delegations delegations;
    private final BrokerServer server;
    private final InstantSource clock;
    private final Duration betweenLooks;
    private final Thread watch;

    private Brokered(
            ChildSites sites,
            Ledger ledger,
            Delegations delegations,
            BrokerServer server,
            InstantSource clock,
            Duration betweenLooks) {
        this.clock = clock;
        this.betweenLooks = betweenLooks;
        this.sites = sites;
        this.ledger = ledger;
        this.delegations = delegations;
        this.server = server;
        this.watch = Thread.ofVirtual().name("children's launches").start(this::watch);
    }

    /**
     * Listens on a free port of loopback.
     *
     * @param tls this head's, which trusts its own authority
     */
    public static Brokered open(
            SSLContext tls, Allowances allowances, ChildSites sites, Ledger ledger, InstantSource clock, Times times)
            throws IOException {
        Delegations delegations = new Delegations(sites, ledger, clock, times.quantum());
        return new Brokered(
                sites,
                ledger,
                delegations,
                new BrokerServer(tls, allowances, new ChildRequests(delegations, clock), clock),
                clock,
                times.betweenLooks());
    }

    /** On 127.0.0.1. */
    public int port() {
        return server.port();
    }

    /** Money that a child has spent through the broker since it was made, with what is reserved. Any thread. */
    public Money spent(String cluster, Instant now) {
        return delegations.spent(cluster, now);
    }

    /** Why its last launch was refused or cut; empty when it was not. Any thread. */
    public Optional<Estate.Refusal> refusal(String cluster) {
        return delegations.refusal(cluster);
    }

    /** Instances that a child has through the broker, or may have. Any thread. */
    public int instances(String cluster) {
        return ledger.journal().delegations(cluster).stream()
                .mapToInt(DelegatedRecord::instances)
                .sum();
    }

    /**
     * Buys for a child that cannot ask yet, under the same rules as if it had. Blocks; the same request again buys nothing
     * more.
     *
     * @param allowed asked before anything is bought
     */
    public LaunchAnswer launch(Supplier<Optional<Allowance>> allowed, LaunchRequest request) {
        Optional<Allowance> allowance = allowed.get();
        return allowance.isEmpty()
                ? new LaunchAnswer(
                        new LaunchOutcome.Refused(LaunchOutcome.Reason.CREDENTIALS, "nothing is to be bought for it"),
                        List.of())
                : delegations.launch(
                        allowance.get(), allowed, request, clock.instant().plus(AHEAD_LIMIT));
    }

    /** @param proven whether nothing is left, and nothing can appear; {@code what} was found or done */
    public record Removed(boolean proven, String what) {}

    /**
     * A pass of removing all that bears a child's name in one site: instances, whoever bought them, then its network
     * and what else is on the bill. Blocks; repeat it until it is proven. Take the allowance back before. The child
     * need not answer.
     *
     * @param lastCall when this head itself last asked the provider for something in the child's name
     * @throws CloudException if the provider does not answer; repeat it
     */
    public Removed remove(String cluster, String site, Instant lastCall) throws CloudException {
        return Removal.pass(delegations, sites.of(cluster, site), cluster, site, lastCall);
    }

    /**
     * A pass of ending all instances that bear a child's name in one site, but for its head. Blocks; repeat it until it
     * is proven, with an allowance of no nodes meanwhile.
     *
     * @param head the provider's id of what stays
     * @throws CloudException if the provider does not answer; repeat it
     */
    public Removed removeNodes(String cluster, String site, String head) throws CloudException {
        return Removal.nodes(delegations, sites.of(cluster, site), cluster, site, head);
    }

    /** After all of its sites were proven empty: its records count for this head's own budget only from now on. */
    public void closed(String cluster) {
        delegations.close(cluster);
    }

    /** A child that does not ask any more costs all the same: its instances are looked at now and then. */
    private void watch() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                Thread.sleep(betweenLooks);
            } catch (InterruptedException stop) {
                return;
            }
            Map<String, Set<String>> alive = new HashMap<>();
            ledger.journal().delegations().stream()
                    .filter(record -> record.instances() > 0)
                    .forEach(record -> alive.computeIfAbsent(record.cluster(), cluster -> new LinkedHashSet<>())
                            .add(record.site()));
            alive.forEach((cluster, its) -> its.forEach(site -> look(cluster, site)));
        }
    }

    private void look(String cluster, String site) {
        try {
            delegations.sight(cluster, site, "");
        } catch (CloudException | RuntimeException failure) {
            LOG.info("instances of cluster {} in {} cannot be looked at: {}", cluster, site, failure.getMessage());
        }
    }

    @Override
    public void close() {
        watch.interrupt();
        server.close();
    }
}
