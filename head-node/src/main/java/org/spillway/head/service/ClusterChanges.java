package org.spillway.head.service;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.lifecycle.ClusterState;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.ondemand.Children;
import org.spillway.head.ondemand.Clusters;
import org.spillway.head.ondemand.Quotas;
import org.spillway.head.ondemand.broker.Brokered;
import org.spillway.head.rest.ApiException;
import org.spillway.head.rest.ApiException.Code;
import org.spillway.head.rest.ClusterChange;
import org.spillway.head.rest.ClusterView;
import org.spillway.head.rest.Json;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * Changes of clusters on demand: checked and written down in one step of the loop's thread. What follows from them lies in
 * the record, so that no crash loses it.
 */
final class ClusterChanges {
    private static final Duration LONGEST = Duration.ofDays(30);

    private final HeadConfig config;
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;
    private final Clusters clusters;
    private final Children children;
    private final BiFunction<ClusterRecord, Instant, ClusterView> view;

    ClusterChanges(
            HeadConfig config,
            Journal journal,
            Loop loop,
            LoopRunner runner,
            Clusters clusters,
            Children children,
            BiFunction<ClusterRecord, Instant, ClusterView> view) {
        this.config = config;
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
        this.clusters = clusters;
        this.children = children;
        this.view = view;
    }

    /** @param user who asks, who may */
    ClusterView apply(String user, ClusterRecord child, ClusterChange change) {
        return switch (change) {
            case ClusterChange.Scale(int nodes) -> change(child, (current, now) -> scaled(current, nodes, now));
            case ClusterChange.Extend(long seconds, Money budget) ->
                change(child, (current, now) -> extended(current, Duration.ofSeconds(seconds), budget, now));
            case ClusterChange.Stop(boolean now) -> {
                if (!now && child.clusterState() == ClusterState.RUNNING) {
                    refuseWithJobs(child);
                }
                yield change(child, (current, at) -> stopping(current, user, at));
            }
            case ClusterChange.Start() -> change(child, (current, now) -> starting(current, user, now));
        };
    }

    private ClusterView change(ClusterRecord child, BiFunction<ClusterRecord, Instant, ClusterRecord> next) {
        return runner.change("clusters", now -> {
            ClusterRecord current = journal.cluster(child.id()).orElse(child);
            ClusterRecord changed = next.apply(current, now);
            return changed.equals(current)
                    ? Change.none(view.apply(current, now))
                    : new Change<>(List.of(changed), view.apply(changed, now));
        });
    }

    private ClusterRecord scaled(ClusterRecord current, int nodes, Instant now) {
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
        return more > 0 ? withinQuotas(current, spec.withNodes(nodes)) : current.withSpec(spec.withNodes(nodes));
    }

    private Money price(ClusterRecord.Spec spec) {
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

    private ClusterRecord extended(ClusterRecord current, Duration longer, Money more, Instant now) {
        var spec = current.spec();
        if (!current.isLive() || current.clusterState() == ClusterState.DELETING) {
            throw conflict(current, "extended");
        }
        if (spec.expires().plus(longer).isAfter(now.plus(LONGEST))) {
            throw limit(
                    "ttlSeconds: found " + longer.toSeconds() + ", and it ends at " + spec.expires(),
                    "a cluster ends within " + LONGEST.toDays() + " d; extend it again later");
        }
        Money left = loop.budgetLeft(now);
        if (more.isMoreThan(left)) {
            throw limit(
                    "budget: found " + more + " more, and the head's has " + left + " left",
                    "ask for less, or wait for the next "
                            + config.budget().period().name().toLowerCase(java.util.Locale.ROOT));
        }
        return withinQuotas(current, spec.extended(longer, more));
    }

    private ClusterRecord withinQuotas(ClusterRecord current, ClusterRecord.Spec wanted) {
        refuseOverQuota(config, journal, wanted, current.id());
        return current.withSpec(wanted);
    }

    /** @param id of the cluster itself; empty for one that is not there yet */
    static void refuseOverQuota(HeadConfig config, Journal journal, ClusterRecord.Spec wanted, String id) {
        List<ClusterRecord.Spec> others = journal.clusters().stream()
                .filter(one -> one.isLive() && !one.id().equals(id))
                .map(ClusterRecord::spec)
                .toList();
        Quotas.exceeded(config.clusters().quotas(), wanted, others).ifPresent(exceeded -> {
            throw limit(exceeded.found(), exceeded.allowed());
        });
    }

    /** One that begins in this very moment begins anew after the start. */
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
            case RUNNING, STARTING -> current.stopping("stopped by " + user, "", now);
            case REQUESTED, CREATING, DELETING, DELETED, FAILED -> throw conflict(current, "stopped");
        };
    }

    private static ClusterRecord starting(ClusterRecord current, String user, Instant now) {
        return switch (current.clusterState()) {
            case RUNNING, STARTING -> current;
            case STOPPED -> current.starting("started by " + user, now);
            case REQUESTED, CREATING, STOPPING, DELETING, DELETED, FAILED -> throw conflict(current, "started");
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
