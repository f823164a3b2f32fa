package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.policy.Money;

/** Invariants that hold at every moment, judged by what is true in the world and not by what the head believes. */
final class Invariants {
    /** A sweep: the longest pause between listings, the window, and the longest listing outage that is drawn. */
    private static final Duration SWEEP = Duration.ofSeconds(120);

    /** A look at all nodes costs time; a wrong end lasts longer than so many steps. */
    private static final int GONE_CHECKED_EVERY = 20;

    private final SimWorld world;
    private final Money budget;
    private final Map<String, Instant> tooMany = new HashMap<>();
    private int machinesSeen;
    private int checks;

    Invariants(SimWorld world, Money budget) {
        this.world = world;
        this.budget = budget;
    }

    /** @param restored null in a world whose journal stays what it is */
    void check(@Nullable Restored restored) {
        Money spent = Money.ZERO;
        Map<String, Integer> live = new HashMap<>();
        Map<String, Integer> asked = new HashMap<>();
        for (SimSite site : world.sites.values()) {
            spent = spent.plus(site.provider.cost());
            for (SimProvider.Machine machine : site.provider.machines.values()) {
                if (machine.isLive()) {
                    live.merge(machine.request.intent(), 1, Integer::sum);
                    asked.put(machine.request.intent(), machine.request.count());
                    if (!world.disk.holds("intent", machine.request.intent())
                            && (restored == null || !restored.wasIntended(machine.request.intent()))) {
                        throw new Broken("instance " + machine.id + " was launched under an intent that no disk knows");
                    }
                }
            }
        }
        if (spent.isMoreThan(budget)) {
            throw new Broken("spent " + spent + " of a budget of " + budget);
        }
        if (restored == null || !restored.isPutBack()) {
            tooMany(live, asked);
        }
        atALaunch();
        onOneFabric();
        if (++checks % GONE_CHECKED_EVERY == 0) {
            goneIsGone();
        }
        if (restored != null) {
            world.sites.values().forEach(restored::check);
        }
        endedByRight();
    }

    private void tooMany(Map<String, Integer> live, Map<String, Integer> asked) {
        Set<String> over = new HashSet<>();
        live.forEach((intent, count) -> lasts(
                over,
                count > asked.getOrDefault(intent, 0),
                "intent " + intent + " has more live instances than asked"));
        world.sites
                .values()
                .forEach(site -> lasts(
                        over,
                        site.nodes() > site.maxNodes,
                        "site " + site.name + " has more live nodes than it may have"));
        tooMany.keySet().retainAll(over);
    }

    /** Whatever the listings said: a node's record ends after its machine. */
    private void goneIsGone() {
        for (Entry entry : world.disk.load(Instant.MIN)) {
            if (entry instanceof NodeRecord node && !node.isLive() && node.instance() != null) {
                SimProvider.Machine machine =
                        world.site(node.site()).provider.machines.get(node.instance());
                if (machine != null && machine.isLive()) {
                    throw new Broken(
                            node.id() + " is " + node.nodeState() + ", and its machine " + machine.id + " lives");
                }
            }
        }
    }

    /** The head ends a machine only when the record of its node says so, or when it has none. */
    private void endedByRight() {
        for (SimSite site : world.sites.values()) {
            if (site.provider.toldToEnd.isEmpty()) {
                continue;
            }
            for (Entry entry : world.disk.load(Instant.MIN)) {
                if (entry instanceof NodeRecord node && isToServe(node)) {
                    site.provider.toldToEnd.stream()
                            .filter(machine -> machine.id.equals(node.instance()))
                            .findFirst()
                            .ifPresent(machine -> {
                                throw new Broken(node.id() + " is " + node.nodeState() + ", and its machine "
                                        + machine.id + " was ended");
                            });
                }
            }
            site.provider.toldToEnd.clear();
        }
    }

    private static boolean isToServe(NodeRecord node) {
        return switch (node.nodeState()) {
            case TERMINATING, TERMINATED, FAILED, UNREACHABLE -> false;
            default -> true;
        };
    }

    /** Each gang that runs, by where its machines were bought. */
    private void onOneFabric() {
        if (world.sites.values().stream().noneMatch(site -> site.provider.fabrics)) {
            return;
        }
        Map<String, NodeRecord> nodes = new HashMap<>();
        List<JobRecord> running = new ArrayList<>();
        for (Entry entry : world.disk.load(Instant.MIN)) {
            if (entry instanceof NodeRecord node) {
                nodes.put(node.id(), node);
            } else if (entry instanceof JobRecord job && job.jobState() == JobState.RUNNING) {
                running.add(job);
            }
        }
        for (JobRecord job : running) {
            SimSite site = world.site(job.run().site());
            Set<String> places = new HashSet<>();
            for (String id : job.run().nodes()) {
                NodeRecord node = nodes.get(id);
                SimProvider.Machine machine = node == null ? null : site.provider.machines.get(node.instance());
                if (machine != null && site.provider.fabrics) {
                    places.add(machine.offering.zone() + "/"
                            + machine.request.placement().fabricGroup());
                }
            }
            if (places.size() > 1) {
                throw new Broken("gang " + job.id() + " was given nodes of several fabrics: " + new TreeSet<>(places));
            }
        }
    }

    /** A lost answer may cost a twin for a while, never for longer than a sweep. */
    private void lasts(Set<String> over, boolean isOver, String what) {
        if (isOver) {
            over.add(what);
            Instant since = tooMany.computeIfAbsent(what, key -> world.clock.now());
            if (world.clock.now().isAfter(since.plus(SWEEP))) {
                throw new Broken(what + ", for longer than a sweep");
            }
        }
    }

    /** The head's launches are never more than allowed, not for a moment; only a launch can change that. */
    private void atALaunch() {
        int machines = world.sites.values().stream()
                .mapToInt(site -> site.provider.machines.size())
                .sum();
        if (machines == machinesSeen) {
            return;
        }
        machinesSeen = machines;
        Map<String, Integer> decided = new HashMap<>();
        for (Entry entry : world.disk.load(Instant.MIN)) {
            // Adopted ones were there, whatever the limit.
            if (entry instanceof NodeRecord node
                    && node.isLive()
                    && !node.isDirector()
                    && !node.joinRequest().equals("adopted")) {
                decided.merge(node.site(), 1, Integer::sum);
            }
        }
        decided.forEach((site, count) -> {
            int maxNodes = world.site(site).maxNodes;
            if (count > maxNodes) {
                throw new Broken(
                        "site " + site + " has " + count + " nodes in the journal, " + maxNodes + " are allowed");
            }
        });
    }
}
