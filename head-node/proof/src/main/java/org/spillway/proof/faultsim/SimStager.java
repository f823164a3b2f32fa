package org.spillway.proof.faultsim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.UserFiles;

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
    public Extent measure(JobSpec spec) {
        return new Extent(spec.inputs().size(), spec.inputs().size());
    }

    @Override
    public Found look(JobSpec spec, JobSpec.Input input) {
        return new Found(1, 1, "");
    }

    @Override
    public Optional<List<UserFiles.Place>> look(JobSpec spec, List<UserFiles.Wish> wishes) {
        return Optional.empty();
    }

    @Override
    public JobRun.Staged stageIn(
            DirectorTarget director, JobRecord job, String store, @Nullable JobRecord alike, LongConsumer moved)
            throws FileRefused, IOException {
        SimDirector found = reach(director);
        if (world.slurm != null) {
            stagedBefore(job.id(), store);
            if (world.slurm.refusesInput()) {
                throw new FileRefused("may not read /home/u/in");
            }
        }
        if (alike == null || !found.sealed.contains(Orders.inputKey(alike.id()))) {
            world.bundlesCopied++;
        }
        found.sealed.add(Orders.inputKey(job.id()));
        interrupt();
        return new JobRun.Staged(store, 1, new Checksum(1, DIGEST), null, alike == null ? 1 : 0, null);
    }

    @Override
    public void bringHome(DirectorTarget director, JobRecord job, LongConsumer moved) throws FileRefused, IOException {
        SimDirector store = reach(director);
        for (int rank = 0; rank < job.run().ranks().size(); rank++) {
            String key = Orders.outputKey(job.id(), job.run().attempt(), rank);
            JobRun.End end = job.run().ranks().get(rank).end();
            // An older journal takes for staged what is home already and gone there: tried for a day, which is not told
            // here.
            boolean known = world.site(director.site()).restored == null;
            if (known && end != null && end.results() != null && !store.sealed.contains(key)) {
                throw new IOException("the site holds no " + key);
            }
        }
        if (world.homeFullUntil != null && world.clock.now().isBefore(world.homeFullUntil)) {
            throw new FileRefused("no space left on device");
        }
        interrupt();
        world.home.bring(job.id(), job.run().attempt());
        interrupt();
    }

    @Override
    public Synced sync(DirectorTarget director, JobRecord job, Round round) throws IOException {
        String key = Orders.syncKey(job.id(), job.run().attempt(), round.rank(), round.number());
        if (!reach(director).sealed.contains(key)) {
            throw new IOException("the site holds no " + key);
        }
        interrupt();
        world.home.sync(job, round);
        interrupt();
        return new Synced(1, round.bundle().bytes(), "", false);
    }

    @Override
    public List<Grown> grow(DirectorTarget director, JobRecord job, List<Growing> streams) throws IOException {
        reach(director);
        interrupt();
        List<Grown> grown = new ArrayList<>();
        for (Growing stream : streams) {
            boolean refused = world.isFaulty() && draw.chance(0.05);
            if (!refused) {
                world.home.grow(job);
            }
            grown.add(
                    refused
                            ? new Grown(stream.after(), "/home/u/log: is not what the job wrote")
                            : new Grown(stream.after() + 5, ""));
        }
        interrupt();
        return grown;
    }

    @Override
    public JobRun.Published publish(JobRecord job) throws IOException {
        interrupt();
        List<JobRun.Unplaced> unplaced = world.home.publish(job, world.clock.now());
        if (world.reach != null) {
            world.reach.published(job);
        }
        if (!unplaced.isEmpty()) {
            interrupt();
            return new JobRun.Published(List.of(), 1, 1, unplaced, List.of("/home/u/.bundle-" + job.id()));
        }
        if (world.slurm != null) {
            world.slurm.hooks.published(job.id(), job.run().attempt());
        }
        interrupt();
        return new JobRun.Published(world.home.lacking, 1, 1);
    }

    @Override
    public void bringCheckpoint(DirectorTarget director, JobRecord job) throws IOException {
        SimDirector store = reach(director);
        for (String key : checkpoint(job)) {
            if (!store.sealed.contains(key)) {
                throw new IOException("the site holds no " + key);
            }
            interrupt();
            world.home.checkpoints.add(key);
        }
        interrupt();
    }

    @Override
    public List<Checksum> gatherCheckpoint(JobRecord job) throws FileRefused, IOException {
        interrupt();
        if (world.isFaulty() && draw.chance(0.1)) {
            throw new FileRefused("/home/u/out: has changed since it came home");
        }
        List<Checksum> made = world.home.gather(job);
        interrupt();
        return made;
    }

    @Override
    public void sendCheckpoint(DirectorTarget director, JobRecord job) throws FileRefused, IOException {
        SimDirector store = reach(director);
        for (String key : checkpoint(job)) {
            if (!world.home.checkpoints.contains(key)) {
                throw new FileRefused(key + " is not at home");
            }
            interrupt();
            store.sealed.add(key);
        }
        interrupt();
    }

    private static List<String> checkpoint(JobRecord job) {
        Reclaimed left = job.run().reclaimed();
        List<String> keys = new ArrayList<>();
        for (int rank = 0; left != null && rank < left.left().size(); rank++) {
            keys.add(Orders.outputKey(job.id(), left.attempt(), rank));
        }
        return keys;
    }

    @Override
    public void forget(JobRecord job) {
        world.home.forget(job);
    }

    @Override
    public void clean(DirectorTarget director, String job) throws IOException {
        reach(director).sealed.removeIf(key -> key.startsWith("jobs/" + job + "/"));
    }

    /** A job that runs again finds its input where it was. */
    private void stagedBefore(String id, String store) {
        boolean staged = world.disk
                .job(id)
                .map(job -> job.run().staged())
                .filter(there -> there.store().equals(store))
                .isPresent();
        if (staged) {
            throw new Broken("the input of job " + id + " is staged twice");
        }
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
