package org.spillway.head.loop.settings;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Cap;
import org.spillway.head.rollout.DriftTerms;
import org.spillway.head.rollout.Terms;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Offering;

/**
 * The profiles that nodes can take, as the configuration says.
 *
 * @param categories by name; a queue that none of them serves has nodes without a category
 * @param overlays names of all that there are
 * @param rest how long a node idles before it is made another
 */
public record Roles(Map<String, Category> categories, Set<String> overlays, Duration rest) {
    public static final Roles NONE = new Roles(Map.of(), Set.of(), Duration.ZERO);

    public Roles {
        categories = Map.copyOf(categories);
        overlays = Set.copyOf(overlays);
    }

    /**
     * @param queues whose jobs run on its nodes and on no others
     * @param types instance types, each a name or its beginning and {@code *}; none for all
     * @param overlays that its nodes have from the beginning
     * @param change how long it takes to make an idle node one of it
     * @param rollout how another version of its root file system comes to its nodes; empty where it names none
     * @param drift how its nodes look at the version that they have; empty where it names none
     */
    public record Category(
            Set<String> queues,
            List<String> types,
            List<String> overlays,
            Duration change,
            Optional<Terms> rollout,
            Optional<DriftTerms> drift) {
        public Category {
            queues = Set.copyOf(queues);
            types = List.copyOf(types);
            overlays = List.copyOf(overlays);
        }

        public boolean allows(String instanceType) {
            return Cap.isAmong(types, instanceType);
        }
    }

    public boolean none() {
        return categories.isEmpty() && overlays.isEmpty();
    }

    /** The category whose nodes run a queue's jobs; empty for nodes without one. */
    public String of(String queue) {
        for (Map.Entry<String, Category> one : categories.entrySet()) {
            if (one.getValue().queues().contains(queue)) {
                return one.getKey();
            }
        }
        return "";
    }

    /** How nodes of a category look at the version that they have; empty for those without one. */
    public Optional<DriftTerms> drift(String category) {
        return Optional.ofNullable(categories.get(category)).flatMap(Category::drift);
    }

    public String of(JobRecord job) {
        return of(job.spec().queue());
    }

    /** Of a node that is launched for these jobs, which are of one category. */
    public NodeRecord.Profile launchedFor(List<JobRecord> jobs) {
        return launched(jobs.isEmpty() ? "" : of(jobs.getFirst()));
    }

    NodeRecord.Profile launched(String category) {
        return new NodeRecord.Profile(category, overlays(category), 0);
    }

    /** Overlays that nodes of a category have from the beginning. */
    public List<String> overlays(String category) {
        Category found = categories.get(category);
        return found == null ? List.of() : found.overlays();
    }

    /** Whether not every instance type will do. */
    public boolean isNarrow(String category) {
        Category found = categories.get(category);
        return found != null && !found.types().isEmpty();
    }

    public boolean allows(String category, String instanceType) {
        Category found = categories.get(category);
        return category.isEmpty() || (found != null && found.allows(instanceType));
    }

    /** With a feature for each category that its nodes may be of. */
    public Offering marked(Offering offering) {
        if (categories.isEmpty()) {
            return offering;
        }
        Set<String> features = new HashSet<>(offering.features());
        categories.forEach((name, category) -> {
            if (category.allows(offering.id().instanceType())) {
                features.add(Demand.CATEGORY + name);
            }
        });
        return offering.withFeatures(features);
    }

    public ClusterSnapshot.Changeable changeable(Duration toNone, Map<String, Duration> measured) {
        if (none()) {
            return ClusterSnapshot.Changeable.NOTHING;
        }
        Map<String, Duration> times = new LinkedHashMap<>();
        times.put("", toNone);
        categories.forEach((name, category) -> times.put(name, category.change()));
        Map<String, Duration> known = new HashMap<>(measured);
        known.keySet().retainAll(times.keySet());
        times.putAll(known);
        return new ClusterSnapshot.Changeable(times, overlays, rest);
    }
}
