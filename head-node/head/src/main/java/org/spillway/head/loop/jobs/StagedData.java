package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.loop.state.Context;
import org.spillway.head.loop.state.StagingTurns;

/** How much input jobs have, and removing what nobody needs any more in sites that jobs have left. */
public final class StagedData {
    private static final Logger LOG = LoggerFactory.getLogger(StagedData.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(10);
    /** Looking at inputs takes a worker of the user each; staging needs them too. */
    private static final int MEASURED_AT_ONCE = 4;

    private final Context context;

    StagedData(Context context) {
        this.context = context;
    }

    void advance(Instant now) {
        measure();
        for (Map.Entry<String, Set<String>> left : context.left.entrySet()) {
            for (String site : new ArrayList<>(left.getValue())) {
                if (isSettled(left.getKey(), site, now)) {
                    left.getValue().remove(site);
                }
            }
        }
        context.left.values().removeIf(Set::isEmpty);
    }

    private void measure() {
        int underWay = context.measuring.size();
        for (JobRecord job : context.journal.jobs(JobState.STAGING_IN)) {
            if (underWay >= MEASURED_AT_ONCE) {
                return;
            }
            if (!job.spec().inputs().isEmpty()
                    && !context.inputBytes.containsKey(job.id())
                    && context.measuring.add(job.id())) {
                underWay++;
                context.ports
                        .effects()
                        .begin(
                                "measure:" + job.id(),
                                () -> context.ports.stager().measure(job.spec()),
                                extent -> measured(job.id(), extent),
                                // Staging finds the same, and says it to the user.
                                failure -> measured(job.id(), new Stager.Extent(0, 0)));
            }
        }
    }

    private void measured(String job, Stager.Extent extent) {
        context.measuring.remove(job);
        if (context.journal.job(job).filter(JobRecord::isLive).isPresent()) {
            context.inputBytes.put(job, extent.bytes());
        }
    }

    /** Whether nothing of the job is left there, or it is needed again; else it is asked to be removed. */
    private boolean isSettled(String job, String site, Instant now) {
        if (context.ports.effects().isUnderWay(StagingTurns.stageInKey(job, site))
                || context.ports.effects().isUnderWay(key(job, site))) {
            return false;
        }
        boolean needed = context.journal
                .job(job)
                .filter(found -> found.isLive() && found.run().site().equals(site))
                .isPresent();
        if (needed || context.director(site).isEmpty()) {
            return true;
        }
        Optional<NodeRecord> director = context.readyDirector(site);
        if (director.isPresent() && context.mayAskAgain(key(job, site), now, BETWEEN_TRIES)) {
            DirectorTarget target = Context.target(director.get());
            context.ports
                    .effects()
                    .begin(
                            key(job, site),
                            () -> {
                                context.ports.stager().clean(target, job);
                                return true;
                            },
                            done -> context.left
                                    .getOrDefault(job, new java.util.HashSet<>())
                                    .remove(site),
                            failure -> LOG.warn(
                                    "job {}: its staged data stays in site {}: {}", job, site, failure.toString()));
        }
        return false;
    }

    static String key(String job, String site) {
        return "clean:" + job + "@" + site;
    }
}
