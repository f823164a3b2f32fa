package org.spillway.head.service;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterChange;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterView;
import org.spillway.api.Json;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.config.ClusterSettings;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.ondemand.Children;
import org.spillway.head.ondemand.Clusters;
import org.spillway.head.ondemand.Quotas;
import org.spillway.head.ondemand.broker.Brokered;
import org.spillway.head.rest.Caller;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * Changes of clusters on demand: checked and written down in one step of the loop's thread. What follows from them lies in
 * the record, so that no crash loses it.
 */
final class ClusterChanges {
    private static final Duration LONGEST = Duration.ofDays(30);
    private static final String APPROVAL = "clusters.approval.above";
    /** Of this head at one time: each is a process, a connection and an account of its own. */
    private static final int MOST = 50;

    private final HeadConfig config;
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;
    private final Clusters clusters;
    private final Children children;
    private final Rendering view;

    /** A caller's view of a cluster. */
    interface Rendering {
        ClusterView of(Caller caller, ClusterRecord child, Instant now);
    }

    ClusterChanges(
            HeadConfig config,
            Journal journal,
            Loop loop,
            LoopRunner runner,
            Clusters clusters,
            Children children,
            Rendering view) {
        this.config = config;
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
        this.clusters = clusters;
        this.children = children;
        this.view = view;
    }

    /** @param caller who asks, who may */
    ClusterView apply(Caller caller, ClusterRecord child, ClusterChange change) {
        String user = caller.user();
        return switch (change) {
            case ClusterChange.Scale(int nodes) ->
                change(caller, child, (current, now) -> scaled(caller, current, nodes, now));
            case ClusterChange.Extend(long seconds, Money budget) ->
                change(
                        caller,
                        child,
                        (current, now) -> extended(caller, current, Duration.ofSeconds(seconds), budget, now));
            case ClusterChange.Stop(boolean now) -> {
                if (!now && child.clusterState() == ClusterState.RUNNING) {
                    refuseWithJobs(child);
                }
                yield change(caller, child, (current, at) -> stopping(current, user, at));
            }
            case ClusterChange.Start() -> change(caller, child, (current, now) -> starting(current, user, now));
            case ClusterChange.Approve() -> change(caller, child, (current, now) -> approved(current, user, now));
            case ClusterChange.Reject(String why) ->
                change(caller, child, (current, now) -> rejected(current, user, why, now));
        };
    }

    private ClusterView change(
            Caller caller, ClusterRecord child, BiFunction<ClusterRecord, Instant, ClusterRecord> next) {
        return runner.change("clusters", now -> {
            ClusterRecord current = journal.cluster(child.id()).orElse(child);
            ClusterRecord changed = next.apply(current, now);
            return changed.equals(current)
                    ? Change.none(view.of(caller, current, now))
                    : new Change<>(List.of(changed), view.of(caller, changed, now));
        });
    }

    private ClusterRecord scaled(Caller caller, ClusterRecord current, int nodes, Instant now) {
        var spec = current.spec();
        if (current.clusterState() != ClusterState.RUNNING && current.clusterState() != ClusterState.STOPPED) {
            throw conflict(current, "scaled");
        }
        int most = Objects.requireNonNull(config.sites().get(spec.site())).maxNodes();
        if (nodes > most) {
            throw limit("nodes: found " + nodes, "site " + spec.site() + " allows up to " + most);
        }
        int more = nodes - spec.nodes();
        if (more > 0) {
            int room = Math.max(0, loop.room(spec.site()));
            if (more > room) {
                throw limit(
                        "site " + spec.site() + " has room for " + room + " more nodes, " + more
                                + " more are asked for",
                        "ask for " + (spec.nodes() + room) + ", or for less elsewhere");
            }
            Money reserved = price(spec).perHourFor(Brokered.QUANTUM).times(more);
            Money left = spec.budget().minus(clusters.spent(current, now));
            if (reserved.isMoreThan(left)) {
                throw limit(
                        "the budget of cluster " + spec.name() + " has " + left + " left, " + more
                                + " more nodes would reserve " + reserved,
                        "'spillway cluster extend " + spec.name() + " --budget AMOUNT' gives it more");
            }
        }
        return more > 0
                ? withinQuotas(caller, current, spec.withNodes(nodes))
                : current.withSpec(spec.withNodes(nodes));
    }

    /**
     * A budget must pay for head and nodes for the least time that is reserved: with less money its head would run, and
     * cost, until the stage of the nodes is given up.
     */
    void refuseTooSmall(ClusterSpec spec) {
        Money head =
                loop.directorOffering(spec.site()).map(Offering::pricePerHour).orElse(Money.ZERO);
        Money node = loop.offerings(spec.site()).stream()
                .filter(one -> one.id().instanceType().equals(spec.nodeType()))
                .map(Offering::pricePerHour)
                .min(Money::compareTo)
                .orElse(Money.ZERO);
        tooSmall(spec, head, node).ifPresent(refusal -> {
            throw refusal;
        });
    }

