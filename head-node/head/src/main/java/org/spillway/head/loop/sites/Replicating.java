package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/** Brings the images that nodes may have to the director of a site. */
public final class Replicating {
    private static final Logger LOG = LoggerFactory.getLogger(Replicating.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private final World world;

    Replicating(World world) {
        this.world = world;
    }

    void advance(SiteState site, NodeRecord director, Instant now) {
        Report report = site.report;
        if (report == null) {
            return;
        }
        world.ports().images().all().stream()
                .filter(image -> !image.sha256().isEmpty() && !report.images().contains(image.sha256()))
                .forEach(image -> replicate(image, site, director, now));
    }

    private void replicate(Directive.ImageGrant image, SiteState site, NodeRecord director, Instant now) {
        String key = "image:" + site.plan.name() + "/" + image.sha256();
        if (!world.calls().mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        DirectorTarget target = Sites.target(director);
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> {
                            world.ports().images().replicate(target, image);
                            return true;
                        },
                        done -> LOG.info("image {} is in site {}", image.sha256(), site.plan.name()),
                        failure -> LOG.warn(
                                "image {} did not reach site {}: {}",
                                image.sha256(),
                                site.plan.name(),
                                failure.getMessage()));
    }
}
