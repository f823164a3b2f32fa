package org.spillway.head.rollout;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.RolloutCause;
import org.spillway.head.cause.RolloutCause.RolloutFact;
import org.spillway.head.rollout.Member.Stage;
import org.spillway.head.rollout.NodeSight.Place;
import org.spillway.head.rollout.Rollout.Phase;

/**
 * The next step of a rollout. No more nodes are away at a time than its terms say: those that were told to change and do not
 * serve in what they were told, and those that failed, as long as they are there.
 */
public final class RolloutPlan {
    private final Rollout rollout;
    private final Map<String, NodeSight> sights = new HashMap<>();
    private final List<NodeSight> all;
    private final Instant now;

    private RolloutPlan(Rollout rollout, List<NodeSight> all, Instant now) {
        this.rollout = rollout;
        this.all = all;
        this.now = now;
        all.forEach(sight -> sights.put(sight.node(), sight));
    }

    /**
     * The rollout one step further; equal to what it was when there is nothing to do.
     *
     * @param nodes all that live of the category, and those of its members that have ended
     */
    public static Rollout next(Rollout rollout, List<NodeSight> nodes, Instant now) {
        var plan = new RolloutPlan(rollout, nodes, now);
        return switch (rollout.phase()) {
            case CANARY, BATCHES -> plan.forward();
            case BACK -> plan.back();
            case DONE, UNDONE -> rollout;
        };
    }

    /** Nodes that have kept their batch waiting for longer than the terms say, since their jobs go on. */
    public static List<String> heldUp(Rollout rollout, Instant now) {
        return rollout.members().stream()
                .filter(one -> isLate(rollout, one, now))
                .map(Member::node)
                .toList();
    }

    private static boolean isLate(Rollout rollout, Member member, Instant now) {
        return (member.stage() == Stage.TURNING || member.stage() == Stage.BACK)
                && now.isAfter(member.since().plusSeconds(rollout.terms().withinSeconds()));
    }

    private Rollout forward() {
        List<Member> members =
                new ArrayList<>(rollout.members().stream().flatMap(this::heard).toList());
        joined(members);
        Rollout heard = rollout.with(rollout.batch(), members);
        if (heard.failed() > rollout.terms().maxFailures()) {
            Member last = members.stream()
                    .filter(one -> one.stage() == Stage.FAILED)
                    .max(Comparator.comparing(Member::since))
                    .orElseThrow();
            return heard.back(
                    new RolloutCause.NodesFailed(
                            heard.failed(), rollout.terms().maxFailures(), last.node(), last.cause()),
                    now);
        }
        return rollout.paused() ? heard : rollout.phase() == Phase.CANARY ? canary(heard) : batches(heard);
    }

    /** Nodes that came up after the canary has passed, and those that have the version already. */
    private void joined(List<Member> members) {
        for (NodeSight sight : all) {
            boolean comes = rollout.phase() == Phase.BATCHES && sight.place() == Place.COMING;
            boolean has = sight.place() == Place.SERVING && sight.has(rollout.to());
            if ((comes || has) && members.stream().noneMatch(one -> one.node().equals(sight.node()))) {
                members.add(new Member(sight.node(), 0, Stage.TURNING, now, Cause.NONE));
            }
        }
    }

    /** A member as it is now; none for one that has left without having failed. */
    private Stream<Member> heard(Member member) {
        NodeSight sight = sights.get(member.node());
        if (member.stage() == Stage.FAILED) {
            return Stream.of(member);
        }
        if (sight == null) {
            return Stream.empty();
        }
        if (!sight.trouble().isNone()) {
            return Stream.of(member.to(Stage.FAILED, now, sight.trouble()));
        }
        boolean has = sight.has(rollout.to());
        return switch (sight.place()) {
            case AWAY, GOING, ENDED -> Stream.empty();
            case COMING, CHANGING, DRAINED -> Stream.of(member);
            // Who keeps it from jobs keeps it as it is.
            case PARKED -> has || !sight.known() ? Stream.of(soaked(member, has)) : Stream.empty();
            case SERVING -> Stream.of(soaked(member, has));
        };
    }

    private Member soaked(Member member, boolean has) {
        if (member.stage() == Stage.TURNING && has) {
            return member.to(Stage.SOAKING, now, Cause.NONE);
        }
        boolean over = member.stage() == Stage.SOAKING
                && !now.isBefore(member.since().plusSeconds(rollout.terms().soakSeconds()));
        return over ? member.to(Stage.PASSED, now, Cause.NONE) : member;
    }

    private Rollout canary(Rollout heard) {
        int canaries = rollout.terms().canary();
        long well = heard.members().stream()
                .filter(one -> one.stage() != Stage.FAILED)
                .count();
        boolean passed =
                heard.members().stream().allMatch(one -> one.stage() == Stage.PASSED || one.stage() == Stage.FAILED);
        long away = heard.members().stream().filter(this::isAway).count();
        List<String> next = Stream.concat(candidates(heard).limit(Math.max(0, canaries - away)), coming(heard))
                .limit(Math.max(0, canaries - well))
                .toList();
        // Fewer nodes than it wants are all of them canaries.
        if (passed && next.isEmpty() && (well >= canaries || (well > 0 && unasked(heard) == 0))) {
            return heard.in(Phase.BATCHES, RolloutFact.CANARY_PASSED, now);
        }
        return next.isEmpty() ? heard : chosen(heard, 1, next);
    }

