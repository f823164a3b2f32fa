package org.spillway.proof.faultsim;

import java.io.IOException;
import java.util.Optional;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.bootstrap.DirectorInstaller;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.LogPart;
import org.spillway.head.link.RegionPieces;
import org.spillway.stage.transfer.Transfer;

/** The SSH link: directives may be lost, and so may the answers to those that arrived. */
final class SimLink implements DirectorLink, DirectorInstaller {
    private final SimWorld world;
    private final SimClock clock;
    private final Draw draw;

    SimLink(SimWorld world, SimClock clock, Draw draw) {
        this.world = world;
        this.clock = clock;
        this.draw = draw;
    }

    @Override
    public Report sync(DirectorTarget target, Directive directive) throws LinkDownException {
        SimSite site = world.site(target.site());
        SimDirector director = site.director(target.instance())
                .filter(found -> found.answers(clock.now()) && site.isLinkUp())
                .orElseThrow(() -> new LinkDownException("no route"));
        Report report = director.sync(directive, clock.now());
        if (world.isFaulty() && draw.chance(0.02)) {
            throw new LinkDownException("the answer was lost");
        }
        return report;
    }

    @Override
    public void install(DirectorTarget target) throws IOException {
        SimSite site = world.site(target.site());
        SimDirector director = site.director(target.instance())
                .filter(found -> site.isLinkUp())
                .orElseThrow(() -> new IOException("no route"));
        if (!site.uninstallable.isEmpty()) {
            throw new IOException(site.uninstallable);
        }
        director.start("b" + draw.id());
    }

    @Override
    public Transfer staging(DirectorTarget director) {
        throw new IllegalStateException("staging is simulated whole");
    }

    @Override
    public RegionPieces pieces(DirectorTarget director) {
        throw new IllegalStateException("staging is simulated whole");
    }

    @Override
    public Optional<LogPart> log(
            DirectorTarget director, String job, int attempt, String node, String stream, long after) {
        throw new IllegalStateException("nobody reads logs in the simulated world");
    }

    @Override
    public void forget(String site) {}
}
