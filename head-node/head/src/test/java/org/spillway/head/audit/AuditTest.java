package org.spillway.head.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Billable.Evidence;
import org.spillway.cloud.Instance;
import org.spillway.head.audit.Books.Holder;
import org.spillway.policy.Money;

/** Whose each thing is; and by seeds, that nothing which has an owner is ever called an orphan, nor an orphan owned. */
final class AuditTest {
    private static final Money PRICE = Money.parse("0.10");
    private static final Holder NODE = new Holder("east-3", false, true, "i3", "vm-3", "ada");
    private static final Books BOOKS = new Books(Set.of(NODE), Set.of("i9"), Set.of("gang-7"));

    private static Billable thing(String kind, String id, String instance, Evidence evidence, String... tags) {
        Map<String, String> all = new HashMap<>(Map.of(Instance.TAG_CLUSTER, "demo", Instance.TAG_SITE, "east"));
        for (int i = 0; i < tags.length; i += 2) {
            all.put(tags[i], tags[i + 1]);
        }
        return new Billable(kind, id, PRICE, evidence == Evidence.TAG ? all : Map.of(), instance, evidence);
    }

    private static Billable tagged(String kind, String id, String... tags) {
        return thing(kind, id, "", Evidence.TAG, tags);
    }

    private static Billable ofIntent(String kind, String id, String intent) {
        return tagged(kind, id, Instance.TAG_INTENT, intent);
    }

    private static List<Owned> audit(Books books, Billable... bill) {
        return Audit.of("demo", "east", Set.of("east", "west"), List.of(bill), books);
    }

    private static Owned one(Billable thing) {
        return audit(BOOKS, thing).getFirst();
    }

    @Test
    void anInstanceIsTheNodesThatNamesIt() {
        Owned owned = one(ofIntent("instance", "vm-3", "i3"));
        assertThat(owned.owner()).isEqualTo("node east-3 (ada)");
        assertThat(owned.node()).isEqualTo("east-3");
        assertThat(owned.user()).isEqualTo("ada");
    }

    @Test
    void whatAChildLeavesIsAnOrphanAndWhatALivingOneHasIsItsOwn() {
        Billable left = tagged("disk", "d-1", Instance.TAG_CLUSTER, "demo-c1");
        Books books = new Books(BOOKS.nodes(), BOOKS.open(), BOOKS.groups(), Set.of("demo-c1"));
        assertThat(audit(books, left).getFirst())
                .isEqualTo(Owned.orphan(left, "it is of cluster demo-c1, which is removed"));
        assertThat(one(left).owner()).isEqualTo("cluster demo-c1");
        // A reading that knows it alive is enough.
        assertThat(audit(books.or(BOOKS), left).getFirst().isOrphan()).isFalse();
    }

    @Test
    void whatAnOpenIntentMayHaveMadeIsAwaited() {
        assertThat(one(ofIntent("instance", "vm-9", "i9")).owner()).isEqualTo("intent i9, whose answer is awaited");
        assertThat(one(ofIntent("disk", "d-9", "i9")).isOrphan()).isFalse();
        assertThat(one(thing("disk", "d-9", "vm-9", Evidence.TAG, Instance.TAG_INTENT, "i9"))
                        .isOrphan())
                .isFalse();
    }

    @Test
    void whatGoesWithAnInstanceIsItsOwners() {
        assertThat(one(thing("disk", "d-3", "vm-3", Evidence.TAG)).node()).isEqualTo("east-3");
        assertThat(one(ofIntent("interface", "eni-3", "i3")).node()).isEqualTo("east-3");
        Owned lost = audit(
                        BOOKS,
                        ofIntent("instance", "vm-7", "i7"),
                        thing("disk", "d-7", "vm-7", Evidence.TAG, Instance.TAG_INTENT, "i7"))
                .getLast();
        assertThat(lost.why()).isEqualTo("it goes with instance vm-7, which has no owner");
    }