    private Rollout batches(Rollout heard) {
        boolean open = heard.members().stream().anyMatch(one -> isOpen(heard, one));
        long away = heard.members().stream().filter(this::isAway).count();
        if (open) {
            return heard;
        }
        List<String> next = candidates(heard).limit(Math.max(0, most() - away)).toList();
        if (next.isEmpty()) {
            return away == 0 && unasked(heard) == 0 ? heard.in(Phase.DONE, RolloutFact.ALL_RENEWED, now) : heard;
        }
        return chosen(heard, heard.batch() + 1, next);
    }

    /** Whether the batch is not over for its sake. */
    private boolean isOpen(Rollout heard, Member member) {
        return member.batch() > 0
                && switch (member.stage()) {
                    case TURNING -> !isBusy(member) || !isLate(heard, member, now);
                    case SOAKING -> true;
                    case PASSED, FAILED, BACK -> false;
                };
    }

    private boolean isBusy(Member member) {
        NodeSight sight = sights.get(member.node());
        return sight != null && sight.busy();
    }

    private boolean isAway(Member member) {
        NodeSight sight = sights.get(member.node());
        if (sight == null || sight.place() == Place.ENDED) {
            return false;
        }
        return switch (member.stage()) {
            case TURNING -> member.batch() > 0 && sight.place() != Place.COMING;
            case BACK -> true;
            case FAILED -> sight.place() != Place.SERVING && sight.place() != Place.COMING;
            case SOAKING, PASSED -> false;
        };
    }

    private Rollout chosen(Rollout heard, int batch, List<String> nodes) {
        List<Member> members = new ArrayList<>(heard.members());
        nodes.forEach(node -> members.add(new Member(node, batch, Stage.TURNING, now, Cause.NONE)));
        return heard.with(batch, members);
    }

    /** Nodes that may be given the version now, those without jobs first. */
    private Stream<String> candidates(Rollout heard) {
        return all.stream()
                .filter(sight -> sight.place() == Place.SERVING && sight.ready() && sight.isOther(rollout.to()))
                .filter(sight -> heard.member(sight.node()).isEmpty())
                .sorted(Comparator.comparing(NodeSight::busy).thenComparing(NodeSight::node))
                .map(NodeSight::node);
    }

    private Stream<String> coming(Rollout heard) {
        return all.stream()
                .filter(sight -> sight.place() == Place.COMING)
                .map(NodeSight::node)
                .filter(node -> heard.member(node).isEmpty())
                .sorted();
    }

    /** How many nodes serve, or are about to, that were not given the version. */
    private long unasked(Rollout heard) {
        return all.stream()
                .filter(sight -> switch (sight.place()) {
                    case SERVING, CHANGING, DRAINED, COMING -> true;
                    case PARKED, AWAY, GOING, ENDED -> false;
                })
                .filter(sight -> heard.member(sight.node()).isEmpty())
                .count();
    }

    private int most() {
        return rollout.terms().most((int) all.stream()
                .filter(sight -> sight.place() != Place.ENDED && sight.place() != Place.GOING)
                .count());
    }

    private Rollout back() {
        List<Member> members = new ArrayList<>(
                rollout.members().stream().flatMap(this::returning).toList());
        long away = members.stream()
                .filter(one -> one.stage() == Stage.BACK || isDrained(one))
                .count();
        List<String> next = members.stream()
                .filter(one -> one.stage() != Stage.BACK && isReady(one))
                .sorted(Comparator.comparing((Member one) -> one.stage() != Stage.FAILED)
                        .thenComparing(this::isBusy)
                        .thenComparing(Member::node))
                .limit(Math.max(0, most() - away))
                .map(Member::node)
                .toList();
        members.replaceAll(one -> next.contains(one.node()) ? one.to(Stage.BACK, now, one.cause()) : one);
        Rollout further = rollout.with(rollout.batch(), members);
        return members.isEmpty() ? further.in(Phase.UNDONE, rollout.cause(), now) : further;
    }

    private boolean isDrained(Member member) {
        NodeSight sight = sights.get(member.node());
        return sight != null && sight.place() == Place.DRAINED;
    }

    private boolean isReady(Member member) {
        return Optional.ofNullable(sights.get(member.node()))
                .filter(NodeSight::ready)
                .isPresent();
    }

    /** A member on its way back; none for one that needs nothing, or is told by its own state. */
    private Stream<Member> returning(Member member) {
        NodeSight sight = sights.get(member.node());
        if (sight == null) {
            return Stream.empty();
        }
        return switch (sight.place()) {
            // Who serves nobody is told at once: it counts only where it has left service for this.
            case COMING, PARKED, AWAY, GOING, ENDED -> Stream.empty();
            case CHANGING -> Stream.of(back(member));
            case SERVING, DRAINED -> sight.has(rollout.from()) ? Stream.empty() : Stream.of(member);
        };
    }

    private Member back(Member member) {
        return member.stage() == Stage.BACK ? member : member.to(Stage.BACK, now, member.cause());
    }
}
