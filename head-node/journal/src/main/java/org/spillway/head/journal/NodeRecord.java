package org.spillway.head.journal;

import com.fasterxml.jackson.annotation.JsonAlias;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Fabric;
import org.spillway.policy.Market;
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
    /** A node that serves many in turn must not grow without bound. */
    static final int MOST_STRETCHES = 32;

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
     * The node's purchase, and for how long its price counts.
     *
     * @param from when its price may have begun to run; null while nothing was asked of a provider
     * @param to when it was known to be gone; null before
     * @param committedFor how long, from {@code from}, its price is reserved in the budget
     * @param stretches for whom it was there, the earliest first; none for nobody in particular, and in what earlier
     *     releases have journalled
     * @param takenBack its provider ended it while it served, and the head had not asked for that
     * @param stops when it was stopped and cost less, oldest first; the last one's end is null while it is. What it was
     *     stopped for at a price that nobody knows is not among them, and counts in full
     */
    public record Purchase(
            OfferingId offering,
            Resources resources,
            Money pricePerHour,
            @Nullable Instant from,
            @Nullable Instant to,
            Duration committedFor,
            List<Stretch> stretches,
            boolean takenBack,
            List<Stop> stops) {
        /** More are forgotten, the oldest first, and then count in full. */
        private static final int MOST_STOPS = 100;

        static final Purchase NOTHING = new Purchase(
                new OfferingId("", "", "", Market.ON_DEMAND), Resources.NONE, Money.ZERO, null, null, Duration.ZERO);

        /** For nobody in particular, and never stopped. */
        public Purchase(
                OfferingId offering,
                Resources resources,
                Money pricePerHour,
                @Nullable Instant from,
                @Nullable Instant to,
                Duration committedFor) {
            this(offering, resources, pricePerHour, from, to, committedFor, List.of(), false, List.of());
        }

        public Purchase {
            stretches = stretches == null ? List.of() : List.copyOf(stretches);
            // Absent in what earlier releases have journalled.
            stops = stops == null
                    ? List.of()
                    : List.copyOf(stops.subList(Math.max(0, stops.size() - MOST_STOPS), stops.size()));
        }
    }

    /**
     * A time in which it was stopped.
     *
     * @param pricePerHour of what it keeps meanwhile, such as its disk
     * @param until when it was started again; null before
     */
    public record Stop(
            Money pricePerHour, Instant from, @Nullable Instant until) {}

    /**
     * For whom a node is there: those it was bought for, then those whose jobs it has or had last.
     *
     * @param from when that began; it lasts until the next stretch, the last one until the node's end
     */
    public record Stretch(Instant from, Holders holders) {}

    /** Queues, users and accounts of jobs. */
    public record Holders(Set<String> queues, Set<String> users, Set<String> accounts) {
        public static final Holders NOBODY = new Holders(Set.of(), Set.of(), Set.of());

        public Holders {
            queues = Set.copyOf(queues);
            users = Set.copyOf(users);
            accounts = Set.copyOf(accounts);
        }

        /** Of those jobs; a job without an account has none. */
        public static Holders of(Collection<JobRecord> jobs) {
            Set<String> queues = new HashSet<>();
            Set<String> users = new HashSet<>();
            Set<String> accounts = new HashSet<>();
            for (JobRecord job : jobs) {
                queues.add(job.spec().queue());
                users.add(job.spec().user());
                accounts.add(job.spec().terms().account());
            }
            accounts.remove("");
            return new Holders(queues, users, accounts);
        }

        Holders and(Holders others) {
            return new Holders(both(queues, others.queues), both(users, others.users), both(accounts, others.accounts));
        }

        private static Set<String> both(Set<String> some, Set<String> others) {
            Set<String> all = new HashSet<>(some);
            all.addAll(others);
            return all;
        }
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
     */
    public record Joined(String request, String certificate) {
        public static final Joined NONE = new Joined("", "");
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
        boolean ends = next.isTerminal() && purchase.from != null && purchase.to == null;
        return with(draft -> {
            draft.nodeState = next;
            draft.cause = why;
            draft.since = next == nodeState ? since : now;
            draft.purchase = ends ? priced(purchase.from, now, purchase.committedFor) : purchase;
        });
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
        return bought(priced(from, purchase.to, purchase.committedFor));
    }

    public NodeRecord withCommittedFor(Duration longer) {
        return bought(priced(purchase.from, purchase.to, longer));
    }

    /** From now on it costs that much, until it is started. */
    public NodeRecord stoppedAt(Money stoppedPricePerHour, Instant now) {
        List<Stop> stops = new ArrayList<>(purchase.stops);
        stops.add(new Stop(stoppedPricePerHour, now, null));
        return bought(held(purchase.stretches, purchase.takenBack, stops));
    }

    /** The node costs its full price again. */
    public NodeRecord startedAt(Instant now) {
        List<Stop> stops = purchase.stops.stream()
                .map(stop -> stop.until() == null ? new Stop(stop.pricePerHour(), stop.from(), now) : stop)
                .toList();
        return bought(held(purchase.stretches, purchase.takenBack, stops));
    }

    private NodeRecord bought(Purchase next) {
        return with(draft -> draft.purchase = next);
    }

    private Purchase held(List<Stretch> stretches, boolean takenBack, List<Stop> stops) {
        return new Purchase(
                purchase.offering,
                purchase.resources,
                purchase.pricePerHour,
                purchase.from,
                purchase.to,
                purchase.committedFor,
                stretches,
                takenBack,
                stops);
    }

    public NodeRecord withInstance(String instance, String address, int sshPort, String inside) {
        return with(draft -> draft.place = new Place(instance, address, sshPort, inside));
    }

    /** The instance became another offering than was asked for. */
    public NodeRecord withOffering(Offering offering) {
        Purchase became = new Purchase(
                offering.id(),
                offering.resources(),
                offering.pricePerHour(),
                purchase.from,
                purchase.to,
                purchase.committedFor,
                purchase.stretches,
                purchase.takenBack,
                purchase.stops);
        return bought(became).on(new Fabric(Fabric.named(offering.features()), fabric.group()));
    }

    /** From now on it is there for these. */
    public NodeRecord heldBy(Holders holders, Instant now) {
        if (holders.equals(heldNow())) {
            return this;
        }
        List<Stretch> stretches = new ArrayList<>(purchase.stretches);
        stretches.add(new Stretch(now, holders));
        if (stretches.size() > MOST_STRETCHES) {
            // Nobody's part becomes smaller: those two count for all who were in either.
            Stretch first = stretches.removeFirst();
            stretches.set(0, new Stretch(first.from, first.holders.and(stretches.getFirst().holders)));
        }
        return bought(held(stretches, purchase.takenBack, purchase.stops));
    }

    /** The node's provider has ended it. */
    public NodeRecord takenBack() {
        return bought(held(purchase.stretches, true, purchase.stops));
    }

    public boolean wasTakenBack() {
        return purchase.takenBack;
    }

    /** For whom it is there now. */
    public Holders heldNow() {
        return purchase.stretches.isEmpty() ? Holders.NOBODY : purchase.stretches.getLast().holders;
    }

    public List<Stretch> stretches() {
        return purchase.stretches;
    }

    public NodeRecord withJoin(String request, String certificate) {
        return with(draft -> draft.joined = new Joined(request, certificate));
    }

    public NodeRecord withCare(Care newCare) {
        return with(draft -> draft.care = newCare);
    }

    private Purchase priced(@Nullable Instant from, @Nullable Instant to, Duration committedFor) {
        return new Purchase(
                purchase.offering,
                purchase.resources,
                purchase.pricePerHour,
                from,
                to,
                committedFor,
                purchase.stretches,
                purchase.takenBack,
                purchase.stops);
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
