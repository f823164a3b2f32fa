package org.spillway.cloud.fleet;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;

/**
 * A look at one instance, for those who watch one and not a fleet: what a whole listing shows of it, and, where that shows
 * it not alive, what the provider says of its id.
 *
 * @param startedAt when the listing began
 * @param listed null when it was not in the listing
 * @param look null when the id was not asked for, or the provider's API cannot
 */
public record Sighting(
        Instant startedAt,
        @Nullable Instance listed,
        @Nullable Look look) {
    /**
     * Blocks.
     *
     * @throws CloudException if the site could not be listed, or not be asked
     */
    public static Sighting of(Compute compute, String id, Instant startedAt) throws CloudException {
        return of(compute, compute.list(), id, startedAt);
    }

    /** As above, after a listing. */
    public static Sighting of(Compute compute, List<Instance> listing, String id, Instant startedAt)
            throws CloudException {
        Instance listed =
                listing.stream().filter(one -> one.id().equals(id)).findFirst().orElse(null);
        Optional<Lookup> lookup = compute.lookup();
        boolean alive = listed != null && listed.state().isLive();
        if (alive || lookup.isEmpty() || id.isEmpty()) {
            return new Sighting(startedAt, listed, null);
        }
        return new Sighting(startedAt, listed, lookup.get().look(List.of(id)).get(id));
    }

    /** As the listing shows it alive, or its id against the listing. */
    public Optional<Instance> alive() {
        if (listed != null && listed.state().isLive()) {
            return Optional.of(listed);
        }
        return look instanceof Look.Found(Instance found) && found.state().isLive()
                ? Optional.of(found)
                : Optional.empty();
    }

    /**
     * The knowledge of its end after this look.
     *
     * @param before of the look before; null for none
     * @return null when it is alive
     */
    public @Nullable Lapse after(@Nullable Lapse before) {
        if (alive().isPresent()) {
            return null;
        }
        boolean ending = listed != null && listed.state() == Instance.State.TERMINATING;
        Lapse.Shown shown = ending ? Lapse.Shown.ENDING : Lapse.Shown.GONE;
        Lapse now = before != null && before.shown() == shown
                ? before.again(startedAt, false)
                : new Lapse(shown, startedAt, startedAt, 1, false, null, null);
        return look == null ? now : now.asked(startedAt, look);
    }
}