    /** @param head what an hour of it costs; and of one node */
    static Optional<ApiException> tooSmall(ClusterSpec spec, Money head, Money node) {
        Money heads = head.perHourFor(Brokered.QUANTUM);
        Money nodes = node.perHourFor(Brokered.QUANTUM).times(spec.nodes());
        Money least = heads.plus(nodes);
        return least.isMoreThan(spec.budget())
                ? Optional.of(limit(
                        "budget: found " + exact(spec.budget()) + ", too little for a minute of its head ("
                                + exact(heads) + ") and of " + spec.nodes() + " x " + spec.nodeType() + " ("
                                + exact(nodes) + ")",
                        "at least " + exact(least) + ", or fewer or cheaper nodes; an hour of all of them costs "
                                + exact(head.plus(node.times(spec.nodes())))))
                : Optional.empty();
    }

    /** Of a minute not even a cent may be left. */
    private static String exact(Money amount) {
        return java.math.BigDecimal.valueOf(amount.micros(), 6)
                .stripTrailingZeros()
                .toPlainString();
    }

    private Money price(ClusterSpec spec) {
        return loop.offerings(spec.site()).stream()
                .filter(one -> one.id().market() == Market.ON_DEMAND
                        && one.id().instanceType().equals(spec.nodeType()))
                .map(Offering::pricePerHour)
                .min(Money::compareTo)
                .orElseThrow(() -> new ApiException(
                        Code.UNAVAILABLE,
                        "what site " + spec.site() + " takes for " + spec.nodeType() + " is not known now",
                        "try again in a moment"));
    }

    private ClusterRecord extended(Caller caller, ClusterRecord current, Duration longer, Money more, Instant now) {
        var spec = current.spec();
        if (!current.isLive() || !current.isMade() || current.clusterState() == ClusterState.DELETING) {
            throw conflict(current, "extended");
        }
        if (spec.expires().plus(longer).isAfter(now.plus(LONGEST))) {
            throw limit(
                    "ttlSeconds: found " + longer.toSeconds() + ", and it ends at " + spec.expires(),
                    "a cluster ends within " + LONGEST.toDays() + " d; extend it again later");
        }
        refuseOverBudget(more, " more", now);
        return withinQuotas(caller, current, spec.extended(longer, more));
    }

    /** @param which such as " more" */
    void refuseOverBudget(Money wanted, String which, Instant now) {
        Money left = loop.budgetLeft(now);
        if (wanted.isMoreThan(left)) {
            throw limit(
                    "budget: found " + wanted + which + ", and the head's has " + left + " left",
                    "ask for less, or wait for the next "
                            + config.budget().period().name().toLowerCase(java.util.Locale.ROOT));
        }
    }

    /** Whoever may agree has done so by asking; others are asked for what grows, and not for what was agreed to. */
    private ClusterRecord withinQuotas(Caller caller, ClusterRecord current, ClusterSpec wanted) {
        refuseOverQuota(wanted, current.id());
        if (!caller.admin()) {
            var spec = current.spec();
            boolean nodes = wanted.nodes() != spec.nodes();
            boolean budget = !wanted.budget().equals(spec.budget());
            boolean ttl = !wanted.ttl().equals(spec.ttl());
            List<ClusterSettings.Quota> above = config.clusters().approval().above().stream()
                    .map(one -> new ClusterSettings.Quota(
                            one.holder(),
                            one.name(),
                            Optional.empty(),
                            one.nodes().filter(most -> nodes),
                            one.gpus().filter(most -> nodes),
                            one.budget().filter(most -> budget),
                            one.ttl().filter(most -> ttl)))
                    .toList();
            exceeded(APPROVAL, above, wanted, current.id()).ifPresent(found -> {
                throw limit(
                        found.foundText() + ", " + found.allowedText() + " without approval",
                        "ask " + administrators() + " to do it, or ask for less");
            });
        }
        return current.withSpec(wanted);
    }

    private static String administrators() {
        String user = System.getProperty("user.name", "root");
        return user.equals("root") ? user : "root or " + user;
    }

    /** The limit that somebody has to agree to before the cluster is made; empty where nobody has to. */
    Optional<ClusterCause.AboveLimit> needsApproval(ClusterSpec wanted) {
        return exceeded(APPROVAL, config.clusters().approval().above(), wanted, "");
    }

    private Optional<ClusterCause.AboveLimit> exceeded(
            String key, List<ClusterSettings.Quota> quotas, ClusterSpec wanted, String id) {
        return Quotas.exceeded(
                key,
                quotas,
                wanted,
                journal.clusters().stream()
                        .filter(one -> one.isLive() && !one.id().equals(id))
                        .map(ClusterRecord::spec)
                        .toList(),
                this::gpus);
    }

    /** Of one node; a type that the site does not sell any more has none. */
    private int gpus(ClusterSpec spec) {
        return loop.offerings(spec.site()).stream()
                .filter(one -> one.id().instanceType().equals(spec.nodeType()))
                .mapToInt(one -> one.resources().gpus())
                .max()
                .orElse(0);
    }

