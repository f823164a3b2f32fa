package org.spillway.scaler.simulate;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.scaler.simulate.world.SimulatedLimit;
import org.spillway.scaler.simulate.world.SimulatedLimit.Span;

/**
 * Use of the limits: as in the head, a node counts as a whole for those whom it was bought for, then for those whose
 * jobs it has or had last, and so does its price. Home counts for nothing.
 */
final class LimitBook {
    private static final long MINUTE = Duration.ofMinutes(1).toMillis();

    private record Name(Limits.Scope scope, String name) {}

    private record Account(Name name, Span span) {}

    /** Millionths that were spent since a period began. */
    private record Spent(long periodBegin, long micros) {}

    private final List<SimulatedLimit> limits;
    private final Map<Account, Spent> spent = new HashMap<>();
    private final Map<String, Deque<Long>> launches = new TreeMap<>();

    LimitBook(List<SimulatedLimit> limits) {
        this.limits = limits;
    }

    boolean isEmpty() {
        return limits.isEmpty();
    }

    boolean tellsUsers() {
        return limits.stream().anyMatch(limit -> limit.scope() == Limits.Scope.USER);
    }

    private boolean countsMoney() {
        return limits.stream().anyMatch(limit -> limit.span() != Span.NOW);
    }

    /** Another instance was asked for. */
    void launched(String site, long now) {
        if (limits.stream().anyMatch(limit -> limit.scope() == Limits.Scope.LAUNCHES_PER_MINUTE)) {
            launches.computeIfAbsent(site, any -> new ArrayDeque<>()).addLast(now);
        }
    }

    /** To be called before others hold a node, and when it ends. */
    void settle(SimulatedNode node, long now) {
        if (countsMoney() && node.isBought()) {
            for (Name name : names(node)) {
                for (Span span : List.of(Span.DAY, Span.MONTH)) {
                    long begin = begin(span, now);
                    long micros = price(node, Math.max(begin, node.heldSince()), now);
                    spent.merge(
                            new Account(name, span),
                            new Spent(begin, micros),
                            (old, more) -> old.periodBegin() == begin ? new Spent(begin, old.micros() + micros) : more);
                }
            }
        }
    }

    private static long price(SimulatedNode node, long from, long to) {
        return to <= from
                ? 0
                : node.price().perHourFor(Duration.ofMillis(to - from)).micros();
    }

    /** When time alone may change what the limits permit; {@code Long.MAX_VALUE} for never. */
    long nextChange(long now, boolean anyNodes) {
        long next = Long.MAX_VALUE;
        for (Deque<Long> times : launches.values()) {
            for (long at : times) {
                if (at + MINUTE > now) {
                    next = Math.min(next, at + MINUTE);
                }
            }
        }
        if (countsMoney()) {
            // The reserved money shrinks while nodes run.
            next = Math.min(next, anyNodes ? now + 1 : end(now));
        }
        return next;
    }

    private static long end(long now) {
        return Instant.ofEpochMilli(now)
                .atZone(ZoneOffset.UTC)
                .truncatedTo(ChronoUnit.DAYS)
                .plusDays(1)
                .toInstant()
                .toEpochMilli();
    }

    private static long begin(Span span, long now) {
        ZonedDateTime day = Instant.ofEpochMilli(now).atZone(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS);
        return (span == Span.MONTH ? day.withDayOfMonth(1) : day).toInstant().toEpochMilli();
    }

    List<Limits.Limit> of(List<Demand> demands, Iterable<SimulatedNode> nodes, long now) {
        if (limits.isEmpty()) {
            return List.of();
        }
        Map<Name, List<SimulatedNode>> held = new HashMap<>();
        nodes.forEach(node -> names(node)
                .forEach(name ->
                        held.computeIfAbsent(name, any -> new ArrayList<>()).add(node)));
        List<Limits.Limit> told = new ArrayList<>();
        for (SimulatedLimit limit : limits) {
            for (String name : expanded(limit, demands)) {
                told.add(new Limits.Limit(
                        limit.scope(), name, limit.unit(), limit.most(), used(limit, name, held, now)));
            }
        }
        return told;
    }

    private Set<String> expanded(SimulatedLimit limit, List<Demand> demands) {
        if (!limit.name().equals(SimulatedLimit.EACH)) {
            return Set.of(limit.name());
        }
        Set<String> names = demands.stream()
                .map(demand -> switch (limit.scope()) {
                    case QUEUE -> demand.queue();
                    case USER -> demand.terms().user();
                    case ACCOUNT -> demand.terms().account();
                    case QUOTA_FAMILY, SITE, LICENCE, LAUNCHES_PER_MINUTE, ALL -> "";
                })
                .collect(Collectors.toCollection(TreeSet::new));
        names.remove("");
        limits.stream()
                .filter(other ->
                        other.scope() == limit.scope() && other.unit() == limit.unit() && other.span() == limit.span())
                .forEach(other -> names.remove(other.name()));
        return names;
    }

    private long used(SimulatedLimit limit, String name, Map<Name, List<SimulatedNode>> held, long now) {
        if (limit.scope() == Limits.Scope.LAUNCHES_PER_MINUTE) {
            Deque<Long> times = launches.getOrDefault(name, new ArrayDeque<>());
            times.removeIf(at -> at + MINUTE <= now);
            return times.size();
        }
        Name of = new Name(limit.scope(), name);
        List<SimulatedNode> nodes = held.getOrDefault(of, List.of());
        if (limit.span() != Span.NOW) {
            long begin = begin(limit.span(), now);
            Spent known = spent.getOrDefault(new Account(of, limit.span()), new Spent(begin, 0));
            long micros = known.periodBegin() == begin ? known.micros() : 0;
            for (SimulatedNode node : nodes) {
                micros += price(node, Math.max(begin, node.heldSince()), now)
                        + node.committedAfter(now).micros();
            }
            return micros;
        }
        return nodes.stream()
                .mapToLong(node -> switch (limit.unit()) {
                    case NODES -> 1;
                    case CPUS -> node.total().cpus();
                    case GPUS -> node.total().gpus();
                    case LICENCES, MONEY_MICROS -> 0;
                })
                .sum();
    }

    private Set<Name> names(SimulatedNode node) {
        if (!node.isBought()) {
            return Set.of();
        }
        Set<Name> names = node.holders().stream()
                .flatMap(shape -> List.of(
                        new Name(Limits.Scope.QUEUE, shape.queue()),
                        new Name(Limits.Scope.USER, shape.user()),
                        new Name(Limits.Scope.ACCOUNT, shape.account()))
                        .stream())
                .filter(name -> !name.name().isEmpty())
                .collect(Collectors.toSet());
        names.add(new Name(Limits.Scope.ALL, ""));
        names.add(new Name(Limits.Scope.SITE, node.site()));
        String family = node.offering().offering().quotaFamily();
        if (!family.isEmpty()) {
            names.add(new Name(Limits.Scope.QUOTA_FAMILY, node.site() + "/" + family));
        }
        return names;
    }
}
