package org.spillway.head.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.spillway.api.OperationOrder.ThingName;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Network;
import org.spillway.cloud.Site;
import org.spillway.head.audit.Audit;
import org.spillway.head.audit.Books;
import org.spillway.head.audit.Owned;
import org.spillway.head.audit.Owned.Verdict;

/**
 * A site's account: its bill, what has no owner, and its network. Calls block for as long as the provider does. The same
 * with a head, whose journal says who owns what, and without one.
 */
public final class SiteDesk {
    /** A thing may be held by another that goes in the same round, or that takes its time to go. */
    private static final int MOST_ROUNDS = 20;

    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(5);

    private final String cluster;
    private final String name;
    private final Set<String> sites;
    private final Site site;
    private final Supplier<Books> books;
    private final Duration pause;

    /**
     * @param sites all that the configuration names
     * @param books read anew at each call
     */
    public SiteDesk(String cluster, String name, Set<String> sites, Site site, Supplier<Books> books) {
        this(cluster, name, sites, site, books, BETWEEN_ROUNDS);
    }

    /** @param pause between two rounds of deletion when the first brought nothing */
    SiteDesk(String cluster, String name, Set<String> sites, Site site, Supplier<Books> books, Duration pause) {
        this.cluster = cluster;
        this.name = name;
        this.sites = Set.copyOf(sites);
        this.site = site;
        this.books = books;
        this.pause = pause;
    }

    /** The request cannot be done here at all. */
    public static final class Unable extends Exception {
        private static final long serialVersionUID = 1;

        Unable(String message) {
            super(message);
        }
    }

    /** @throws Unable if the driver cannot tell its bill */
    public List<Owned> audit() throws CloudException, Unable {
        return audit(inventory());
    }

    /** As {@link #audit()}; empty where the driver cannot tell its bill. */
    public List<Owned> auditIfItCan() throws CloudException {
        return site.inventory().isPresent() ? audit(site.inventory().get()) : List.of();
    }

    /** The books are read before and after, so that what is launched or ended meanwhile has its owner. */
    private List<Owned> audit(Inventory inventory) throws CloudException {
        Books before = books.get();
        List<Billable> bill = inventory.all();
        return Audit.of(cluster, name, sites, bill, before.or(books.get()));
    }

    private Inventory inventory() throws Unable {
        return site.inventory().orElseThrow(() -> new Unable("the driver of site " + name + " cannot tell its bill"));
    }

    /**
     * Deletes things that have no owner, each after the bill was read once more. What has an owner by then stays, what is
     * gone is success.
     *
     * @param named what an administrator has seen and named, unmarked things too
     * @param notes told what could not be deleted, and what was left on purpose
     * @return the bill afterwards
     */
    public List<Owned> delete(Collection<ThingName> named, Consumer<String> progress, Consumer<String> notes)
            throws CloudException, Unable, InterruptedException {
        Inventory inventory = inventory();
        Set<ThingName> left = new LinkedHashSet<>(named);
        List<String> refused = new ArrayList<>();
        for (int round = 0; round < MOST_ROUNDS && !left.isEmpty(); round++) {
            int before = left.size();
            refused.clear();
            for (ThingName wanted : List.copyOf(left)) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (isDone(inventory, wanted, refused, notes)) {
                    left.remove(wanted);
                }
                progress.accept((named.size() - left.size()) + " of " + named.size() + " deleted");
            }
            if (left.size() == before) {
                Thread.sleep(pause);
            }
        }
        refused.forEach(notes);
        List<Owned> after = audit(inventory);
        after.stream()
                .filter(row ->
                        row.verdict() != Verdict.OWNED && named.contains(nameOf(row)) && !left.contains(nameOf(row)))
                .forEach(
                        row -> notes.accept(
                                row.thing().kind() + " " + row.thing().id()
                                        + " is still on the bill, although the provider has accepted its deletion: look again in a minute"));
        return after;
    }

    private static ThingName nameOf(Owned row) {
        return new ThingName(row.thing().kind(), row.thing().id());
    }

    private boolean isDone(Inventory inventory, ThingName wanted, List<String> refused, Consumer<String> notes)
            throws CloudException {
        Optional<Owned> now = audit(inventory).stream()
                .filter(row -> nameOf(row).equals(wanted))
                .findFirst();
        if (now.isEmpty()) {
            return true;
        }
        if (now.get().verdict() == Verdict.OWNED) {
            notes.accept(wanted.kind() + " " + wanted.id() + " stays: it belongs to "
                    + now.get().owner());
            return true;
        }
        try {
            inventory.delete(now.get().thing());
            return true;
        } catch (CloudException failure) {
            refused.add(wanted.kind() + " " + wanted.id() + " could not be deleted: " + failure.getMessage());
            return false;
        }
    }

    private Network network() throws Unable {
        return site.network()
                .orElseThrow(() -> new Unable("the driver of site " + name
                        + " makes no network: none is needed, or give" + " it the ids of one in the site's options"));
    }

    /** Whether there is a network to make or to remove. @throws Unable if the driver has none */
    public void needNetwork() throws Unable {
        network();
    }

    /** @return what exists now for the site */
    public List<Owned> createNetwork() throws CloudException, Unable {
        return network().create().stream()
                .map(thing -> new Owned(thing, Verdict.OWNED, "network of the site", "", "", ""))
                .toList();
    }

    /**
     * Why its network cannot be removed now; empty when it can. A head looks on the loop's thread, with nothing bought
     * from then on.
     */
    public static Optional<String> occupied(Books books) {
        List<String> live = books.nodes().stream()
                .filter(Books.Holder::live)
                .map(Books.Holder::node)
                .sorted()
                .toList();
        if (live.isEmpty() && books.open().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                live.isEmpty()
                        ? "the answer of a launch is still awaited (" + String.join(", ", books.open()) + ")"
                        : live.size() + " nodes live there: "
                                + String.join(", ", live.subList(0, Math.min(5, live.size())))
                                + (live.size() > 5 ? ", ..." : ""));
    }

    /** @throws Unable if the driver has no network, or something lives there */
    public void deleteNetwork() throws CloudException, Unable {
        Optional<String> occupied = occupied(books.get());
        if (occupied.isPresent()) {
            throw new Unable(occupied.get());
        }
        network().delete();
    }
}