    @Test
    void whatNobodyKnowsIsAnOrphanAndSaysWhy() {
        assertThat(one(ofIntent("instance", "vm-7", "i7")).why())
                .contains("no live node was launched")
                .contains("i7");
        assertThat(one(ofIntent("instance", "vm-33", "i3")).why()).startsWith("a twin");
        assertThat(one(tagged("instance", "vm-7")).why()).contains("no intent's mark");
        assertThat(one(thing("disk", "d-1", "vm-gone", Evidence.TAG, Instance.TAG_INTENT, "i3"))
                        .why())
                .isEqualTo("its instance vm-gone is gone");
        assertThat(one(tagged("bucket", "b-1")).isOrphan()).isTrue();
        assertThat(one(tagged("disk", "d-1", Instance.TAG_SITE, "north")).why()).contains("site north");
        assertThat(audit(Books.EMPTY, thing("key", "k", "", Evidence.NAME))
                        .getFirst()
                        .isOrphan())
                .isTrue();
        Books alone = new Books(Set.of(NODE), Set.of(), Set.of());
        assertThat(audit(alone, thing("key", "k", "", Evidence.NAME)).getFirst().isOrphan())
                .isFalse();
        assertThat(audit(alone, thing("server-group", "g", "", Evidence.NAME))
                        .getFirst()
                        .isOrphan())
                .isTrue();
        assertThat(one(thing("server-group", "g", "", Evidence.NAME)).owner()).isEqualTo("a gang of the site");
    }

    @Test
    void theNetworkIsTheSites() {
        Billable gateway = tagged("gateway", "nat", Instance.TAG_ROLE, "NETWORK");
        assertThat(one(gateway).owner()).isEqualTo("network of the site");
        assertThat(audit(BOOKS, gateway, thing("key", "spillway-demo-east", "", Evidence.NAME)))
                .extracting(Owned::owner)
                .containsOnly("network of the site");
        assertThat(one(tagged("group", "pg-gang-7")).owner()).isEqualTo("gang gang-7");
    }

    /** Finding C8: an untagged disk with our prefix counted as a part of the network. */
    @Test
    void aDiskWithNothingButANameIsNoPartOfTheNetwork() {
        Billable gateway = tagged("gateway", "nat", Instance.TAG_ROLE, "NETWORK");
        Billable disk = thing("disk", "spillway-demo-east-7-os", "", Evidence.NAME);
        Books alone = new Books(Set.of(NODE), Set.of(), Set.of());
        assertThat(audit(alone, gateway, disk).getFirst().why())
                .isEqualTo("it bears this cluster's name and no intent's");
        Books launching = new Books(Set.of(NODE), Set.of("i9"), Set.of());
        assertThat(audit(launching, gateway, disk).getFirst().owner()).isEqualTo("a launch whose answer is awaited");
    }

    /** Finding C8: what was of a kind that no driver knows was not on the bill. */
    @Test
    void aThingOfAnUnknownKindIsShownAndNobodysToDelete() {
        assertThat(one(tagged(Billable.OTHER, "/subscriptions/s/redis")).verdict())
                .isEqualTo(Owned.Verdict.UNMARKED);
    }

    @Test
    void whatIsNotOursIsNeverAnOrphan() {
        assertThat(one(thing("key", "k", "", Evidence.ACCOUNT)).verdict()).isEqualTo(Owned.Verdict.UNMARKED);
        assertThat(one(tagged("instance", "x", Instance.TAG_CLUSTER, "other")).owner())
                .isEqualTo("cluster other");
        assertThat(audit(BOOKS, tagged("instance", "x", Instance.TAG_SITE, "west")))
                .isEmpty();
    }

    @Test
    void whatAPersonBoughtIsShownAndNobodysToDelete() {
        assertThat(one(tagged("reservation", "cr-1")).verdict()).isEqualTo(Owned.Verdict.UNMARKED);
    }

    @Test
    void aTemplateIsTheLaunchesThatIsUnderWay() {
        assertThat(one(tagged("launch-template", "lt-1")).isOrphan()).isFalse();
        assertThat(audit(Books.EMPTY, tagged("launch-template", "lt-1"))
                        .getFirst()
                        .isOrphan())
                .isTrue();
    }

