package org.spillway.head.loop.money;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.policy.Money;

/** A node's amount, divided among those whose it was, moment by moment. Pure; one use each. */
final class NodeBill {
    private final NodeRecord node;
    private final List<NodeUse> uses;
    private final Map<Whose, BigInteger> weights = new LinkedHashMap<>();

    private record Whose(Bill.Part part, Bill.Owner owner) {}

    private NodeBill(NodeRecord node, List<NodeUse> uses) {
        this.node = node;
        this.uses = uses.stream().sorted(Comparator.comparing(NodeUse::from)).toList();
    }

    /** The parts of one node; they sum to {@link Spending#of} without its reservation. */
    static List<Bill.Line> of(NodeRecord of, List<NodeUse> uses, Instant periodStart, Instant now) {
        NodeRecord node = of.withCommittedFor(Duration.ZERO);
        Money total = Spending.of(node, periodStart, now);
        Instant from = node.costFrom();
        if (total.micros() == 0 || from == null) {
            return List.of();
        }
        Instant to = node.costTo() == null ? now : node.costTo();
        Instant begin = from.isAfter(periodStart) ? from : periodStart;
        Money storage = Spending.stopped(node, begin, to);
        Money running = total.minus(storage);
        List<Bill.Line> lines = new ArrayList<>();
        lines.add(new Bill.Line(Bill.Part.STORAGE, node.site(), Bill.Owner.SITE, storage));
        if (node.isDirector()) {
            lines.add(new Bill.Line(Bill.Part.DIRECTORS, node.site(), Bill.Owner.SITE, running));
        } else {
            NodeBill bill = new NodeBill(node, uses);
            bill.weigh(begin, to);
            lines.addAll(bill.divided(running));
        }
        return lines;
    }

    /** From one change to the next the same jobs have the same shares of it. */
    private void weigh(Instant begin, Instant end) {
        TreeSet<Instant> changes = new TreeSet<>(List.of(begin, end));
        for (NodeUse use : uses) {
            changes.add(use.from());
            changes.add(use.to());
        }
        node.stretches().forEach(stretch -> changes.add(stretch.from()));
        for (Purchase.Stop stop : node.purchase().stops()) {
            changes.add(stop.from());
            changes.add(stop.until() == null ? end : stop.until());
        }
        List<NodeUse> active = new ArrayList<>();
        int next = 0;
        Instant from = null;
        for (Instant to : changes) {
            if (from != null && !from.isBefore(begin) && !to.isAfter(end) && to.isAfter(from)) {
                Instant at = from;
                while (next < uses.size() && !uses.get(next).from().isAfter(at)) {
                    active.add(uses.get(next++));
                }
                active.removeIf(use -> !use.to().isAfter(at));
                if (!isStopped(at)) {
                    weigh(active, at, Duration.between(at, to).toNanos());
                }
            }
            from = to;
        }
    }

    private void weigh(List<NodeUse> active, Instant at, long nanos) {
        long sum = active.stream().mapToLong(use -> use.share(node.resources())).sum();
        long whole = Math.max(NodeUse.WHOLE, sum);
        // In this moment's own unit, so that what is given out is never more than the moment.
        BigInteger moment = BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(NodeUse.WHOLE));
        BigInteger left = moment;
        for (NodeUse use : active) {
            BigInteger part = moment.multiply(BigInteger.valueOf(use.share(node.resources())))
                    .divide(BigInteger.valueOf(whole));
            left = left.subtract(part);
            add(new Whose(Bill.Part.JOBS, use.owner()), part);
        }
        if (sum < NodeUse.WHOLE) {
            idle(at, left);
        } else if (!active.isEmpty()) {
            add(new Whose(Bill.Part.JOBS, active.getLast().owner()), left);
        }
    }

    /** Idle time is of those it was there for, in equal parts; of nobody, it is the site's. */
    private void idle(Instant at, BigInteger weight) {
        Holders holders = holders(at);
        List<String> users =
                holders == null ? List.of() : holders.users().stream().sorted().toList();
        if (holders == null || users.isEmpty()) {
            add(new Whose(Bill.Part.IDLE, Bill.Owner.SITE), weight);
            return;
        }
        String account = users.size() == 1 && holders.accounts().size() == 1
                ? holders.accounts().iterator().next()
                : "";
        BigInteger[] each = weight.divideAndRemainder(BigInteger.valueOf(users.size()));
        for (int i = 0; i < users.size(); i++) {
            Bill.Owner owner = new Bill.Owner(users.get(i), account, "");
            add(new Whose(Bill.Part.IDLE, owner), i == 0 ? each[0].add(each[1]) : each[0]);
        }
    }

    private @Nullable Holders holders(Instant at) {
        Holders last = null;
        for (Purchase.Stretch stretch : node.stretches()) {
            if (!stretch.from().isAfter(at)) {
                last = stretch.holders();
            }
        }
        return last;
    }

    private boolean isStopped(Instant at) {
        return node.purchase().stops().stream()
                .anyMatch(stop -> !stop.from().isAfter(at)
                        && (stop.until() == null || stop.until().isAfter(at)));
    }

    private void add(Whose whose, BigInteger weight) {
        weights.merge(whose, weight, BigInteger::add);
    }

    /** By the largest remainder; among equal ones the first has it. */
    private List<Bill.Line> divided(Money amount) {
        BigInteger all = weights.values().stream().reduce(BigInteger.ZERO, BigInteger::add);
        if (all.signum() == 0) {
            return List.of(line(new Whose(Bill.Part.IDLE, Bill.Owner.SITE), amount.micros()));
        }
        List<Whose> order = new ArrayList<>(weights.keySet());
        Map<Whose, BigInteger[]> parts = new LinkedHashMap<>();
        long left = amount.micros();
        for (Whose whose : order) {
            BigInteger[] part = BigInteger.valueOf(amount.micros())
                    .multiply(weights.getOrDefault(whose, BigInteger.ZERO))
                    .divideAndRemainder(all);
            parts.put(whose, part);
            left -= part[0].longValueExact();
        }
        order.sort(Comparator.comparing(
                (Whose whose) -> parts.getOrDefault(whose, new BigInteger[] {BigInteger.ZERO, BigInteger.ZERO})[1],
                Comparator.reverseOrder()));
        List<Bill.Line> lines = new ArrayList<>();
        for (Whose whose : order) {
            BigInteger[] part = parts.get(whose);
            long micros = part == null ? 0 : part[0].longValueExact();
            lines.add(line(whose, left-- > 0 ? micros + 1 : micros));
        }
        return lines;
    }

    private Bill.Line line(Whose whose, long micros) {
        return new Bill.Line(whose.part, node.site(), whose.owner, new Money(micros));
    }
}
