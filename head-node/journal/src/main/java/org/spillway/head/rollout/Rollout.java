package org.spillway.head.rollout;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.spillway.head.cause.Cause;

/**
 * A version that takes the place of another in the nodes of a category.
 *
 * @param paused no further nodes are given the version
 * @param cause why it is in its phase
 * @param since when it came to its phase
 * @param batch the last that was begun; the canary is 1
 * @param members nodes that were given the version, in that order; none any more when it is over
 * @param failed how many of them failed in it
 */
public record Rollout(
        Version from,
        Version to,
        Terms terms,
        Phase phase,
        boolean paused,
        Cause cause,
        Instant since,
        int batch,
        List<Member> members,
        int failed) {
    /** How far it has come. */
    public enum Phase {
        CANARY,
        BATCHES,
        /** The nodes that were given the new version get the former one again. */
        BACK,
        /** All nodes are to have the new version. */
        DONE,
        /** All nodes are to have the former version. */
        UNDONE
    }

    public Rollout {
        members = List.copyOf(members);
    }

    public static Rollout begin(Version from, Version to, Terms terms, Cause why, Instant now) {
        return new Rollout(from, to, terms, Phase.CANARY, false, why, now, 0, List.of(), 0);
    }

    public boolean isOver() {
        return phase == Phase.DONE || phase == Phase.UNDONE;
    }

    public boolean isForward() {
        return phase == Phase.CANARY || phase == Phase.BATCHES;
    }

    public Optional<Member> member(String node) {
        return members.stream().filter(one -> one.node().equals(node)).findFirst();
    }

    /** The version that a node is to have. Nodes that were not given the new one keep the former until all are to have it. */
    public Version wanted(String node) {
        return switch (phase) {
            case DONE -> to;
            case UNDONE -> from;
            case CANARY, BATCHES, BACK ->
                member(node)
                        .filter(one -> one.stage() != Member.Stage.BACK)
                        .map(one -> to)
                        .orElse(from);
        };
    }

    /** The version that nodes are given now that have none of their own accord. */
    public Version next() {
        return phase == Phase.BACK || phase == Phase.UNDONE ? from : to;
    }

    public Rollout paused(boolean stops, Cause why) {
        return new Rollout(from, to, terms, phase, stops, why, since, batch, members, failed);
    }

    /** The nodes get the former version again; a rollout that is on that way already goes on. */
    public Rollout back(Cause why, Instant now) {
        return isForward() ? in(Phase.BACK, why, now) : this;
    }

    Rollout in(Phase next, Cause why, Instant now) {
        boolean ends = next == Phase.DONE || next == Phase.UNDONE;
        boolean stays = paused && next == Phase.BATCHES;
        return new Rollout(from, to, terms, next, stays, why, now, batch, ends ? List.of() : members, failed);
    }

    Rollout with(int inBatch, List<Member> all) {
        int failures = (int)
                all.stream().filter(one -> one.stage() == Member.Stage.FAILED).count();
        return new Rollout(from, to, terms, phase, paused, cause, since, inBatch, all, Math.max(failed, failures));
    }

    /** The timeline has a line for each change of this. */
    public String state() {
        return paused ? "PAUSED" : phase == Phase.BATCHES ? "BATCH_" + batch : phase.name();
    }
}
