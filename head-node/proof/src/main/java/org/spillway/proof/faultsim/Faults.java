package org.spillway.proof.faultsim;

import java.util.List;
import java.util.function.Predicate;

/** Draws what goes wrong between two steps. */
final class Faults {
    private static final List<String> NAMES = List.of(
            "director killed",
            "director killed",
            "link cut",
            "node ended",
            "director ended",
            "listing fails",
            "capacity refused",
            "home full",
            "node cut off");

    private final SimWorld world;
    private final Draw draw;

    Faults(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
    }

    void step() {
        for (SimSite site : world.sites.values()) {
            if (draw.chance(0.01)) {
                fault(site);
            }
        }
    }

    private void fault(SimSite site) {
        var until = world.clock.now().plusMillis(draw.between(500, draw.chance(0.2) ? 45_000 : 6_000));
        int which = draw.between(0, 8);
        world.drew(NAMES.get(which));
        switch (which) {
            case 0, 1 -> site.directors.values().forEach(SimDirector::kill);
            case 2 -> site.linkCutUntil = until;
            case 3 -> endOne(site, machine -> !isDirector(machine));
            case 4 -> endOne(site, Faults::isDirector);
            case 5 -> site.provider.listingFailsUntil = until;
            case 7 -> world.homeFullUntil = until;
            case 6 -> site.provider.refusesUntil = until;
            default ->
                site.nodes.values().stream()
                        .filter(node -> node.machine.isLive())
                        .findFirst()
                        .ifPresent(node -> node.cutUntil = until);
        }
    }

    static boolean isDirector(SimProvider.Machine machine) {
        return "DIRECTOR".equals(machine.request.tags().get("spillway-role"));
    }

    private void endOne(SimSite site, Predicate<SimProvider.Machine> which) {
        List<SimProvider.Machine> live = site.provider.machines.values().stream()
                .filter(machine -> machine.isLive() && which.test(machine))
                .toList();
        if (!live.isEmpty()) {
            site.provider.end(live.get(draw.between(0, live.size() - 1)));
        }
    }
}
