package org.spillway.head.service;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.Orders;
import org.spillway.head.rest.ApiException;
import org.spillway.head.rest.ApiException.Code;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.JobSubmission;
import org.spillway.head.staging.Stager;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;
import org.spillway.stage.worker.FileRefused;

/** Judges a submission against the configuration and what the sites offer, before anything is written. */
final class Admission {
    /** Tasks of an array whose inputs are looked at before it is taken; those of the others when they are staged. */
    private static final int TASKS_LOOKED_AT = 100;

    private final HeadConfig config;
    private final Loop loop;
    private final Stager stager;
    private final UserGroups groups;
    private final int ownUid;

    Admission(HeadConfig config, Loop loop, Stager stager, UserGroups groups, int ownUid) {
        this.config = config;
        this.loop = loop;
        this.stager = stager;
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
        Resources perNode = new Resources(asked.cpus(), asked.memoryBytes(), asked.gpus(), asked.gpuModel(), 0);
        List<String> sites = sites(queue, perNode, asked);
        JobSpec spec = new JobSpec(
                asked.name().isEmpty() ? asked.scriptName() : asked.name(),
                new JobSpec.Owner(caller.user(), caller.uid(), caller.gid()),
                asked.project(),
                queue.name(),
                sites,
                new JobSpec.Program(asked.script(), asked.arguments(), asked.environment()),
                new JobSpec.Need(perNode, asked.nodes(), walltime),
                asked.priority(),
                asked.requeue(),
                asked.after().stream()
                        .map(one -> new JobSpec.Dependency(one.job(), one.onlyIfDone()))
                        .toList(),
                null,
                new JobSpec.Data(
                        asked.inputs().stream()
                                .map(input -> new JobSpec.Input(input.pattern(), input.target()))
                                .toList(),
                        asked.outputs().stream()
                                .map(output -> new JobSpec.Output(
                                        output.pattern(), output.destination(), output.tree(), output.strict()))
                                .toList(),
                        asked.folder()),
                key,
                now);
        if (Orders.weight(spec) > Orders.MOST_WEIGHT) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "the script, its arguments and environment are too large to be told to " + spec.nodes() + " nodes",
                    "put what is large into an input file (--in)");
        }
        return atHomeIfPinned(spec, pinned(spec, asked.array()));
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

    /** The sites of the queue where it may run and that offer something large enough; what is not known yet may. */
    private List<String> sites(HeadConfig.Queue queue, Resources need, JobSubmission asked) {
        for (String site : asked.sites()) {
            if (!queue.sites().contains(site)) {
                throw new ApiException(
                        Code.BAD_REQUEST,
                        "queue " + queue.name() + " does not use a site '" + site + "'",
                        "its sites: " + String.join(", ", queue.sites()));
            }
        }
        List<String> allowed = queue.sites().stream()
                .filter(site -> asked.sites().isEmpty() || asked.sites().contains(site))
                .filter(site -> mayGo(asked, site))
                .toList();
        if (allowed.isEmpty()) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "queue " + queue.name() + " has no site where this job may run",
                    isPinned(asked)
                            ? "project " + asked.project() + " may run at home only (pinned.projects)"
                            : "--constraint " + asked.constraint() + " leaves none of "
                                    + String.join(", ", queue.sites()));
        }
        List<String> fitting = allowed.stream()
                .filter(site -> {
                    List<Offering> offerings = loop.offerings(site);
                    return offerings.isEmpty()
                            || offerings.stream().anyMatch(offering -> need.fitsIn(offering.resources()));
                })
                .toList();
        if (fitting.isEmpty()) {
            throw tooLarge(queue, allowed);
        }
        return fitting;
    }

    private boolean isPinned(JobSubmission asked) {
        return config.pinned().projects().contains(asked.project());
    }

    private boolean mayGo(JobSubmission asked, String site) {
        boolean home = isHome(site);
        return (home || !isPinned(asked))
                && switch (asked.constraint()) {
                    case "home" -> home;
                    case "cloud" -> !home;
                    default -> true;
                };
    }

    private ApiException tooLarge(HeadConfig.Queue queue, List<String> sites) {
        String largest = sites.stream()
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
        return new ApiException(
                Code.NO_OFFERING,
                "no instance type of queue " + queue.name() + " is large enough for this job",
                largest);
    }

    /**
     * Looks at the input of each task that can be known now: what jobs before it make is not there yet, and its own id
     * is not given yet.
     *
     * @return a file that may not leave home; empty for none
     */
    private String pinned(JobSpec spec, JobSubmission.ArrayRange range) {
        boolean known = spec.after().isEmpty()
                && spec.inputs().stream()
                        .noneMatch(input -> input.pattern().contains("%j")
                                || input.pattern().contains("%A"));
        if (spec.inputs().isEmpty() || !known) {
            return "";
        }
        boolean alike =
                spec.inputs().stream().noneMatch(input -> input.pattern().contains("%a"));
        String pinned = "";
        for (Tasks.Task task :
                Tasks.of("0", spec, range).subList(0, alike ? 1 : Math.min(range.size(), TASKS_LOOKED_AT))) {
            String found = extent(task.spec()).pinned();
            pinned = pinned.isEmpty() ? found : pinned;
        }
        return pinned;
    }

    private Stager.Extent extent(JobSpec spec) {
        try {
            return stager.measure(spec);
        } catch (FileRefused refused) {
            throw new ApiException(
                    Code.INPUT_UNREADABLE,
                    "the input cannot be read: " + refused.getMessage(),
                    "files are opened with your rights: check paths and permissions");
        } catch (IOException fault) {
            throw new ApiException(
                    Code.UNAVAILABLE, "the input could not be looked at: " + fault.getMessage(), "try again");
        }
    }

    private JobSpec atHomeIfPinned(JobSpec spec, String pinned) {
        if (pinned.isEmpty()) {
            return spec;
        }
        List<String> home = spec.sites().stream().filter(this::isHome).toList();
        if (home.isEmpty()) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    pinned + " may not leave home, and none of the job's sites is there",
                    "sites: " + String.join(", ", spec.sites())
                            + "; pinned.paths in the configuration says what stays");
        }
        return spec.at(home);
    }

    private boolean isHome(String site) {
        HeadConfig.Site configured = config.sites().get(site);
        return configured != null && configured.home();
    }
}
