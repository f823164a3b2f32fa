package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.fleet.Intent;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.RecoveryCause;
import org.spillway.head.cause.RecoveryCause.RecoveryFact;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.IntentRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.head.journal.RecoveryRecord.State;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.Unknowns;
import org.spillway.head.loop.state.World;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/**
 * Writes down each machine that no node owns and nobody may end, and what becomes of it: adopted, kept or ended by an
 * administrator's choice, or gone. Ends a quarantine. Loop thread only.
 */
public final class Recovering {
    private static final Logger LOG = LoggerFactory.getLogger(Recovering.class);
    /** Launches of a head that has died since are listed by then. */
    private static final Duration LEAST_QUARANTINE = Duration.ofMinutes(10);
    /** A machine is over when two listings as far apart lack it. */
    private static final Duration GONE_AFTER = Duration.ofSeconds(30);

    private final World world;
    private final Sites sites;
    /** When a listing first lacked it, by the record's id. */
    private final Map<String, Instant> missed = new HashMap<>();

    Recovering(World world, Sites sites) {
        this.world = world;
        this.sites = sites;
    }

    /** @param adopted what it would be as a node, or why it cannot be one; empty when its site was not listed yet */
    public record Found(RecoveryRecord record, Optional<String> adopted, Cause obstacle) {}

    void advance(Instant now) {
        if (sites.unknowns().isQuarantined() && now.isAfter(world.startedAt().plus(LEAST_QUARANTINE))) {
            release(RecoveryFact.NOTHING_UNKNOWN_LEFT, now);
        }
    }

    /** Ends the quarantine. Idempotent. @return false, with nothing changed, while something is left to be chosen for */
    public boolean release(Cause why, Instant now) {
        if (!sites.unknowns().isQuarantined()) {
            return true;
        }
        if (!sites.unknowns().isCleared(sites.names()) || sites.all().stream().anyMatch(this::mayRunUnknown)) {
            return false;
        }
        world.journal()
                .commit(
                        now,
                        new RecoveryRecord(
                                RecoveryRecord.QUARANTINE,
                                State.RELEASED,
                                why,
                                now,
                                new RecoveryRecord.Machine(
                                        "",
                                        "",
                                        new OfferingId("", "", "", Market.ON_DEMAND),
                                        "",
                                        "",
                                        "",
                                        now,
                                        Money.ZERO,
                                        now)));
        world.journal().store().release();
        LOG.info("quarantine is over: {}", why.text());
        return true;
    }

    /**
     * Whether a node of that site runs a job of which the journal does not know, or may: outside of a quarantine the next
     * directive would stop it. Adopted nodes are left as they are for as long as they live.
     */
    private boolean mayRunUnknown(SiteState site) {
        List<NodeRecord> joined = world.journal().liveNodes(site.plan.name()).stream()
                .filter(node -> !node.isDirector()
                        && !node.joinRequest().isEmpty()
                        && !node.joinRequest().equals(Adoption.REQUEST))
                .toList();
        Report report = site.report;
        return report == null
                ? !joined.isEmpty()
                : report.jobs().stream()
                        .filter(told ->
                                joined.stream().anyMatch(node -> node.id().equals(told.node())))
                        .anyMatch(told -> isUnderWay(told) && !isKnown(told));
    }

    private static boolean isUnderWay(Report.JobReport told) {
        return told.phase() == Report.JobReport.Phase.ACCEPTED || told.phase() == Report.JobReport.Phase.RUNNING;
    }

    private boolean isKnown(Report.JobReport told) {
        return world.journal()
                .job(told.job())
                .filter(job -> job.isLive()
                        && job.run().attempt() == told.attempt()
                        && job.run().nodes().contains(told.node()))
                .isPresent();
    }

    /** A whole listing of that site has come, and its unknown machines are known. */
    void listed(SiteState site, Instant now) {
        List<Entry> batch = new ArrayList<>();
        Set<String> there = new HashSet<>();
        for (Unknowns.Unknown one : sites.unknowns().all()) {
            if (one.site().equals(site.plan.name())) {
                there.add(one.instance().id());
                seen(one, now).ifPresent(batch::add);
            }
        }
        Set<String> owned = new HashSet<>();
        world.journal().liveNodes(site.plan.name()).forEach(node -> owned.add(String.valueOf(node.instance())));
        for (RecoveryRecord record : world.journal().recoveries()) {
            if (record.isLive() && record.machine().site().equals(site.plan.name())) {
                missing(site, record, there, owned, now).ifPresent(batch::add);
            }
        }
        world.journal().commit(now, batch);
    }

