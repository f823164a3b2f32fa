package org.spillway.head.faultsim;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.Orders;
import org.spillway.head.staging.Stager;
import org.spillway.stage.Checksum;

/** Staging over wires that may be cut: what arrived stays in the director's store. */
final class SimStager implements Stager {
    static final String DIGEST = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private final SimWorld world;
    private final Draw draw;

    SimStager(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
    }

    @Override
    public @Nullable Checksum stageIn(DirectorTarget director, JobRecord job) throws IOException {
        SimDirector store = reach(director);
        store.sealed.add(Orders.inputKey(job.id()));
        interrupt();
        return new Checksum(1, DIGEST);
    }

    @Override
    public void bringHome(DirectorTarget director, JobRecord job) throws IOException {
        SimDirector store = reach(director);
        for (JobRun.Result result : job.run().results()) {
            if (!store.sealed.contains(result.key())) {
                throw new IOException("the site holds no " + result.key());
            }
        }
        interrupt();
        world.home.bring(job.id(), job.run().attempt());
        interrupt();
    }

    @Override
    public void publish(JobRecord job) throws IOException {
        interrupt();
        world.home.publish(job.id(), job.run().attempt());
        interrupt();
    }

    @Override
    public void clean(DirectorTarget director, String job) throws IOException {
        reach(director).sealed.removeIf(key -> key.startsWith("jobs/" + job + "/"));
    }

    private void interrupt() throws IOException {
        if (world.isFaulty() && draw.chance(0.1)) {
            throw new IOException("the connection broke");
        }
    }

    private SimDirector reach(DirectorTarget director) throws IOException {
        SimSite site = world.site(director.site());
        if (!site.isLinkUp()) {
            throw new IOException("the link is down");
        }
        return site.director(director.instance()).orElseThrow(() -> new IOException("no such instance"));
    }
}