    @Test
    void whatHasJustEndedStillOwnsWhatGoesWithItAndNoInstance() {
        Books ended = new Books(Set.of(new Holder("east-4", false, false, "i4", "vm-4", "")), Set.of(), Set.of());
        assertThat(audit(ended, thing("disk", "d-4", "vm-4", Evidence.TAG)))
                .singleElement()
                .matches(row -> row.owner().contains("just ended"));
        assertThat(audit(ended, ofIntent("instance", "vm-4", "i4")).getFirst().isOrphan())
                .isTrue();
    }

    @Test
    void whatHoldsOthersGoesLast() {
        assertThat(audit(
                        Books.EMPTY,
                        tagged("network", "n"),
                        tagged("something", "s"),
                        tagged("disk", "d"),
                        tagged("group", "g"),
                        tagged("instance", "i")))
                .extracting(row -> row.thing().kind())
                .containsExactly("instance", "disk", "something", "group", "network");
    }

    static LongStream seeds() {
        return LongStream.range(0, 500);
    }

    /** A world is drawn together with the truth of what it owns; the judge sees tags and books only. */
    @ParameterizedTest
    @MethodSource("seeds")
    void noOwnedThingIsAnOrphanAndNoOrphanIsOwned(long seed) {
        World world = new World(new Random(seed));
        Books before = world.books();
        world.goesOn();
        List<Owned> rows = Audit.of("demo", "east", Set.of("east", "west"), world.bill, before.or(world.books()));
        for (Owned row : rows) {
            assertThat(world.orphans.contains(row.thing().id()))
                    .as("seed %d: %s", seed, row)
                    .isEqualTo(row.isOrphan());
        }
        assertThat(rows).hasSameSizeAs(world.bill);
    }

    /** Intents with nodes, instances and what goes with them; some lost, some awaited, some forgotten. */
    private static final class World {
        final List<Billable> bill = new ArrayList<>();
        final Set<String> orphans = new HashSet<>();
        private final Random random;
        private final Set<Holder> nodes = new HashSet<>();
        private final Set<String> open = new HashSet<>();
        private int number;

        World(Random random) {
            this.random = random;
            for (int i = random.nextInt(12); i >= 0; i--) {
                intent("i" + i);
            }
            if (random.nextBoolean()) {
                bill.add(tagged("gateway", "nat", Instance.TAG_ROLE, "NETWORK"));
                bill.add(thing("key", "k", "", Evidence.NAME));
            }
            bill.add(thing("image", "ami", "", Evidence.ACCOUNT));
            Collections.shuffle(bill, random);
        }

        private void intent(String intent) {
            boolean awaited = random.nextInt(4) == 0;
            boolean forgotten = !awaited && random.nextInt(4) == 0;
            if (awaited) {
                open.add(intent);
            }
            for (int count = 1 + random.nextInt(4); count > 0; count--) {
                String vm = "vm-" + ++number;
                boolean exists = random.nextInt(8) > 0;
                boolean named = !awaited || random.nextBoolean();
                if (!forgotten) {
                    nodes.add(new Holder("east-" + number, false, true, intent, named ? vm : null, ""));
                }
                if (exists) {
                    instance(vm, intent, forgotten);
                }
            }
            if (!awaited && random.nextInt(4) == 0) {
                instance("vm-" + ++number, intent, true);
            }
        }

        private void instance(String vm, String intent, boolean lost) {
            bill.add(ofIntent("instance", vm, intent));
            bill.add(thing("disk", "d-" + vm, vm, Evidence.TAG, Instance.TAG_INTENT, intent));
            if (lost) {
                orphans.add(vm);
                orphans.add("d-" + vm);
            }
            if (random.nextInt(6) == 0) {
                // A disk whose instance is gone: an open intent may still bring it.
                bill.add(thing("disk", "left-" + vm, "gone-" + vm, Evidence.TAG, Instance.TAG_INTENT, intent));
                if (!open.contains(intent)) {
                    orphans.add("left-" + vm);
                }
            }
        }

        Books books() {
            return new Books(nodes, open, Set.of());
        }

        /** After the bill was read: answers come in, and nodes end. What was owned then was owned. */
        void goesOn() {
            open.clear();
            nodes.removeIf(node -> random.nextInt(3) == 0);
        }
    }
}
