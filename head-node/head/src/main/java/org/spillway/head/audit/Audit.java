package org.spillway.head.audit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.cloud.Billable;
import org.spillway.cloud.Billable.Evidence;
import org.spillway.cloud.Instance;
import org.spillway.head.audit.Books.Holder;

/**
 * Judges a site's bill by its books. In doubt a thing is owned: what an open intent may have made, what goes with an
 * instance that is owned, and what another site or cluster has marked. What is left was bought by us and forgotten.
 */
public final class Audit {
    static final String INSTANCE = "instance";
    private static final String NETWORK = "NETWORK";
    private static final String GROUP = "group";
    private static final String TEMPLATE = "launch-template";
    /** Spillway makes none: a person has bought it, and marked it to see it on the bill. */
    private static final String RESERVATION = "reservation";
    /** Things that a gang stands in, in the providers' words. */
    private static final Set<String> FABRIC = Set.of("server-group", "placement-group", "placement", "scale-set");

    /** Parts of a network that may have nothing but a name; a disk that has nothing else was forgotten. */
    private static final Set<String> NETWORKED = Set.of(
            "key", "address", "gateway", "internet-gateway", "router", "route-table", "subnet", GROUP, "network");

    /** Deleting in this order, nothing is held by something that goes later. */
    private static final List<String> KINDS = List.of(
            INSTANCE,
            "image",
            "snapshot",
            "disk",
            "interface",
            "address",
            "key",
            "gateway",
            "bucket",
            "group",
            "network");

    private final String cluster;
    private final String site;
    private final Set<String> sites;
    private final Books books;
    private final Map<String, Billable> instances = new HashMap<>();
    private final Map<String, Holder> byInstance = new HashMap<>();
    private final Map<String, List<Holder>> byIntent = new HashMap<>();
    private boolean hasNetwork;

    private Audit(String cluster, String site, Set<String> sites, Books books) {
        this.cluster = cluster;
        this.site = site;
        this.sites = sites;
        this.books = books;
        for (Holder holder : books.nodes()) {
            byIntent.computeIfAbsent(holder.intent(), intent -> new ArrayList<>())
                    .add(holder);
            if (holder.instance() != null) {
                // Of two readings of one node the live one speaks.
                byInstance.merge(holder.instance(), holder, (one, other) -> one.live() ? one : other);
            }
        }
    }

    /**
     * @param sites all that the configuration names
     * @return one for each thing of this site, in the order in which they could be deleted; what bears another
     *     configured site's mark is left to that site's audit
     */
    public static List<Owned> of(
            String cluster, String site, Set<String> sites, Collection<Billable> bill, Books books) {
        Audit audit = new Audit(cluster, site, sites, books);
        for (Billable thing : bill) {
            if (thing.kind().equals(INSTANCE)) {
                audit.instances.put(thing.id(), thing);
            }
            audit.hasNetwork |= thing.evidence() != Evidence.ACCOUNT && audit.isOfTheNetwork(thing);
        }
        List<Owned> rows = new ArrayList<>();
        bill.stream()
                .filter(thing -> !audit.isAnotherSites(thing))
                .sorted(Comparator.comparingInt((Billable thing) -> rank(thing.kind()))
                        .thenComparing(Billable::kind)
                        .thenComparing(Billable::id))
                .forEach(thing -> rows.add(audit.judge(thing)));
        return rows;
    }

    private static int rank(String kind) {
        int known = KINDS.indexOf(kind);
        // An unknown kind goes after what may use it, and before what may hold it.
        return known < 0 ? KINDS.indexOf("gateway") : known;
    }

    private static String tag(Billable thing, String name) {
        return thing.tags().getOrDefault(name, "");
    }

    private boolean isAnotherSites(Billable thing) {
        String marked = tag(thing, Instance.TAG_SITE);
        return !marked.isEmpty() && !marked.equals(site) && sites.contains(marked);
    }

    private boolean isOfTheNetwork(Billable thing) {
        return tag(thing, Instance.TAG_ROLE).equals(NETWORK)
                && tag(thing, Instance.TAG_SITE).equals(site)
                && Set.of("", cluster).contains(tag(thing, Instance.TAG_CLUSTER));
    }

    private Owned judge(Billable thing) {
        String marked = tag(thing, Instance.TAG_CLUSTER);
        if (!marked.isEmpty() && !marked.equals(cluster)) {
            return books.removed().contains(marked)
                    ? Owned.orphan(thing, "it is of cluster " + marked + ", which is removed")
                    : Owned.by(thing, "cluster " + marked);
        }
        if (thing.evidence() == Evidence.ACCOUNT) {
            return Owned.unmarked(thing, "cannot be tagged: found by listing the account");
        }
        if (isOfTheNetwork(thing)) {
            return Owned.by(thing, "network of the site");
        }
        if (thing.kind().equals(RESERVATION)) {
            return Owned.unmarked(thing, "bought by a person: Spillway makes none");
        }
        if (thing.kind().equals(Billable.OTHER)) {
            return Owned.unmarked(thing, "of a kind that Spillway does not make");
        }
        if (thing.kind().equals(INSTANCE)) {
            return instance(thing);
        }
        return Optional.of(thing.instance())
                .filter(id -> !id.isEmpty())
                .map(id -> withInstance(thing, id))
                .orElseGet(() -> alone(thing));
    }

