package org.spillway.head.ondemand.broker;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.fleet.Listing;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.LaunchCause.LaunchFact;
import org.spillway.head.cause.LaunchText;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.DelegatedRecord.Price;
import org.spillway.head.journal.DelegatedRecord.State;
import org.spillway.head.loop.Change;
import org.spillway.head.ondemand.Allowance;
import org.spillway.head.ondemand.ChildSites;
import org.spillway.head.ondemand.Estate;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/**
 * Buys for children. The order is the point: a launch is checked and written down before the provider is called, and what
 * it answers is written down before the child hears it. Calls block; any thread.
 */
final class Delegations {
    /**
     * The role of things that the parent buys for a child, such as its head: none of it is the child's to see or to
     * end.
     */
    static final String ROLE_HEAD = "HEAD";

    private static final Logger LOG = LoggerFactory.getLogger(Delegations.class);

    private final ChildSites sites;
    private final Ledger ledger;
    private final InstantSource clock;
    private final Duration quantum;
    private final Map<String, CompletableFuture<LaunchAnswer>> underWay = new ConcurrentHashMap<>();
    private final EmptyLooks emptyLooks;
    /** By child; those whose last launch was refused or cut. */
    private final Map<String, Estate.Refusal> refusals = new ConcurrentHashMap<>();

    Delegations(ChildSites sites, Ledger ledger, InstantSource clock, Duration quantum) {
        this.sites = sites;
        this.ledger = ledger;
        this.clock = clock;
        this.quantum = quantum;
        this.emptyLooks = new EmptyLooks(clock);
    }

    EmptyLooks emptyLooks() {
        return emptyLooks;
    }

    Site site(Allowance allowance) {
        return sites.of(allowance.cluster(), allowance.site());
    }

    /** Offerings that the child may buy, at the parent's prices. */
    List<Offering> offerings(Allowance allowance) throws CloudException {
        return site(allowance).compute().offerings().stream()
                .filter(one -> allowance.instanceTypes().isEmpty()
                        || allowance.instanceTypes().contains(one.id().instanceType()))
                .toList();
    }

    /**
     * @param allowed asked once more when it is written down: an allowance may be taken back at any moment
     * @param deadline after which the child does not listen any more, so that nothing is begun
     */
    LaunchAnswer launch(
            Allowance allowance, Supplier<Optional<Allowance>> allowed, LaunchRequest request, Instant deadline) {
        if (ROLE_HEAD.equals(request.tags().get(Instance.TAG_ROLE))) {
            return refused(Reason.INVALID, "the role " + ROLE_HEAD + " is the parent's to give");
        }
        String id = DelegatedRecord.id(allowance.cluster(), request.token());
        CompletableFuture<LaunchAnswer> mine = new CompletableFuture<>();
        CompletableFuture<LaunchAnswer> other = underWay.putIfAbsent(id, mine);
        if (other != null) {
            return await(other, deadline);
        }
        LaunchAnswer answer = unknown("the parent could not finish the call");
        try {
            answer = once(id, allowance, allowed, request, deadline);
            remember(allowance.cluster(), answer.outcome());
        } finally {
            // After the last write: until then a sighting leaves the record alone.
            underWay.remove(id, mine);
            mine.complete(answer);
        }
        return answer;
    }

    private void remember(String cluster, LaunchOutcome outcome) {
        switch (outcome) {
            case LaunchOutcome.Launched all -> refusals.remove(cluster);
            case LaunchOutcome.Partial(int count, var reason, String said) ->
                refusals.put(cluster, new Estate.Refusal(clock.instant(), said));
            case LaunchOutcome.Refused(var reason, String said) ->
                refusals.put(cluster, new Estate.Refusal(clock.instant(), said));
            case LaunchOutcome.Unknown lost -> {}
        }
    }

    /** Empty when its last launch was not refused, or nobody has asked in this head's life. Any thread. */
    Optional<Estate.Refusal> refusal(String cluster) {
        return Optional.ofNullable(refusals.get(cluster));
    }

