package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/**
 * A node or a director.
 *
 * @param intent that it was launched under
 * @param reason why it is in its state; empty when nothing needs saying
 * @param since when it entered its state
 */
public record NodeRecord(
        String id,
        String site,
        Role role,
        String intent,
        NodeState nodeState,
        String reason,
        Instant since,
        Purchase purchase,
        Place place,
        Joined joined,
        Care care)
        implements Entry {

    /** What it is for. */
    public enum Role {
        NODE,
        DIRECTOR
    }

    /**
     * What was bought, and for how long its price counts.
     *
     * @param from when its price may have begun to run; null while nothing was asked of a provider
     * @param to when it was known to be gone; null before
     * @param committedFor how long, from {@code from}, its price is reserved in the budget
     */
    public record Purchase(
            OfferingId offering,
            Resources resources,
            Money pricePerHour,
            @Nullable Instant from,
            @Nullable Instant to,
            Duration committedFor) {}

    /**
     * @param instance the provider's id; null until one is named
     * @param inside by which the site's nodes reach it
     */
    public record Place(@Nullable String instance, String address, int sshPort, String inside) {
        public static final Place NONE = new Place(null, "", 0, "");

        public Place {
            // Absent in what earlier releases have journalled.
            inside = inside == null ? address : inside;
        }
    }

    /**
     * @param request the one join request that was granted; empty before
     * @param certificate what was granted for it, PEM; public
     */
    public record Joined(String request, String certificate) {
        public static final Joined NONE = new Joined("", "");
    }

    /**
     * What an administrator wants of it.
     *
     * @param keep it is not released by the policy
     * @param parked it gets no further jobs and is not ended either
     */
    public record Care(boolean keep, boolean parked) {
        public static final Care NONE = new Care(false, false);
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

    public OfferingId offering() {
        return purchase.offering;
    }

    public Resources resources() {
        return purchase.resources;
    }

    public Money pricePerHour() {
        return purchase.pricePerHour;
    }

    public @Nullable Instant costFrom() {
        return purchase.from;
    }

    public @Nullable Instant costTo() {
        return purchase.to;
    }

    public Duration committedFor() {
        return purchase.committedFor;
    }

    public @Nullable String instance() {
        return place.instance;
    }

    public String address() {
        return place.address;
    }

    public int sshPort() {
        return place.sshPort;
    }

    /** By which the site's nodes reach it. */
    public String inside() {
        return place.inside;
    }

    public String joinRequest() {
        return joined.request;
    }

    public String certificate() {
        return joined.certificate;
    }

    /** Its price stops to count with a terminal state. */
    public NodeRecord to(NodeState next, String why, Instant now) {
        boolean ends = next.isTerminal() && purchase.from != null && purchase.to == null;
        return new NodeRecord(
                id,
                site,
                role,
                intent,
                next,
                why,
                next == nodeState ? since : now,
                ends ? priced(purchase.from, now, purchase.committedFor) : purchase,
                place,
                joined,
                care);
    }

    public NodeRecord withCostFrom(Instant from) {
        return with(priced(from, purchase.to, purchase.committedFor), place, joined, care);
    }

    public NodeRecord withCommittedFor(Duration longer) {
        return with(priced(purchase.from, purchase.to, longer), place, joined, care);
    }

    public NodeRecord withInstance(String instance, String address, int sshPort, String inside) {
        return with(purchase, new Place(instance, address, sshPort, inside), joined, care);
    }

    /** It became another than was asked for. */
    public NodeRecord withOffering(Offering offering) {
        Purchase became = new Purchase(
                offering.id(),
                offering.resources(),
                offering.pricePerHour(),
                purchase.from,
                purchase.to,
                purchase.committedFor);
        return with(became, place, joined, care);
    }

    public NodeRecord withJoin(String request, String certificate) {
        return with(purchase, place, new Joined(request, certificate), care);
    }

    public NodeRecord withCare(Care newCare) {
        return with(purchase, place, joined, newCare);
    }

    private Purchase priced(@Nullable Instant from, @Nullable Instant to, Duration committedFor) {
        return new Purchase(purchase.offering, purchase.resources, purchase.pricePerHour, from, to, committedFor);
    }

    private NodeRecord with(Purchase newPurchase, Place newPlace, Joined newJoined, Care newCare) {
        return new NodeRecord(
                id, site, role, intent, nodeState, reason, since, newPurchase, newPlace, newJoined, newCare);
    }
}
