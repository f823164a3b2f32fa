package org.spillway.head.journal;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.rollout.Member;
import org.spillway.head.rollout.Rollout;
import org.spillway.head.rollout.Version;

/**
 * The version of a category's nodes, and the rollout by which it becomes another or has become what it is.
 *
 * @param category the id: there is one rollout at a time for each
 * @param named version that the configuration named when that was looked at last; another one begins a rollout
 * @param settled version of nodes when no rollout is under way
 * @param former version before that, to which nodes can be rolled back; none when nothing was rolled out yet
 * @param rollout the last; null before there was one
 */
public record RolloutRecord(
        String category,
        Version named,
        Version settled,
        Version former,
        @Nullable Rollout rollout) implements Entry {

    /** A category whose nodes have what the configuration names. */
    public static RolloutRecord first(String category, Version named) {
        return new RolloutRecord(category, named, named, Version.NONE, null);
    }

    @Override
    public String kind() {
        return "rollout";
    }

    @Override
    public String id() {
        return category;
    }

    @Override
    public String state() {
        return rollout == null ? "SETTLED" : rollout.state();
    }

    @Override
    public Cause cause() {
        return rollout == null ? Cause.NONE : rollout.cause();
    }

    /** The nodes may come and go: what they are to have is never over. */
    @Override
    public boolean isLive() {
        return true;
    }

    /** Whether nodes are given another version now. */
    public boolean isUnderWay() {
        return rollout != null && !rollout.isOver();
    }

    /** The version that a node of the category is to have now. */
    public Version wanted(String node) {
        return rollout == null || rollout.isOver() ? settled : rollout.wanted(node);
    }

    public RolloutRecord naming(Version version) {
        return new RolloutRecord(category, version, settled, former, rollout);
    }

    /** Nodes that its rollout has given another version; none when there is no rollout. */
    public List<Member> members() {
        return rollout == null ? List.of() : rollout.members();
    }

    /** Versions that nodes have, are to have, or may be given back. */
    public List<Version> held() {
        return Stream.concat(
                        Stream.of(settled, former),
                        rollout == null || rollout.isOver() ? Stream.of() : Stream.of(rollout.from(), rollout.to()))
                .filter(version -> !version.isNone())
                .distinct()
                .toList();
    }

    /** With its rollout one step further: one that ended well settles what nodes have. */
    public RolloutRecord with(Rollout next) {
        boolean done = next.phase() == Rollout.Phase.DONE;
        return new RolloutRecord(category, named, done ? next.to() : settled, done ? next.from() : former, next);
    }
}
