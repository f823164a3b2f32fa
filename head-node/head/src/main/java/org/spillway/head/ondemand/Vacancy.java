package org.spillway.head.ondemand;

import java.util.Collection;
import java.util.function.ToIntFunction;
import org.spillway.api.ClusterState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.journal.ClusterRecord;

/**
 * Whether a site has places for all nodes of a cluster, so that no head is bought that would wait for them. Only this
 * head's own limit can be known before; a provider says what it has when it is asked. Pure.
 */
public final class Vacancy {
    private Vacancy() {}

    /**
     * @param room instances that the limit of the site leaves; may be negative
     * @param clusters all of them; those that are made hold the places of nodes that they have not bought yet
     * @param instances of a cluster's nodes that exist or may, by its id
     * @return none when there is room
     */
    public static Cause of(
            ClusterRecord child, int room, Collection<ClusterRecord> clusters, ToIntFunction<String> instances) {
        String site = child.spec().site();
        int promised = clusters.stream()
                .filter(other -> !other.id().equals(child.id())
                        && other.spec().site().equals(site)
                        && holdsPlaces(other.clusterState()))
                .mapToInt(other -> Math.max(0, other.spec().nodes() - instances.applyAsInt(other.id())))
                .sum();
        int free = Math.max(0, room - promised);
        int wanted = child.spec().nodes();
        return wanted <= free ? Cause.NONE : new ClusterCause.SiteFull(site, free, wanted);
    }

    private static boolean holdsPlaces(ClusterState state) {
        return switch (state) {
            case CREATING, STARTING, RUNNING -> true;
            case WAITING_FOR_APPROVAL, REQUESTED, STOPPING, STOPPED, DELETING, DELETED, FAILED, REJECTED -> false;
        };
    }
}
