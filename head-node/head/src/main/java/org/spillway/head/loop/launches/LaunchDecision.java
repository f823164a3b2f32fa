package org.spillway.head.loop.launches;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.IntentRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.policy.Fabric;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/**
 * The entries of a purchase: the intent, then its nodes. Pure.
 *
 * @param number of the journal's counter: names intent and nodes
 * @param image the provider's id; empty for its default
 * @param owner who asked for it
 * @param committedFor for so long its price is reserved
 */
public record LaunchDecision(
        long number,
        String site,
        Offering offering,
        int count,
        NodeRecord.Role role,
        String image,
        String owner,
        Duration committedFor,
        Cause why,
        Instant now) {

    public String intent() {
        return "i" + number;
    }

    /** The nodes' ids, in order. */
    public List<String> nodes() {
        String stem = site + (role == NodeRecord.Role.DIRECTOR ? "-director-" : "-") + number;
        return count == 1
                ? List.of(stem)
                : IntStream.range(0, count).mapToObj(i -> stem + "-" + i).toList();
    }

    /**
     * @param userData with placeholders for secrets
     * @param state tag of the start of a head; empty where nobody keeps the past
     */
    public LaunchRequest request(String userData, Where where, String state) {
        Map<String, String> tags = new HashMap<>(Map.of(Instance.TAG_ROLE, role.name(), Instance.TAG_OWNER, owner));
        if (!state.isEmpty()) {
            tags.put(Instance.TAG_STATE, state);
        }
        return new LaunchRequest(
                intent(),
                1,
                offering.id(),
                count,
                image,
                userData,
                tags,
                where.alternatives(),
                new LaunchRequest.Placement(where.fabricGroup(), ""));
    }

    /**
     * Where it may be had.
     *
     * @param fabricGroup of the gang that it is for; empty for none
     * @param alternatives to its offering, best first
     * @param dearest price of an hour among them; zero for none
     */
    public record Where(String fabricGroup, List<OfferingId> alternatives, Money dearest) {
        static final Where AS_DECIDED = of("", List.of());

        public Where {
            alternatives = List.copyOf(alternatives);
        }

        /** @param behind what is bought instead, best first */
        public static Where of(String fabricGroup, List<Offering> behind) {
            return new Where(
                    fabricGroup,
                    behind.stream().map(Offering::id).toList(),
                    behind.stream()
                            .map(Offering::pricePerHour)
                            .max(Comparator.naturalOrder())
                            .orElse(Money.ZERO));
        }
    }

    /** Decided, and not called yet. */
    List<Entry> planned(String userData, Launches.Terms terms, String state) {
        List<Entry> batch = new ArrayList<>();
        batch.add(new IntentRecord(
                new Intent(request(userData, terms.where(), state), Intent.State.PLANNED, null, List.of(), now), why));
        for (String id : nodes()) {
            batch.add(
                    node(id, NodeState.REQUESTED, terms.profile(), terms.where().dearest())
                            .on(new Fabric(
                                    Fabric.named(offering.features()),
                                    terms.where().fabricGroup()))
                            .heldBy(terms.holders(), now));
        }
        return batch;
    }

    /** As a head leaves it that was killed while it called. @param state tag of its start */
    public List<Entry> called(String userData, String state) {
        List<Entry> batch = new ArrayList<>();
        batch.add(new IntentRecord(
                new Intent(request(userData, Where.AS_DECIDED, state), Intent.State.CALLED, now, List.of(), now), why));
        nodes().forEach(id -> batch.add(node(id, NodeState.LAUNCHING, NodeRecord.Profile.PLAIN, Money.ZERO)));
        return batch;
    }

    /** @param dearest price that it may have; until it is known what it is, the budget keeps that */
    private NodeRecord node(String id, NodeState state, NodeRecord.Profile profile, Money dearest) {
        return NodeRecord.of(draft -> {
                    draft.id = id;
                    draft.site = site;
                    draft.role = role;
                    draft.intent = intent();
                    draft.nodeState = state;
                    draft.cause = why;
                    draft.since = now;
                    draft.purchase = Purchase.of(bought -> {
                        bought.sold(offering);
                        if (dearest.isMoreThan(bought.pricePerHour)) {
                            bought.pricePerHour = dearest;
                        }
                        bought.from = now;
                        bought.committedFor = committedFor;
                    });
                })
                .as(profile);
    }
}
