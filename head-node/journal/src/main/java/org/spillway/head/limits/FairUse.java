package org.spillway.head.limits;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Resources;

/**
 * The use of each, older use counting less: after a half-life half. Use is resources times time; the part of one is its
 * largest part of CPUs, memory or GPUs, as dominant-resource fairness has it. Bounded: beyond {@link #MOST} names,
 * those that have used the least are forgotten. One thread.
 */
public final class FairUse {
    static final int MOST = 10_000;

    private final Duration halfLife;
    private final Map<String, Amount> used = new HashMap<>();

    public FairUse(Duration halfLife) {
        this.halfLife = halfLife;
    }

    /** A run that is not over. */
    public record Run(String name, Resources perNode, int nodes, Instant from) {}

    private record Amount(double cpuSeconds, double mebibyteSeconds, double gpuSeconds, Instant at) {
        Amount plus(Amount other) {
            return new Amount(
                    cpuSeconds + other.cpuSeconds,
                    mebibyteSeconds + other.mebibyteSeconds,
                    gpuSeconds + other.gpuSeconds,
                    at);
        }
    }

    /** A run that is over; counted as if it were all used at its end. Runs may come in any order. */
    public void ended(String name, Resources perNode, int nodes, Instant from, Instant to) {
        if (name.isEmpty() || !to.isAfter(from)) {
            return;
        }
        Amount amount = amount(perNode, nodes, from, to);
        used.merge(name, amount, (old, more) -> {
            Instant at = old.at().isAfter(more.at()) ? old.at() : more.at();
            return decayed(old, at).plus(decayed(more, at));
        });
        if (used.size() > MOST) {
            forgetLeast(to);
        }
    }

    private void forgetLeast(Instant now) {
        used.entrySet().stream()
                .min((a, b) -> Double.compare(
                        decayed(a.getValue(), now).cpuSeconds(),
                        decayed(b.getValue(), now).cpuSeconds()))
                .map(Map.Entry::getKey)
                .ifPresent(used::remove);
    }

    private static Amount amount(Resources perNode, int nodes, Instant from, Instant to) {
        double seconds = Duration.between(from, to).toMillis() / 1000.0 * nodes;
        return new Amount(
                seconds * perNode.cpus(), seconds * (perNode.memoryBytes() >> 20), seconds * perNode.gpus(), to);
    }

    private Amount decayed(Amount amount, Instant at) {
        double halves = Duration.between(amount.at(), at).toMillis() / (double) halfLife.toMillis();
        double left = halves <= 0 ? 1 : Math.pow(0.5, halves);
        return new Amount(amount.cpuSeconds() * left, amount.mebibyteSeconds() * left, amount.gpuSeconds() * left, at);
    }

    /**
     * The shares at this time, by name.
     *
     * @param names of those that wait: each of them has a share, and each that is named in the settings
     */
    public List<ClusterSnapshot.Share> shares(
            Shares settings, Collection<Run> running, Collection<String> names, Instant now) {
        Map<String, Amount> all = new HashMap<>();
        used.forEach((name, amount) -> all.put(name, decayed(amount, now)));
        for (Run run : running) {
            if (!run.name().isEmpty() && now.isAfter(run.from())) {
                all.merge(run.name(), amount(run.perNode(), run.nodes(), run.from(), now), Amount::plus);
            }
        }
        Amount total = all.values().stream().reduce(new Amount(0, 0, 0, now), Amount::plus);
        Set<String> wanted = new TreeSet<>(names);
        wanted.addAll(settings.weights().keySet());
        wanted.remove("");
        List<ClusterSnapshot.Share> shares = new ArrayList<>();
        for (String name : wanted) {
            Amount amount = all.getOrDefault(name, new Amount(0, 0, 0, now));
            double part = Math.max(
                    part(amount.cpuSeconds(), total.cpuSeconds()),
                    Math.max(
                            part(amount.mebibyteSeconds(), total.mebibyteSeconds()),
                            part(amount.gpuSeconds(), total.gpuSeconds())));
            shares.add(new ClusterSnapshot.Share(name, settings.weight(name), part));
        }
        return List.copyOf(shares);
    }

    private static double part(double some, double all) {
        return all > 0 ? Math.min(1, some / all) : 0;
    }
}