    private ClusterRecord approved(ClusterRecord current, String user, Instant now) {
        if (current.clusterState() != ClusterState.WAITING_FOR_APPROVAL) {
            throw conflict(current, "approved");
        }
        var spec = current.spec();
        HeadConfig.Site site = config.sites().get(spec.site());
        if (site == null || spec.nodes() > site.maxNodes()) {
            throw limit(
                    site == null
                            ? "there is no site '" + spec.site() + "' any more"
                            : "site " + spec.site() + " allows up to " + site.maxNodes() + " nodes, found "
                                    + spec.nodes(),
                    "reject it, so that another is asked for");
        }
        refuseWhileNothingIsBought();
        refuseTooMany();
        refuseOverQuota(spec, current.id());
        refuseOverBudget(spec.budget(), "", now);
        return current.approved(user, now);
    }

    private static ClusterRecord rejected(ClusterRecord current, String user, String why, Instant now) {
        if (current.clusterState() != ClusterState.WAITING_FOR_APPROVAL) {
            throw conflict(current, "rejected");
        }
        return current.rejected(new ClusterCause.RejectedBy(user, why), user, now);
    }

    /** Nothing is bought while this head ends what it has, or has no room to write it down. */
    void refuseWhileNothingIsBought() {
        if (loop.isReleasing()) {
            throw new ApiException(
                    Code.UNAVAILABLE, "this head is ending all its instances", "start it again to make clusters");
        }
        if (journal.store().isShortOfRoom()) {
            throw new ApiException(
                    Code.UNAVAILABLE,
                    "the head's disk is full: no clusters are made or started, so that those that run can come to"
                            + " their ends",
                    "ask an administrator to make room on the disk of the head's state directory");
        }
    }

    /** Clusters that wait cost nothing, and may be as many again. */
    void refuseTooMany() {
        if (journal.clusters().stream()
                        .filter(one -> one.isLive() && one.isMade())
                        .count()
                >= MOST) {
            throw new ApiException(Code.TOO_MANY, "this head has " + MOST + " clusters", "delete one first");
        }
    }

    void refuseTooManyThatWait() {
        if (journal.clusters().stream()
                        .filter(one -> one.clusterState() == ClusterState.WAITING_FOR_APPROVAL)
                        .count()
                >= MOST) {
            throw new ApiException(
                    Code.TOO_MANY, MOST + " clusters wait for approval", "wait until some of them are decided");
        }
    }

    /** @param id of the cluster itself; empty for one that is not there yet */
    void refuseOverQuota(ClusterSpec wanted, String id) {
        exceeded("clusters.quotas", config.clusters().quotas(), wanted, id).ifPresent(exceeded -> {
            throw limit(exceeded.foundText(), exceeded.allowedText());
        });
    }

    /** A job that begins in this very moment begins anew after the start. */
    private void refuseWithJobs(ClusterRecord child) {
        String name = child.spec().name();
        int running;
        try {
            var answer =
                    children.ask(child, null, new Children.Question("GET", "/jobs?state=RUNNING", "", new byte[0]));
            if (answer.status() != 200) {
                throw new IOException("answer " + answer.status());
            }
            running = Json.tree(answer.body()).path("jobs").size();
        } catch (IOException away) {
            throw new ApiException(
                    Code.UNAVAILABLE,
                    "the head of cluster " + name + " does not say whether jobs run",
                    "try again in a moment; --now stops it all the same");
        }
        if (running > 0) {
            throw new ApiException(
                    Code.CONFLICT,
                    running + (running == 1 ? " job runs" : " jobs run") + " in cluster " + name,
                    "wait for the end, or say --now: what runs begins anew after its start");
        }
    }

    private static ClusterRecord stopping(ClusterRecord current, String user, Instant now) {
        return switch (current.clusterState()) {
            case STOPPING, STOPPED -> current;
            case RUNNING, STARTING -> current.stopping(new ClusterCause.StoppedBy(user), "", now);
            case WAITING_FOR_APPROVAL, REQUESTED, CREATING, DELETING, DELETED, FAILED, REJECTED ->
                throw conflict(current, "stopped");
        };
    }

    static ClusterRecord starting(ClusterRecord current, String user, Instant now) {
        return switch (current.clusterState()) {
            case RUNNING, STARTING -> current;
            case STOPPED -> {
                if (current.head().goneAt() != null) {
                    String name = current.spec().name();
                    throw new ApiException(
                            Code.CONFLICT,
                            "the machine of cluster " + name
                                    + "'s head is gone, and its disk with it: it cannot be started",
                            "'spillway cluster delete " + name + "' removes what is left");
                }
                yield current.starting(new ClusterCause.StartedBy(user), now);
            }
            case WAITING_FOR_APPROVAL, REQUESTED, CREATING, STOPPING, DELETING, DELETED, FAILED, REJECTED ->
                throw conflict(current, "started");
        };
    }

    private static ApiException conflict(ClusterRecord child, String what) {
        String name = child.spec().name();
        return new ApiException(
                Code.CONFLICT,
                "cluster " + name + " is " + child.clusterState() + " and cannot be " + what + " now",
                "'spillway cluster show " + name + "' tells more");
    }

    private static ApiException limit(String found, String allowed) {
        return new ApiException(Code.LIMIT_EXCEEDED, found, allowed);
    }
}
