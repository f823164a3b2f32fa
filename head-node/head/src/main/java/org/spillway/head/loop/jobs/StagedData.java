package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/** How much input jobs have, and removing what nobody needs any more in sites that jobs have left. */
public final class StagedData {
    private static final Logger LOG = LoggerFactory.getLogger(StagedData.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(10);
    /** Looking at inputs takes a worker of the user each; staging needs them too. */
    private static final int MEASURED_AT_ONCE = 4;

    private final World world;
    private final Sites sites;
    private final JobMemory memory;

    /** Jobs whose input is just looked at. */
    private final Set<String> measuring = new HashSet<>();

    StagedData(World world, Sites sites, JobMemory memory) {
        this.world = world;
        this.sites = sites;
        this.memory = memory;
    }

    void advance(Instant now) {
        measure();
        memory.transfers()
                .leftBehind()
                .forEach((job, sites) -> sites.forEach(site -> {
                    if (isSettled(job, site, now)) {
                        memory.transfers().cleaned(job, site);
                    }
                }));
    }

    private void measure() {
        int underWay = measuring.size();
        for (JobRecord job : world.journal().jobs(JobState.STAGING_IN)) {
            if (underWay >= MEASURED_AT_ONCE) {
                return;
            }
            if (!job.spec().inputs().isEmpty()
                    && memory.transfers().inputBytesIfKnown(job.id()).isEmpty()
                    && measuring.add(job.id())) {
                underWay++;
                world.ports()
                        .effects()
                        .begin(
                                "measure:" + job.id(),
                                () -> world.ports().stager().measure(job.spec()),
                                extent -> measured(job.id(), extent),
                                // Staging finds the same, and says it to the user.
                                failure -> measured(job.id(), new Stager.Extent(0, 0)));
            }
        }
    }

    private void measured(String job, Stager.Extent extent) {
        measuring.remove(job);
        if (world.journal().job(job).filter(JobRecord::isLive).isPresent()) {
            memory.transfers().inputIs(job, extent.files(), extent.bytes());
        }
    }

    /** Whether nothing of the job is left there, or it is needed again; else it is asked to be removed. */
    private boolean isSettled(String job, String site, Instant now) {
        if (world.ports().effects().isUnderWay(StagingTurns.stageInKey(job, site))
                || world.ports().effects().isUnderWay(key(job, site))) {
            return false;
        }
        boolean checkpoint = world.journal()
                .job(job)
                .filter(found -> found.isLive()
                        && !found.run().site().equals(site)
                        && found.run().reclaimed() instanceof Reclaimed left
                        && left.isOnlyIn(site))
                .isPresent();
        if (checkpoint) {
            return false;
        }
        boolean needed = world.journal()
                .job(job)
                .filter(found -> found.isLive() && found.run().site().equals(site))
                .isPresent();
        if (needed || sites.director(site).isEmpty()) {
            return true;
        }
        Optional<NodeRecord> director = sites.readyDirector(site);
        if (director.isPresent() && world.calls().mayAskAgain(key(job, site), now, BETWEEN_TRIES)) {
            DirectorTarget target = Sites.target(director.get());
            world.ports()
                    .effects()
                    .begin(
                            key(job, site),
                            () -> {
                                world.ports().stager().clean(target, job);
                                return true;
                            },
                            done -> memory.transfers().cleaned(job, site),
                            failure -> LOG.warn(
                                    "job {}: its staged data stays in site {}: {}", job, site, failure.toString()));
        }
        return false;
    }

    static String key(String job, String site) {
        return "clean:" + job + "@" + site;
    }
}
