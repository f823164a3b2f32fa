package org.spillway.head.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.ForwardingSite;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Site;

/** A site with what its children have there on the same bill: it is this head that pays for them. */
public final class FamilyBill extends ForwardingSite {
    private final Supplier<Map<String, Site>> children;

    /** @param children the same account under each child's id; asked at each reading */
    public FamilyBill(Site site, Supplier<Map<String, Site>> children) {
        super(site);
        this.children = children;
    }

    @Override
    public Optional<Inventory> inventory() {
        return super.inventory().map(own -> new Inventory() {
            @Override
            public List<Billable> all() throws CloudException {
                return together(own);
            }

            @Override
            public void delete(Billable thing) throws CloudException {
                String marked = thing.tags().getOrDefault(Instance.TAG_CLUSTER, "");
                Optional<Inventory> childs =
                        Optional.ofNullable(children.get().get(marked)).flatMap(Site::inventory);
                childs.orElse(own).delete(thing);
            }
        });
    }

    private List<Billable> together(Inventory own) throws CloudException {
        List<Billable> all = new ArrayList<>();
        Set<String> childrens = new HashSet<>();
        for (Map.Entry<String, Site> child : children.get().entrySet()) {
            Optional<Inventory> inventory = child.getValue().inventory();
            if (inventory.isEmpty()) {
                continue;
            }
            for (Billable thing : inventory.get().all()) {
                // A thing that cannot be tagged is on each bill of the account.
                if (thing.evidence() != Billable.Evidence.ACCOUNT) {
                    all.add(marked(thing, child.getKey()));
                    childrens.add(thing.kind() + ' ' + thing.id());
                }
            }
        }
        own.all().stream()
                .filter(thing -> !childrens.contains(thing.kind() + ' ' + thing.id()))
                .forEach(all::add);
        return all;
    }

    /** A thing that is known by its name alone bears no tag. */
    private static Billable marked(Billable thing, String child) {
        Map<String, String> tags = new HashMap<>(thing.tags());
        tags.putIfAbsent(Instance.TAG_CLUSTER, child);
        return new Billable(thing.kind(), thing.id(), thing.pricePerHour(), tags, thing.instance(), thing.evidence());
    }
}
