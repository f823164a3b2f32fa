package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.Loop;
import org.spillway.head.rest.ApiException;
import org.spillway.head.rest.ApiException.Code;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.JobSubmission;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserWorkers;

/** Judges a submission against the configuration and what the sites offer, before anything is written. */
final class Admission {
    private final HeadConfig config;
    private final Loop loop;
    private final UserWorkers workers;
    private final UserGroups groups;
    private final int ownUid;

    Admission(HeadConfig config, Loop loop, UserWorkers workers, UserGroups groups, int ownUid) {
        this.config = config;
        this.loop = loop;
        this.workers = workers;
        this.groups = groups;
        this.ownUid = ownUid;
    }

    JobSpec judge(Caller caller, JobSubmission asked, String key, Instant now) {
        known(caller);
        HeadConfig.Queue queue = queue(asked.queue());
        Duration walltime =
                asked.walltimeSeconds() == 0 ? queue.maxWalltime() : Duration.ofSeconds(asked.walltimeSeconds());
        if (walltime.compareTo(queue.maxWalltime()) > 0) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "walltime " + walltime.toSeconds() + " s is over the limit of queue " + queue.name(),
                    "queue " + queue.name() + " allows up to "
                            + queue.maxWalltime().toSeconds() + " s");
        }
        Resources need = new Resources(asked.cpus(), asked.memoryBytes(), asked.gpus(), asked.gpuModel(), 0);
        String site = site(queue, need);
        asked.inputPath().ifPresent(input -> readable(caller, input));
        List<JobSpec.Output> outputs = asked.outputs().stream()
                .map(output -> new JobSpec.Output(output.path(), output.destination()))
                .toList();
        return new JobSpec(
                asked.name().isEmpty() ? asked.scriptName() : asked.name(),
                caller.user(),
                caller.uid(),
                caller.gid(),
                queue.name(),
                site,
                asked.script(),
                asked.arguments(),
                asked.environment(),
                need,
                walltime,
                asked.priority(),
                asked.inputPath().orElse(null),
                outputs,
                key,
                now);
    }

    /** A node finds its user in the directory, by name and number, or it refuses the job: better to say so now. */
    private void known(Caller caller) {
        if (ownUid != 0 && caller.uid() != ownUid) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "this head does not run as root and takes jobs of its own user (uid " + ownUid + ") only",
                    "a head for several users runs as root");
        }
        if (caller.uid() != ownUid && caller.uid() < config.directory().minUid()) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "uid " + caller.uid() + " is below directory.minUid "
                            + config.directory().minUid(),
                    "submit as an ordinary user");
        }
        if (!groups.knows(caller.user(), caller.uid())) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + caller.user() + " (uid " + caller.uid() + ") is not in the cluster's directory",
                    "ask the administrator: 'directory:' says where users come from and the smallest uid");
        }
    }

    private HeadConfig.Queue queue(String name) {
        Optional<HeadConfig.Queue> queue = name.isEmpty()
                ? config.defaultQueue()
                : Optional.ofNullable(config.queues().get(name));
        return queue.orElseThrow(() -> new ApiException(
                Code.UNKNOWN_QUEUE,
                name.isEmpty() ? "no queue was named and none is the default" : "there is no queue '" + name + "'",
                "queues: " + String.join(", ", config.queues().keySet())));
    }

    /** The first site of the queue that offers something large enough; one whose offers are not known yet may. */
    private String site(HeadConfig.Queue queue, Resources need) {
        for (String site : queue.sites()) {
            List<Offering> offerings = loop.offerings(site);
            if (offerings.isEmpty() || offerings.stream().anyMatch(offering -> need.fitsIn(offering.resources()))) {
                return site;
            }
        }
        String largest = queue.sites().stream()
                .flatMap(site -> loop.offerings(site).stream())
                .max(Comparator.comparingInt(
                                (Offering offering) -> offering.resources().gpus())
                        .thenComparingInt(offering -> offering.resources().cpus())
                        .thenComparingLong(offering -> offering.resources().memoryBytes()))
                .map(offering -> "the largest is " + offering.id().instanceType() + " with "
                        + offering.resources().cpus() + " CPUs, "
                        + (offering.resources().memoryBytes() >> 30) + " GiB and "
                        + offering.resources().gpus() + " GPUs "
                        + offering.resources().gpuModel())
                .orElse("its sites offer nothing");
        throw new ApiException(
                Code.NO_OFFERING,
                "no instance type of queue " + queue.name() + " is large enough for this job",
                largest);
    }

    private void readable(Caller caller, String input) {
        try {
            workers.as(new Identity(caller.user(), caller.uid(), caller.gid(), groups.of(caller.user())))
                    .stat(Path.of(input));
        } catch (FileRefused refused) {
            throw new ApiException(
                    Code.INPUT_UNREADABLE,
                    "the input cannot be read: " + refused.getMessage(),
                    "the file is opened with your rights: check its path and permissions");
        } catch (IOException fault) {
            throw new ApiException(
                    Code.UNAVAILABLE, "the input could not be looked at: " + fault.getMessage(), "try again");
        }
    }
}