    private Optional<Entry> seen(Unknowns.Unknown one, Instant now) {
        Instance instance = one.instance();
        Optional<RecoveryRecord> known = world.journal().recovery(RecoveryRecord.id(one.site(), instance.id()));
        if (known.filter(RecoveryRecord::isLive).isPresent()) {
            // A listing may come before the first word on prices.
            return known.filter(record -> record.machine().pricePerHour().equals(Money.ZERO)
                            && one.pricePerHour().isMoreThan(Money.ZERO))
                    .map(record -> record.priced(one.pricePerHour()));
        }
        String tag = instance.tags().getOrDefault(Instance.TAG_STATE, "");
        Cause why = sites.unknowns().isStrange(instance)
                ? new RecoveryCause.BoughtElsewhere(tag)
                : RecoveryFact.NOT_IN_JOURNAL;
        LOG.warn(
                "instance {} of site {} is kept and counted ('spillway recover'): {}",
                instance.id(),
                one.site(),
                why.text());
        return Optional.of(RecoveryRecord.found(
                new RecoveryRecord.Machine(
                        one.site(),
                        instance.id(),
                        instance.offering(),
                        instance.tags().getOrDefault(Instance.TAG_ROLE, ""),
                        tag,
                        instance.tags().getOrDefault(Instance.TAG_OWNER, ""),
                        instance.launchedAt(),
                        one.pricePerHour(),
                        null),
                why,
                now));
    }

    private Optional<Entry> missing(
            SiteState site, RecoveryRecord record, Set<String> there, Set<String> owned, Instant now) {
        String instance = record.machine().instance();
        boolean lives = there.contains(instance)
                || Objects.requireNonNull(site.listing).instances().stream()
                        .anyMatch(
                                one -> one.id().equals(instance) && one.state().isLive());
        if (owned.contains(instance)) {
            missed.remove(record.id());
            return Optional.of(record.to(State.ADOPTED, RecoveryFact.OWNED_AFTER_ALL, now));
        }
        if (lives) {
            missed.remove(record.id());
            return Optional.empty();
        }
        Instant first = missed.computeIfAbsent(record.id(), any -> now);
        if (now.isBefore(first.plus(GONE_AFTER))) {
            return Optional.empty();
        }
        missed.remove(record.id());
        LOG.info("instance {} of site {} is gone", instance, record.machine().site());
        return Optional.of(record.gone(RecoveryFact.MACHINE_GONE, first, now));
    }

    /** Machines that are not over, by their ids, and whether they can be adopted. */
    public List<Found> all(Instant now) {
        return world.journal().recoveries().stream()
                .filter(RecoveryRecord::isLive)
                .map(record -> switch (adoption(record, "", now)) {
                    case null -> new Found(record, Optional.empty(), Cause.NONE);
                    case Adoption.Possible(NodeRecord node) -> new Found(record, Optional.of(node.id()), Cause.NONE);
                    case Adoption.Impossible(RecoveryFact why) -> new Found(record, Optional.empty(), why);
                })
                .toList();
    }

    private @Nullable Adoption adoption(RecoveryRecord record, String user, Instant now) {
        SiteState site = sites.find(record.machine().site());
        Optional<Instance> listed = sites.unknowns()
                .listed(record.machine().site(), record.machine().instance());
        if (site == null || listed.isEmpty()) {
            return null;
        }
        return Adoption.of(
                record,
                listed.get(),
                new Adoption.Ground(
                        site.offerings(),
                        site.report,
                        sites.unknowns().all(),
                        sites.director(site.plan.name()).isPresent(),
                        node -> world.journal().node(node).isPresent(),
                        node -> world.ports().credentials().hasDirectorKey(node),
                        sites.unknowns().tag()),
                user,
                now);
    }

    /**
     * The entries of a choice for one machine that is not over.
     *
     * @param choice {@link State#KEPT}, {@link State#ENDING} or {@link State#ADOPTED}
     * @return empty where it is so already
     * @throws NotAdopted with the reason
     */
    public List<Entry> choose(RecoveryRecord record, State choice, String user, Instant now) {
        if (record.found() == choice) {
            return List.of();
        }
        LOG.info("{}: {} by {}", record.id(), choice, user);
        if (choice != State.ADOPTED) {
            return List.of(record.to(choice, new RecoveryCause.ChosenBy(user), now));
        }
        return switch (adoption(record, user, now)) {
            case null -> throw new NotAdopted(Cause.NONE);
            case Adoption.Impossible(RecoveryFact why) -> throw new NotAdopted(why);
            case Adoption.Possible(NodeRecord node) -> {
                List<Entry> batch = new ArrayList<>(launch(record, node));
                batch.add(node);
                batch.add(record.to(State.ADOPTED, new RecoveryCause.AdoptedAs(node.id(), user), now));
                yield batch;
            }
        };
    }

    /** The launch of which the journal knows nothing, as far as the machine tells it: it is over. */
    private List<Entry> launch(RecoveryRecord record, NodeRecord node) {
        RecoveryRecord.Machine its = record.machine();
        return world.journal().intent(node.intent()).isPresent()
                ? List.of()
                : List.of(new IntentRecord(
                        new Intent(
                                LaunchRequest.of(node.intent(), 1, its.offering(), 1),
                                Intent.State.SETTLED,
                                its.launchedAt(),
                                List.of(its.instance()),
                                its.launchedAt()),
                        node.cause()));
    }

    /** Refusal of an adoption; none when the machine's site was not listed yet. */
    public static final class NotAdopted extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Cause why;

        NotAdopted(Cause why) {
            super(why.text());
            this.why = why;
        }

        public Cause why() {
            return why;
        }
    }
}
