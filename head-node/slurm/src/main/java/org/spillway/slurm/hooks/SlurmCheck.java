package org.spillway.slurm.hooks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.rest.Caller;
import org.spillway.head.tenant.HeadDesk;
import org.spillway.head.tenant.HeadDesk.InputFiles;
import org.spillway.policy.Resources;
import org.spillway.slurm.manager.StagingLines;
import org.spillway.slurm.manager.StagingLines.Mistake;

/**
 * Judges the {@code #SPILLWAY} lines of a script before it is submitted to Slurm: the files with their user's rights. They
 * are looked at again when they are staged.
 *
 * @param partitions of ours, with the sites that each lets a job run in
 * @param isHome whether a site is at home
 * @param nameOf the login name of a uid, from what this machine calls it
 * @param known refuses who may not run jobs here, by name and number
 */
public record SlurmCheck(
        Map<String, List<String>> partitions,
        Predicate<String> isHome,
        InputFiles inputs,
        BiFunction<Integer, String, String> nameOf,
        ObjIntConsumer<String> known) {
    public SlurmCheck(HeadConfig config, HeadDesk head) {
        this(
                partitions(config),
                site -> Optional.ofNullable(config.sites().get(site))
                        .filter(HeadConfig.Site::home)
                        .isPresent(),
                head.inputs(),
                head::nameOf,
                (user, uid) -> head.known(user, uid));
    }

    private static Map<String, List<String>> partitions(HeadConfig config) {
        Map<String, List<String>> all = new HashMap<>();
        config.sites().keySet().forEach(site -> all.put(site, List.of(site)));
        config.queues().values().forEach(queue -> all.put(queue.name(), queue.sites()));
        return all;
    }

    /** @throws ApiException with all that is wrong, and its lines */
    void judge(Caller caller, SlurmScript script) {
        Set<String> sites = sites(script.partitions());
        if (!script.partitions().isEmpty() && sites.isEmpty()) {
            return; // None of ours: the lines mean nothing there.
        }
        StagingLines.Result.Read read = switch (StagingLines.parse(script.lines(), script.folder(), "", "")) {
            case StagingLines.Result.Refused refused -> throw refused(refused.sentence());
            case StagingLines.Result.Read good -> good;
        };
        String user = nameOf.apply(caller.uid(), caller.user());
        known.accept(user, caller.uid());
        if (caller.gid() == Caller.NO_GID) {
            throw new ApiException(
                    ApiException.Code.FORBIDDEN,
                    "this machine does not know the primary group of " + user,
                    "ask the administrator to look at the name service");
        }
        JobSpec.Owner owner = new JobSpec.Owner(user, caller.uid(), caller.gid());
        boolean leavesHome = !sites.isEmpty() && sites.stream().noneMatch(isHome);
        look(owner, read, leavesHome);
    }

    private void look(JobSpec.Owner owner, StagingLines.Result.Read read, boolean leavesHome) {
        List<Mistake> mistakes = new ArrayList<>();
        List<JobSpec.Input> looked = new ArrayList<>();
        long files = 0;
        long bytes = 0;
        for (int i = 0; i < read.data().inputs().size(); i++) {
            JobSpec.Input input = read.data().inputs().get(i);
            if (hasNumber(input.pattern())) {
                continue; // Which file that is shows when the job has its number.
            }
            StagingLines.Place place = read.places().get(i);
            try {
                Stager.Found found = one(owner, read.data(), List.of(input));
                looked.add(input);
                files += found.files();
                bytes += found.bytes();
                if (leavesHome && !found.pinned().isEmpty()) {
                    mistakes.add(
                            place.mistake(found.pinned() + " may not leave home, and the partition is in a cloud"));
                }
            } catch (ApiException wrong) {
                if (wrong.code() == Code.UNAVAILABLE) {
                    throw wrong;
                }
                mistakes.add(place.mistake(wrong.getMessage()));
            }
        }
        if (mistakes.isEmpty()) {
            inputs.bounded(files, bytes);
            together(owner, read.data(), looked);
        } else {
            throw refused(mistakes.stream().map(Mistake::toString).collect(Collectors.joining("; ")));
        }
    }

    /** Whether they go into one folder. */
    private void together(JobSpec.Owner owner, JobSpec.Data data, List<JobSpec.Input> all) {
        if (all.size() > 1) {
            inputs.look(spec(owner, new JobSpec.Data(all, List.of(), data.folder())));
        }
    }

    private Stager.Found one(JobSpec.Owner owner, JobSpec.Data data, List<JobSpec.Input> input) {
        JobSpec spec = spec(owner, new JobSpec.Data(input, List.of(), data.folder()));
        return inputs.look(spec).getFirst();
    }

    /** As much of a job as the look at its files needs. */
    private static JobSpec spec(JobSpec.Owner owner, JobSpec.Data data) {
        return JobSpec.of(draft -> {
            draft.name = "check";
            draft.owner = owner;
            draft.sites = List.of("none");
            draft.need = new JobSpec.Need(Resources.NONE, 1, Duration.ofMinutes(1));
            draft.requeue = false;
            draft.data = data;
            draft.idempotencyKey = JobSpec.Key.of("check");
        });
    }

    private static boolean hasNumber(String pattern) {
        return pattern.contains("%j") || pattern.contains("%A") || pattern.contains("%a");
    }

    /** Where the partitions let a job run; empty when none is ours. */
    private Set<String> sites(List<String> asked) {
        return asked.stream()
                .flatMap(partition -> partitions.getOrDefault(partition, List.of()).stream())
                .collect(Collectors.toSet());
    }

    private static ApiException refused(String sentence) {
        return new ApiException(Code.BAD_REQUEST, sentence, "docs/slurm.md tells what #SPILLWAY lines may say");
    }
}