    private Owned instance(Billable thing) {
        Optional<Holder> named = Optional.ofNullable(byInstance.get(thing.id())).filter(Holder::live);
        if (named.isPresent()) {
            return Owned.by(thing, named.get());
        }
        String intent = tag(thing, Instance.TAG_INTENT);
        if (books.open().contains(intent)) {
            return awaited(thing, intent);
        }
        List<Holder> others = under(intent).stream().filter(Holder::live).toList();
        if (others.stream().anyMatch(node -> node.instance() == null)) {
            return Owned.by(thing, others.getFirst());
        }
        return Owned.orphan(thing, intent.isEmpty() ? "it bears no intent's mark" : twinOrForgotten(intent, others));
    }

    private static String twinOrForgotten(String intent, List<Holder> others) {
        if (intent.startsWith(Instance.PROBE_INTENT)) {
            return "launched by doctor --launch " + intent + ", which has not ended it";
        }
        return others.isEmpty()
                ? "no live node was launched under its intent " + intent
                : "a twin: every node of its intent " + intent + " has another instance";
    }

    /** Goes with an instance: its owner is that instance's. */
    private Owned withInstance(Billable thing, String id) {
        Optional<Holder> holder = Optional.ofNullable(byInstance.get(id));
        if (holder.isPresent()) {
            return Owned.by(thing, holder.get());
        }
        Billable itself = instances.get(id);
        if (itself != null) {
            Owned judged = instance(itself);
            return judged.isOrphan()
                    ? Owned.orphan(thing, "it goes with instance " + id + ", which has no owner")
                    : new Owned(thing, judged.verdict(), judged.owner(), judged.node(), judged.user(), "");
        }
        String intent = tag(thing, Instance.TAG_INTENT);
        return books.open().contains(intent)
                ? awaited(thing, intent)
                : Owned.orphan(thing, "its instance " + id + " is gone");
    }

    /** Bears a mark of its own or only a name. */
    private Owned alone(Billable thing) {
        String intent = tag(thing, Instance.TAG_INTENT);
        if (books.open().contains(intent)) {
            return awaited(thing, intent);
        }
        List<Holder> under = intent.isEmpty() ? List.of() : under(intent);
        if (under.size() == 1) {
            return Owned.by(thing, under.getFirst());
        } else if (!under.isEmpty()) {
            return Owned.by(thing, under.size() + " nodes of intent " + intent);
        }
        Optional<String> gang = gang(thing);
        if (gang.isPresent()) {
            return Owned.by(thing, gang.get());
        }
        if (thing.kind().equals(TEMPLATE) && intent.isEmpty() && !books.open().isEmpty()) {
            return Owned.by(thing, "a launch whose answer is awaited");
        }
        String marked = tag(thing, Instance.TAG_SITE);
        if (!marked.isEmpty() && !marked.equals(site)) {
            return Owned.orphan(thing, "it is of site " + marked + ", which the configuration does not name");
        }
        if (intent.isEmpty() && thing.evidence() == Evidence.NAME) {
            if (NETWORKED.contains(thing.kind()) && (hasNetwork || isInUse())) {
                return Owned.by(thing, "network of the site");
            }
            if (!isFabric(thing) && !NETWORKED.contains(thing.kind()) && isAwaited()) {
                return Owned.by(thing, "a launch whose answer is awaited");
            }
        }
        return Owned.orphan(
                thing,
                intent.isEmpty()
                        ? "it bears this cluster's " + (thing.evidence() == Evidence.NAME ? "name" : "mark")
                                + " and no intent's"
                        : "no live node was launched under its intent " + intent);
    }

    /** A fabric group is a gang's. Where its name cannot be seen, it may be that of any gang which lives. */
    private Optional<String> gang(Billable thing) {
        Optional<String> named = books.groups().stream()
                .filter(name -> thing.id().contains(name) || thing.tags().containsValue(name))
                .findFirst();
        if (named.isPresent()) {
            return Optional.of("gang " + named.get());
        }
        return (isFabric(thing) || thing.kind().equals(GROUP))
                        && !books.groups().isEmpty()
                ? Optional.of("a gang of the site")
                : Optional.empty();
    }

    private static boolean isFabric(Billable thing) {
        return FABRIC.contains(thing.kind());
    }

    /** A thing that only has a name, such as a key, may be in use by whatever lives there. */
    private boolean isInUse() {
        return !books.open().isEmpty() || books.nodes().stream().anyMatch(Holder::live);
    }

    /** A launch that is under way may have made things whose machine is not listed yet. */
    private boolean isAwaited() {
        return !books.open().isEmpty()
                || books.nodes().stream().anyMatch(node -> node.live() && node.instance() == null);
    }

    private static Owned awaited(Billable thing, String intent) {
        return Owned.by(thing, "intent " + intent + ", whose answer is awaited");
    }

    private List<Holder> under(String intent) {
        return byIntent.getOrDefault(intent, List.of());
    }
}
