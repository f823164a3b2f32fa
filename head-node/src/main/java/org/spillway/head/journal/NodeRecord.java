package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/**
 * A node or a director.
 *
 * @param intent that it was launched under
 * @param instance the provider's id; null until one is named
 * @param joinRequest the one join request that was granted; empty before
 * @param certificate what was granted for it, PEM; public
 * @param costFrom when its price may have begun to run; null while nothing was asked of a provider
 * @param costTo when it was known to be gone; null before
 * @param committedFor how long, from {@code costFrom}, its price is reserved in the budget
 */
public record NodeRecord(
        String id,
        String site,
        Role role,
        String intent,
        NodeState nodeState,
        String reason,
        Instant since,
        OfferingId offering,
        Resources resources,
        Money pricePerHour,
        @Nullable String instance,
        String address,
        int sshPort,
        String joinRequest,
        String certificate,
        @Nullable Instant costFrom,
        @Nullable Instant costTo,
        Duration committedFor)
        implements Entry {

    /** What it is for. */
    public enum Role {
        NODE,
        DIRECTOR
    }

    @Override
    public String kind() {
        return "node";
    }

    @Override
    public String state() {
        return nodeState.name();
    }

    @Override
    public boolean isLive() {
        return !nodeState.isTerminal();
    }

    public boolean isDirector() {
        return role == Role.DIRECTOR;
    }

    public NodeRecord to(NodeState next, String why, Instant now) {
        Instant ended = next.isTerminal() && costFrom != null && costTo == null ? now : costTo;
        return new NodeRecord(
                id,
                site,
                role,
                intent,
                next,
                why,
                next == nodeState ? since : now,
                offering,
                resources,
                pricePerHour,
                instance,
                address,
                sshPort,
                joinRequest,
                certificate,
                costFrom,
                ended,
                committedFor);
    }

    public NodeRecord withCostFrom(Instant from) {
        return new NodeRecord(
                id,
                site,
                role,
                intent,
                nodeState,
                reason,
                since,
                offering,
                resources,
                pricePerHour,
                instance,
                address,
                sshPort,
                joinRequest,
                certificate,
                from,
                costTo,
                committedFor);
    }

    public NodeRecord withInstance(String newInstance, String newAddress, int newSshPort) {
        return new NodeRecord(
                id,
                site,
                role,
                intent,
                nodeState,
                reason,
                since,
                offering,
                resources,
                pricePerHour,
                newInstance,
                newAddress,
                newSshPort,
                joinRequest,
                certificate,
                costFrom,
                costTo,
                committedFor);
    }

    public NodeRecord withJoin(String request, String pem) {
        return new NodeRecord(
                id,
                site,
                role,
                intent,
                nodeState,
                reason,
                since,
                offering,
                resources,
                pricePerHour,
                instance,
                address,
                sshPort,
                request,
                pem,
                costFrom,
                costTo,
                committedFor);
    }

    public NodeRecord withCommittedFor(Duration longer) {
        return new NodeRecord(
                id,
                site,
                role,
                intent,
                nodeState,
                reason,
                since,
                offering,
                resources,
                pricePerHour,
                instance,
                address,
                sshPort,
                joinRequest,
                certificate,
                costFrom,
                costTo,
                longer);
    }
}
