package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.director.wire.Report;
import org.spillway.head.loop.settings.Markets;
import org.spillway.policy.Market;

/** Draws which spot machines are taken back, apart from all other draws. */
final class Notices {
    private final SimWorld world;
    private final Draw draw;
    private final Map<SimNode, Instant> taken = new HashMap<>();

    Notices(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
        world.sites.values().forEach(site -> site.provider.sellsSpot = true);
    }

    static Markets markets(SimWorld world) {
        return Markets.of(Map.of("q", Set.of(Market.values())), Map.of("q", List.copyOf(world.sites.keySet())));
    }

    /** @param given whether further notices are: those that were are kept all the same */
    void step(boolean given) {
        Instant now = world.clock.now();
        for (SimSite site : world.sites.values()) {
            taken.forEach((node, at) -> {
                if (node.machine.isLive() && !now.isBefore(at)) {
                    site.provider.end(node.machine);
                }
            });
            if (given && draw.chance(0.05)) {
                List<SimNode> serving = site.nodes.values().stream()
                        .filter(node -> node.machine.isLive()
                                && node.id != null
                                && node.notice == null
                                && node.machine.offering.market() == Market.SPOT)
                        .toList();
                if (!serving.isEmpty()) {
                    notice(serving.get(draw.between(0, serving.size() - 1)), now);
                }
            }
        }
    }

    private void notice(SimNode node, Instant now) {
        boolean certain = draw.chance(0.8);
        world.drew(certain ? "notice" : "hint of a notice");
        // Shorter than a node needs to say anything, and as long as they are published to be.
        Instant at = now.plusMillis(draw.chance(0.3) ? draw.between(0, 1_500) : draw.between(5_000, 120_000));
        node.notice = new Report.Notice(certain, at.getEpochSecond());
        if (certain) {
            taken.put(node, at);
        }
    }
}
