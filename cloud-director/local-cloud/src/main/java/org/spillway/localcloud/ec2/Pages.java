package org.spillway.localcloud.ec2;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Traits of all Describe calls: ids, filters, pages. */
final class Pages {
    private static final int MOST = 1000;

    private Pages() {}

    /**
     * @param ids the name of the call's list of ids
     * @param idFact the fact that they name; empty for the thing's id
     * @param notFound the code for an id that there is not
     */
    record Kind(String set, String ids, String idFact, String notFound, Set<String> filters) {
        Kind {
            filters = Set.copyOf(filters);
        }

        private String nameOf(Thing thing) {
            return idFact.isEmpty() ? thing.id() : thing.fact(idFact);
        }
    }

    static void write(Query query, Xml out, Kind kind, Collection<Thing> all, Xml.Item<Thing> item) throws Ec2Error {
        List<String> wanted = query.list(kind.ids());
        Filters filters = Filters.of(query, kind.filters());
        List<Thing> found = new ArrayList<>(all);
        for (String id : wanted) {
            if (all.stream().noneMatch(thing -> kind.nameOf(thing).equals(id))) {
                throw new Ec2Error(kind.notFound(), "The ID '" + id + "' does not exist");
            }
        }
        String after = Instances.after(query.get("NextToken"));
        found.removeIf(thing -> thing.id().compareTo(after) <= 0
                || (!wanted.isEmpty() && !wanted.contains(kind.nameOf(thing)))
                || !filters.match(thing));
        found.sort(Comparator.comparing(Thing::id));
        int limit = query.whole("MaxResults", MOST, 5, MOST);
        List<Thing> page = found.subList(0, Math.min(limit, found.size()));
        out.items(kind.set(), page, item);
        if (page.size() < found.size()) {
            out.leaf("nextToken", Instances.token(page.getLast().id()));
        }
    }
}
