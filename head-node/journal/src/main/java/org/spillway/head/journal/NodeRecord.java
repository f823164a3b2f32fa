package org.spillway.head.journal;

import com.fasterxml.jackson.annotation.JsonAlias;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Fabric;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/**
 * A node or a director.
 *
 * @param intent that it was launched under; empty for a director whose machine was given
 * @param cause why it is in its state
 * @param since when it entered its state
 * @param fabric that it was launched on; {@link Fabric#NONE} in what earlier releases have journalled
 */
public record NodeRecord(
        String id,
        String site,
        Role role,
        String intent,
        NodeState nodeState,
        Cause cause,
        Instant since,
        Purchase purchase,
        Place place,
        Joined joined,
        Care care,
        @JsonAlias("guise") Profile profile,
        Fabric fabric)
        implements Entry {
    public NodeRecord {
        // Absent in what earlier releases have journalled.
        profile = profile == null ? Profile.PLAIN : profile;
        fabric = fabric == null ? Fabric.NONE : fabric;
    }

    /** The node's purpose. */
    public enum Role {
        NODE,
        DIRECTOR
    }

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
     * @param servedFrom when it was ready first; null before, and in what earlier releases have journalled
     */
    public record Joined(
            String request, String certificate, @Nullable Instant servedFrom) {
        public static final Joined NONE = new Joined("", "", null);
    }

    /**
     * An administrator's wishes for the node.
     *
     * @param keep it is not released by the policy
     * @param parked it gets no further jobs and is not ended either
     * @param next what it becomes as soon as nothing runs on it; null for nothing, and in what earlier releases have
     *     journalled
     */
    public record Care(
            boolean keep, boolean parked, @Nullable Profile next) {
        public static final Care NONE = new Care(false, false);

        /** The node stays what it is. */
        public Care(boolean keep, boolean parked) {
            this(keep, parked, null);
        }
    }

    /**
     * The node's profile: it serves with that while it is ready, and with nothing while it is {@link
     * NodeState#REPURPOSING}.
     *
     * @param category empty for none: the default image
     * @param overlays that it has joined, in the order in which they are looked through
     * @param turn grows with each change; a node that says that it passed its gate in this turn is what this says
     * @param fixed an administrator made it that: the scaler makes nothing else of it
     */
    public record Profile(String category, List<String> overlays, int turn, boolean fixed) {
        public static final Profile PLAIN = new Profile("", List.of(), 0);

        public Profile {
            overlays = List.copyOf(overlays);
        }

        /** A profile that the scaler may change. */
        public Profile(String category, List<String> overlays, int turn) {
            this(category, overlays, turn, false);
        }

        /** The next turn, which the scaler may change again. */
        public Profile turnedInto(String otherCategory, List<String> otherOverlays) {
            return new Profile(otherCategory, otherOverlays, turn + 1);
        }

        /** The same, as an administrator wants it, or left to the scaler again. */
        public Profile fixed(boolean byHand) {
            return new Profile(category, overlays, turn, byHand);
        }

        /** The profile in words, as {@code of category ml with overlay solver}. */
        public String text() {
            return (category.isEmpty() ? "of no category" : "of category " + category)
                    + (overlays.isEmpty() ? "" : " with overlay " + String.join(", ", overlays));
        }

        /** Whether a node of the one is a node of the other, whoever made it that and when. */
        public boolean isLike(Profile other) {
            return category.equals(other.category) && overlays.equals(other.overlays);
        }
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

    /** Whether the configuration named its machine: nobody launched it, and nobody ends it. */
    public boolean isGiven() {
        return isDirector() && intent.isEmpty();
    }

    public OfferingId offering() {
        return purchase.offering();
    }

    public Resources resources() {
        return purchase.resources();
    }

    public Money pricePerHour() {
        return purchase.pricePerHour();
    }

    public @Nullable Instant costFrom() {
        return purchase.from();
    }

    public @Nullable Instant costTo() {
        return purchase.to();
    }

    public Duration committedFor() {
        return purchase.committedFor();
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

    /** A node by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
    public static NodeRecord of(Consumer<Draft> made) {
        Draft draft = new Draft();
        made.accept(draft);
        return draft.made();
    }

    /** The same but for what {@code changed} sets. */
    public NodeRecord with(Consumer<Draft> changed) {
        Draft draft = new Draft();
        draft.id = id;
        draft.site = site;
        draft.role = role;
        draft.intent = intent;
        draft.nodeState = nodeState;
        draft.cause = cause;
        draft.since = since;
        draft.purchase = purchase;
        draft.place = place;
        draft.joined = joined;
        draft.care = care;
        draft.profile = profile;
        draft.fabric = fabric;
        changed.accept(draft);
        return draft.made();
    }

    /** The node's price stops to count with a terminal state. */
    public NodeRecord to(NodeState next, Cause why, Instant now) {
        boolean ends = next.isTerminal() && purchase.from() != null && purchase.to() == null;
        return with(draft -> {
            draft.nodeState = next;
            draft.cause = why;
            draft.since = next == nodeState ? since : now;
            draft.joined = next == NodeState.READY || isServing()
                    ? servingFrom(next == NodeState.READY ? now : since)
                    : joined;
            draft.purchase = ends ? purchase.with(bought -> bought.to = now) : purchase;
        });
    }

    private boolean isServing() {
        return nodeState == NodeState.READY || nodeState == NodeState.DRAINING;
    }

    private Joined servingFrom(Instant from) {
        return joined.servedFrom == null ? new Joined(joined.request, joined.certificate, from) : joined;
    }

    /** When it was ready first; null when it never was. */
    public @Nullable Instant servedFrom() {
        return joined.servedFrom;
    }

    /** The node leaves service, and comes back as another. */
    public NodeRecord repurposed(Profile next, Cause why, Instant now) {
        return as(next).to(NodeState.REPURPOSING, why, now);
    }

    /** Before it was launched, or with another word on whose it is to change. */
    public NodeRecord as(Profile next) {
        return with(draft -> draft.profile = next);
    }

    /** Launched on that one. */
    public NodeRecord on(Fabric stands) {
        return with(draft -> draft.fabric = stands);
    }

    public NodeRecord withCostFrom(Instant from) {
        return bought(draft -> draft.from = from);
    }

    public NodeRecord withCommittedFor(Duration longer) {
        return bought(draft -> draft.committedFor = longer);
    }

    /** From now on it costs that much, until it is started. */
    public NodeRecord stoppedAt(Money stoppedPricePerHour, Instant now) {
        return with(draft -> draft.purchase = purchase.stoppedAt(stoppedPricePerHour, now));
    }

    /** The node costs its full price again. */
    public NodeRecord startedAt(Instant now) {
        return with(draft -> draft.purchase = purchase.startedAt(now));
    }

    private NodeRecord bought(Consumer<Purchase.Draft> changed) {
        return with(draft -> draft.purchase = purchase.with(changed));
    }

    public NodeRecord withInstance(String instance, String address, int sshPort, String inside) {
        return with(draft -> draft.place = new Place(instance, address, sshPort, inside));
    }

    /** The instance became another offering than was asked for. */
    public NodeRecord withOffering(Offering offering) {
        return bought(draft -> draft.sold(offering)).on(new Fabric(Fabric.named(offering.features()), fabric.group()));
    }

    /** From now on it is there for these. */
    public NodeRecord heldBy(Holders holders, Instant now) {
        return holders.equals(heldNow()) ? this : with(draft -> draft.purchase = purchase.heldBy(holders, now));
    }

    /** The node's provider has ended it. */
    public NodeRecord takenBack() {
        return bought(draft -> draft.takenBack = true);
    }

    public boolean wasTakenBack() {
        return purchase.takenBack();
    }

    /** For whom it is there now. */
    public Holders heldNow() {
        return purchase.stretches().isEmpty()
                ? Holders.NOBODY
                : purchase.stretches().getLast().holders();
    }

    public List<Purchase.Stretch> stretches() {
        return purchase.stretches();
    }

    public NodeRecord withJoin(String request, String certificate) {
        return with(draft -> draft.joined = new Joined(request, certificate, joined.servedFrom));
    }

    public NodeRecord withCare(Care newCare) {
        return with(draft -> draft.care = newCare);
    }

    /** Parts of one that is being made. */
    public static final class Draft {
        public String id = "";
        public String site = "";
        public Role role = Role.NODE;
        public String intent = "";
        public NodeState nodeState = NodeState.REQUESTED;
        public Cause cause = Cause.NONE;
        public Instant since = Instant.EPOCH;
        public Purchase purchase = Purchase.NOTHING;
        public Place place = Place.NONE;
        public Joined joined = Joined.NONE;
        public Care care = Care.NONE;
        public Profile profile = Profile.PLAIN;
        public Fabric fabric = Fabric.NONE;

        private Draft() {}

        private NodeRecord made() {
            return new NodeRecord(
                    id, site, role, intent, nodeState, cause, since, purchase, place, joined, care, profile, fabric);
        }
    }
}
