package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.fleet.Berth;
import org.spillway.cloud.fleet.FleetAction;
import org.spillway.cloud.fleet.FleetDiff;
import org.spillway.cloud.fleet.FleetMemory;
import org.spillway.cloud.fleet.FleetRules;
import org.spillway.cloud.fleet.Listing;

/**
 * A head's looks at a site, by the driver's answers and a clock of its own: what it would do is written down, and done to
 * nobody.
 */
final class LyingListings {
    /** Longer than two looks have to be apart, whatever the window. */
    static final Duration APART = Duration.ofHours(2);

    private final Site site;
    private final FleetRules rules;
    private final List<Berth> berths = new ArrayList<>();
    private final List<FleetAction> done = new ArrayList<>();
    private FleetMemory memory = FleetMemory.NONE;
    private Instant now = Instant.parse("2026-01-05T08:00:00Z");

    LyingListings(Site site, List<Instance> owned) {
        this.site = site;
        this.rules = FleetRules.of(site.compute());
        for (Instance each : owned) {
            berths.add(new Berth(
                    "node of " + each.id(), each.intent(), each.id(), now.minus(APART), Berth.Expected.RUNNING));
        }
    }

    /** A listing and the questions that it leads to. */
    List<FleetAction> look() throws CloudException {
        now = now.plus(APART);
        FleetDiff.Diff diff =
                FleetDiff.of(berths, List.of(), new Listing(now, site.compute().list()), rules, memory);
        List<FleetAction> all = new ArrayList<>(diff.actions());
        memory = diff.memory();
        for (FleetAction action : diff.actions()) {
            if (action instanceof FleetAction.Ask(List<String> ids)) {
                Map<String, Look> looks =
                        new HashMap<>(site.compute().lookup().orElseThrow().look(ids));
                FleetDiff.Diff asked = FleetDiff.asked(berths, looks, now, rules, memory);
                all.addAll(asked.actions());
                memory = asked.memory();
            }
        }
        done.addAll(all);
        return all;
    }

    /** Nothing was declared gone, nothing was to be ended, and nothing is proven to be off or on its way out. */
    void nothingFollows() {
        assertThat(done)
                .noneMatch(FleetAction.Gone.class::isInstance)
                .noneMatch(FleetAction.End.class::isInstance)
                .noneMatch(FleetAction.Absent.class::isInstance);
        assertThat(berths).noneMatch(berth -> memory.isProven(String.valueOf(berth.instance()), rules));
    }

    boolean isCalm() {
        return memory.lapses().isEmpty() && memory.strays().isEmpty();
    }
}
