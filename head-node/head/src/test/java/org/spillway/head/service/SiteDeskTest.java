package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.OperationOrder.ThingName;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Billable.Evidence;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Network;
import org.spillway.cloud.Site;
import org.spillway.head.audit.Books;
import org.spillway.head.audit.Owned;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Money;

/** Deleting what has no owner: each thing looked at once more, in whatever order things hold one another. */
final class SiteDeskTest {
    private final Account account = new Account();
    private Books books = Books.EMPTY;
    private final List<String> notes = new ArrayList<>();

    private SiteDesk desk() {
        return new SiteDesk("demo", "east", Set.of("east"), account, () -> books, Duration.ZERO);
    }

    private List<Owned> delete(String... ids) throws Exception {
        List<ThingName> names = new ArrayList<>();
        for (String id : ids) {
            names.add(new ThingName(account.bill.get(id).kind(), id));
        }
        return desk().delete(names, progress -> {}, notes::add);
    }

    @Test
    void whatIsHeldByAnotherGoesAfterIt() throws Exception {
        account.add("disk", "d", "");
        account.add("instance", "vm", "");
        account.heldBy.put("d", "vm");
        assertThat(delete("d", "vm")).isEmpty();
        assertThat(account.deleted).containsExactly("vm", "d");
        assertThat(notes).isEmpty();
    }

    @Test
    void whatHasAnOwnerByThenStays() throws Exception {
        account.add("instance", "vm", "i1");
        assertThat(desk().audit().getFirst().isOrphan()).isTrue();
        books = new Books(Set.of(new Books.Holder("east-1", false, true, "i1", "vm", "ada")), Set.of(), Set.of());
        assertThat(delete("vm")).hasSize(1);
        assertThat(account.deleted).isEmpty();
        assertThat(notes).containsExactly("instance vm stays: it belongs to node east-1 (ada)");
    }

    @Test
    void whatIsAdoptedBetweenTwoDeletionsStays() throws Exception {
        account.add("instance", "vm-1", "i1");
        account.add("instance", "vm-2", "i1");
        account.onDelete = () -> books =
                new Books(Set.of(new Books.Holder("east-1", false, true, "i1", "vm-2", "")), Set.of(), Set.of());
        assertThat(delete("vm-1", "vm-2"))
                .singleElement()
                .matches(row -> row.thing().id().equals("vm-2"));
        assertThat(account.deleted).containsExactly("vm-1");
    }

    @Test
    void whatCannotGoIsSaidAndTheRestGoes() throws Exception {
        account.add("disk", "held", "");
        account.add("disk", "free", "");
        account.heldBy.put("held", "held");
        assertThat(delete("held", "free")).singleElement().matches(Owned::isOrphan);
        assertThat(notes)
                .singleElement()
                .asString()
                .contains("disk held could not be deleted")
                .contains("in use");
    }

    @Test
    void whatTheProviderAcceptsAndKeepsIsSaid() throws Exception {
        account.add("instance", "deaf", "");
        account.keeps = true;
        assertThat(delete("deaf")).singleElement().matches(Owned::isOrphan);
        assertThat(notes).singleElement().asString().startsWith("instance deaf is still on the bill");
    }

    @Test
    void goneIsSuccess() throws Exception {
        assertThat(desk().delete(List.of(new ThingName("disk", "d")), progress -> {}, notes::add))
                .isEmpty();
        assertThat(notes).isEmpty();
    }

    @Test
    void aNetworkStaysWhileSomethingLivesThere() throws Exception {
        books = new Books(Set.of(new Books.Holder("east-1", false, true, "i1", null, "")), Set.of(), Set.of());
        assertThatThrownBy(() -> desk().deleteNetwork()).hasMessageContaining("1 nodes live there: east-1");
        books = new Books(Set.of(), Set.of("i2"), Set.of());
        assertThatThrownBy(() -> desk().deleteNetwork()).hasMessageContaining("still awaited (i2)");
        assertThat(account.networkDeleted).isFalse();
        books = new Books(Set.of(new Books.Holder("east-1", false, false, "i1", "vm", "")), Set.of(), Set.of());
        desk().deleteNetwork();
        assertThat(account.networkDeleted).isTrue();
    }

    /** An account in memory. */
    private static final class Account implements Site, Inventory, Network {
        final Map<String, Billable> bill = new LinkedHashMap<>();
        final Map<String, String> heldBy = new LinkedHashMap<>();
        final List<String> deleted = new ArrayList<>();
        Runnable onDelete = () -> {};
        boolean networkDeleted;
        boolean keeps;

        void add(String kind, String id, String intent) {
            Map<String, String> tags = intent.isEmpty()
                    ? Map.of(Instance.TAG_CLUSTER, "demo", Instance.TAG_SITE, "east")
                    : Map.of(Instance.TAG_CLUSTER, "demo", Instance.TAG_SITE, "east", Instance.TAG_INTENT, intent);
            bill.put(id, new Billable(kind, id, Money.ZERO, tags, "", Evidence.TAG));
        }

        @Override
        public List<Billable> all() {
            return List.copyOf(bill.values());
        }

        @Override
        public void delete(Billable thing) throws CloudException {
            if (bill.containsKey(heldBy.getOrDefault(thing.id(), ""))) {
                throw new CloudException(Reason.INVALID, thing.id() + " is in use");
            }
            if (!keeps) {
                bill.remove(thing.id());
            }
            deleted.add(thing.id());
            onDelete.run();
        }

        @Override
        public Optional<Inventory> inventory() {
            return Optional.of(this);
        }

        @Override
        public Optional<Network> network() {
            return Optional.of(this);
        }

        @Override
        public List<Billable> create() {
            return List.of();
        }

        @Override
        public void delete() {
            networkDeleted = true;
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
