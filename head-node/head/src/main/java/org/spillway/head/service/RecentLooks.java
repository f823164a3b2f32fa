package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.worker.UserFiles.Place;
import org.spillway.stage.worker.UserFiles.Wish;

/**
 * Places that were found good a moment ago: the lines of a file and the turns of a loop name the same ones, and each look is a
 * question to a process of the user's. A bad one is looked at each time, for its user mends it and submits again. Any thread.
 */
final class RecentLooks {
    static final Duration GOOD_FOR = Duration.ofSeconds(1);
    /** Together some MB at most, with the longest of paths. */
    static final int MOST = 256;

    static final int MOST_WISHES = 4;

    private final Map<Asked, Seen> known = new LinkedHashMap<>();

    private record Asked(JobSpec.Owner owner, List<Wish> wishes) {}

    private record Seen(List<Place> places, Instant at) {}

    /** Empty where it must be asked. */
    synchronized Optional<List<Place>> find(JobSpec.Owner owner, List<Wish> wishes, Instant now) {
        return Optional.ofNullable(known.get(new Asked(owner, wishes)))
                .filter(seen -> !now.isBefore(seen.at) && now.isBefore(seen.at.plus(GOOD_FOR)))
                .map(Seen::places);
    }

    /** @param now before it was looked at */
    synchronized void remember(JobSpec.Owner owner, List<Wish> wishes, List<Place> places, Instant now) {
        Asked asked = new Asked(owner, wishes);
        // Out and in again: the latest last.
        known.remove(asked);
        if (wishes.size() <= MOST_WISHES
                && places.stream().allMatch(place -> place.problem().isEmpty())) {
            known.put(asked, new Seen(places, now));
            if (known.size() > MOST) {
                known.remove(known.keySet().iterator().next());
            }
        }
    }
}
