package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.OperationOrder.ThingName;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Billable.Evidence;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Site;
import org.spillway.head.audit.Books;
import org.spillway.head.audit.Owned;
import org.spillway.policy.Money;

/** Things that children have left are on their parent's bill, and go by the child's own name. */
final class FamilyBillTest {
    private static final Billable KEY = new Billable("key", "k-1", Money.ZERO, Map.of(), "", Evidence.NAME);
    private static final Billable BUCKET = new Billable("bucket", "b-1", Money.ZERO, Map.of(), "", Evidence.ACCOUNT);

    private final Account own = new Account(BUCKET);
    private final Account left = new Account(disk("demo-c1"), KEY, BUCKET);
    private final Account living = new Account(disk("demo-c2"), BUCKET);
    private final SiteDesk desk = new SiteDesk(
            "demo",
            "east",
            Set.of("east"),
            new FamilyBill(own, () -> Map.of("demo-c1", left, "demo-c2", living)),
            () -> new Books(Set.of(), Set.of(), Set.of(), Set.of("demo-c1")),
            Duration.ZERO);

    private static Billable disk(String cluster) {
        return Billable.tagged(
                "disk",
                "d-" + cluster,
                Money.parse("0.01"),
                Map.of(Instance.TAG_CLUSTER, cluster, Instance.TAG_SITE, "east"));
    }

    @Test
    void eachThingIsThereOnceWithItsOwner() throws Exception {
        assertThat(desk.audit())
                .extracting(row -> row.thing().id() + " " + row.verdict() + " " + row.owner() + row.why())
                .containsExactly(
                        "d-demo-c1 ORPHAN it is of cluster demo-c1, which is removed",
                        "d-demo-c2 OWNED cluster demo-c2",
                        "k-1 ORPHAN it is of cluster demo-c1, which is removed",
                        "b-1 UNMARKED cannot be tagged: found by listing the account");
    }

    @Test
    void whatIsLeftIsDeletedInTheChildsName() throws Exception {
        List<Owned> after = desk.delete(
                List.of(
                        new ThingName("disk", "d-demo-c1"),
                        new ThingName("key", "k-1"),
                        new ThingName("disk", "d-demo-c2")),
                progress -> {},
                notes -> {});
        assertThat(left.bill).containsExactly(BUCKET);
        assertThat(living.bill).hasSize(2);
        assertThat(after).extracting(row -> row.thing().id()).containsExactly("d-demo-c2", "b-1");
    }

    private static final class Account implements Site, Inventory {
        final List<Billable> bill;

        Account(Billable... things) {
            this.bill = new ArrayList<>(Arrays.asList(things));
        }

        @Override
        public List<Billable> all() {
            return List.copyOf(bill);
        }

        @Override
        public void delete(Billable thing) {
            bill.removeIf(one -> one.kind().equals(thing.kind()) && one.id().equals(thing.id()));
        }

        @Override
        public Optional<Inventory> inventory() {
            return Optional.of(this);
        }

        @Override
        public Compute compute() {
            throw new AssertionError("not asked");
        }

        @Override
        public Diagnostics diagnostics() {
            throw new AssertionError("not asked");
        }

        @Override
        public void close() {}
    }
}