    private LaunchAnswer await(CompletableFuture<LaunchAnswer> other, Instant deadline) {
        try {
            long left = Duration.between(clock.instant(), deadline).toMillis();
            return other.get(Math.max(0, left), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException late) {
            return unknown("the same call is under way");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return unknown("interrupted");
        }
    }

    private LaunchAnswer once(
            String id,
            Allowance allowance,
            Supplier<Optional<Allowance>> allowed,
            LaunchRequest request,
            Instant deadline) {
        Optional<DelegatedRecord> known = ledger.journal().delegation(id);
        if (known.filter(DelegatedRecord::isOpen).isPresent()) {
            known = lookedFor(id, allowance);
        }
        if (known.isPresent() && known.get().status() != State.REFUSED) {
            return told(known.get());
        }
        List<Price> prices = new ArrayList<>();
        Optional<LaunchAnswer> unsold = priced(allowance, request, prices);
        if (unsold.isPresent()) {
            return unsold.get();
        }
        Optional<LaunchOutcome.Refused> no =
                ledger.change(now -> decide(allowance, allowed.get(), request, prices, deadline, now));
        if (no.isPresent()) {
            LOG.info("launch for {}: {}", allowance.cluster(), no.get().message());
            return new LaunchAnswer(no.get(), List.of());
        }
        return answered(id, called(allowance, request));
    }

    private LaunchAnswer called(Allowance allowance, LaunchRequest request) {
        try {
            LaunchAnswer answer = site(allowance).compute().launch(request);
            var asked = new LaunchRecord(clock.instant(), request.offering(), request.count(), answer.outcome());
            LaunchText.lines(allowance.cluster() + "/" + request.intent(), List.of(asked))
                    .forEach(line -> LOG.warn("{}", line));
            return answer;
        } catch (RuntimeException broken) {
            LOG.warn("launch for {}: the driver failed", allowance.cluster(), broken);
            return unknown("the parent's driver failed");
        }
    }

    /** A call whose answer was lost is not made again, it is looked for: not every provider knows a token. */
    private Optional<DelegatedRecord> lookedFor(String id, Allowance allowance) {
        try {
            // Twice at most: one that was lost with the head is given up first.
            for (int i = 0; i < 2 && isOpen(id); i++) {
                sight(allowance.cluster(), allowance.site(), id);
            }
        } catch (CloudException failure) {
            LOG.info("launch for {}: cannot look for it: {}", allowance.cluster(), failure.getMessage());
        }
        return ledger.journal().delegation(id);
    }

    private boolean isOpen(String id) {
        return ledger.journal().delegation(id).filter(DelegatedRecord::isOpen).isPresent();
    }

    /** @return why it cannot be had, when it is not sold */
    private Optional<LaunchAnswer> priced(Allowance allowance, LaunchRequest request, List<Price> prices) {
        List<Offering> sold;
        try {
            sold = site(allowance).compute().offerings();
        } catch (CloudException failure) {
            return Optional.of(refused(Reason.THROTTLED, "the parent has no prices now: " + failure.getMessage()));
        }
        for (OfferingId wanted : request.offerings()) {
            Optional<Offering> found =
                    sold.stream().filter(one -> one.id().equals(wanted)).findFirst();
            // An offering of a set that is not sold costs only itself.
            found.ifPresent(one -> prices.add(new Price(wanted, one.pricePerHour())));
        }
        return prices.isEmpty()
                ? Optional.of(refused(Reason.INVALID, "the parent does not sell " + request.offering()))
                : Optional.empty();
    }

    private Change<Optional<LaunchOutcome.Refused>> decide(
            Allowance asked,
            Optional<Allowance> allowed,
            LaunchRequest request,
            List<Price> prices,
            Instant deadline,
            Instant now) {
        if (now.isAfter(deadline)) {
            return no(Reason.THROTTLED, "the parent had no time for it");
        }
        Allowance allowance = allowed.orElse(null);
        if (allowance == null
                || !allowance.cluster().equals(asked.cluster())
                || !allowance.site().equals(asked.site())) {
            return no(Reason.CREDENTIALS, "the token was taken back");
        }
        Duration committedFor = Terms.committedFor(allowance, quantum, now);
        // A number beyond all limits has no price, and is refused for being beyond them.
        int priced = Math.min(request.count(), Math.max(1, allowance.maxNodes()));
        Money reserved = allowance.isOver(now) ? Money.ZERO : Terms.reserved(prices, priced, committedFor);
        var usage = new Terms.Usage(
                instances(allowance.cluster(), allowance.site()),
                spent(allowance.cluster(), now),
                ledger.room(allowance.site()));
        Optional<LaunchOutcome.Refused> refusal = Terms.refusal(allowance, request, reserved, usage, now);
        if (refusal.isPresent()) {
            return Change.none(refusal);
        }
        DelegatedRecord record = new DelegatedRecord(
                allowance.cluster(),
                request.token(),
                request.withUserData(digest(request.userData())),
                State.CALLED,
                prices,
                committedFor,
                now,
                now,
                null,
                List.of(),
                List.of(),
                Cause.NONE);
        return new Change<>(List.of(record), Optional.empty());
    }

    private static Change<Optional<LaunchOutcome.Refused>> no(Reason reason, String why) {
        return Change.none(Optional.of(new LaunchOutcome.Refused(reason, why)));
    }

    /** Written down before the child hears it. */
    private LaunchAnswer answered(String id, LaunchAnswer answer) {
        ledger.change(now -> {
            DelegatedRecord record = ledger.journal().delegation(id).orElseThrow();
            return new Change<>(List.of(Sightings.answered(record, answer, now)), true);
        });
        return answer;
    }

    /**
     * The answer to a launch as far as it is known, without another call. Addresses and states are for a listing to
     * tell.
     */
    private static LaunchAnswer told(DelegatedRecord record) {
        if (record.status() == State.CLOSED) {
            return refused(Reason.QUOTA, "cluster " + record.cluster() + " is removed");
        }
        LaunchOutcome outcome = record.outcome();
        if (record.isOpen() || outcome == null) {
            return unknown("what became of it is not known yet: " + record.reason());
        }
        Map<String, String> tags = Map.of(
                Instance.TAG_CLUSTER, record.cluster(),
                Instance.TAG_SITE, record.site(),
                Instance.TAG_INTENT, record.request().intent(),
                Instance.TAG_ATTEMPT, Integer.toString(record.request().attempt()));
        List<Instance> instances = record.machines().stream()
                .map(machine -> Instance.of(
                        machine.id(),
                        machine.offering(),
                        machine.goneAt() == null ? Instance.State.PENDING : Instance.State.TERMINATED,
                        record.calledAt(),
                        tags))
                .toList();
        return new LaunchAnswer(outcome, instances, record.parts());
    }

    /** A whole listing of what the child has bought; what it says is in the books before it is told. */
    List<Instance> list(Allowance allowance) throws CloudException {
        List<Instance> all = sight(allowance.cluster(), allowance.site(), "").instances();
        List<DelegatedRecord> records = records(allowance.cluster(), allowance.site());
        return all.stream()
                .filter(instance -> records.stream().anyMatch(record -> Sightings.isOf(record, instance)))
                .toList();
    }

    /** @param lookedFor id of a record that is under way only to be looked for; empty for none */
    Listing sight(String cluster, String site, String lookedFor) throws CloudException {
        Site at = sites.of(cluster, site);
        Listing listing = new Listing(clock.instant(), at.compute().list());
        Duration window = at.compute().consistencyWindow();
        // The books are usually right: no write then, and no turn on the loop's thread.
        if (seen(cluster, site, lookedFor, listing, window, clock.instant())
                .changed()
                .isEmpty()) {
            return listing;
        }
        List<String> surplus = ledger.change(now -> {
            Sightings.Seen seen = seen(cluster, site, lookedFor, listing, window, now);
            return new Change<>(seen.changed(), seen.surplus());
        });
        if (!surplus.isEmpty()) {
            LOG.warn("cluster {} has {} that came late or twice: ended", cluster, surplus);
            at.compute().terminate(surplus);
        }
        return listing;
    }

    private Sightings.Seen seen(
            String cluster, String site, String lookedFor, Listing listing, Duration window, Instant now) {
        return Sightings.in(
                records(cluster, site),
                listing,
                window,
                record -> underWay.containsKey(record.id()) && !record.id().equals(lookedFor),
                now);
    }

    /** Instances among the ids that the child has bought itself; others are nothing to it. */
    List<String> own(Allowance allowance, Collection<String> ids) {
        List<String> own = records(allowance.cluster(), allowance.site()).stream()
                .flatMap(record -> record.machines().stream())
                .map(DelegatedRecord.Machine::id)
                .toList();
        return ids.stream().filter(own::contains).distinct().toList();
    }

    /** Why what was stopped may not go on; empty when it may. */
    Optional<String> mayNotGoOn(Allowance allowance) {
        Money spent = spent(allowance.cluster(), clock.instant());
        return allowance.budgetLeft().isMoreThan(spent)
                ? Optional.empty()
                : Optional.of("the budget of cluster " + allowance.cluster() + " is used up");
    }

    /** Money that a child has spent and reserved since it was made. */
    Money spent(String cluster, Instant now) {
        return ledger.journal().delegations(cluster).stream()
                .map(record -> record.spent(Instant.EPOCH, now))
                .reduce(Money.ZERO, Money::plus);
    }

    /** Instances of a child that exist or may. */
    int instances(String cluster, String site) {
        return records(cluster, site).stream()
                .mapToInt(DelegatedRecord::instances)
                .sum();
    }

    List<DelegatedRecord> records(String cluster, String site) {
        return ledger.journal().delegations(cluster).stream()
                .filter(record -> record.site().equals(site))
                .toList();
    }

    /** Whether no launch for it waits for its answer in this head. */
    boolean isQuiet(String cluster) {
        return underWay.keySet().stream().noneMatch(id -> id.startsWith(cluster + "/"));
    }

    /** The child is gone: its records count for the parent's budget and for nothing else. */
    void close(String cluster) {
        refusals.remove(cluster);
        ledger.change(now -> new Change<>(
                ledger.journal().delegations(cluster).stream()
                        .filter(record -> record.status() == State.ENDED || record.status() == State.REFUSED)
                        .map(record -> record.to(State.CLOSED, LaunchFact.CLUSTER_REMOVED, now))
                        .toList(),
                true));
    }

    private static LaunchAnswer refused(Reason reason, String message) {
        return new LaunchAnswer(new LaunchOutcome.Refused(reason, message), List.of());
    }

    private static LaunchAnswer unknown(String message) {
        return new LaunchAnswer(new LaunchOutcome.Unknown(message), List.of());
    }

    private static String digest(String userData) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(userData.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
