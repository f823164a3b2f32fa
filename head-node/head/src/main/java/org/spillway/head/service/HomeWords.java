package org.spillway.head.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.spillway.director.wire.Reach;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.staging.HomeAnswers;
import org.spillway.head.staging.HomeReach;
import org.spillway.head.staging.SiteStager;
import org.spillway.stage.worker.UserWorkers;

/** Sites and their users' homes, for jobs that are submitted (ADR 67). */
final class HomeWords {
    private final Set<String> reaching;

    HomeWords(HeadConfig config) {
        this.reaching = config.sites().entrySet().stream()
                .filter(site -> site.getValue().reach().isPresent())
                .map(site -> site.getKey())
                .collect(Collectors.toSet());
    }

    /** The desk that answers jobs that ask for files there. */
    static HomeReach reach(
            HeadConfig config,
            SiteStager.Boundary boundary,
            Function<String, Optional<DirectorTarget>> directors,
            DirectorLink link,
            Journal journal,
            UserWorkers workers,
            UserGroups groups) {
        Map<String, Reach> reached = new LinkedHashMap<>();
        config.sites().forEach((name, site) -> site.reach().ifPresent(reach -> reached.put(name, reach)));
        return new HomeReach(
                directors,
                link,
                journal,
                reached.keySet(),
                new HomeAnswers(
                        journal,
                        new HomeAnswers.Users(
                                (spec, bounds, question) ->
                                        workers.as(groups.identity(spec)).reach(bounds, question),
                                groups::homeOf),
                        new HomeAnswers.Places(
                                reached, boundary.isHome(), config.pinned().paths())));
    }

    /** For its user; none where no site has homes within reach. */
    List<String> notes(List<String> sites) {
        List<String> within = sites.stream().filter(reaching::contains).toList();
        if (within.isEmpty()) {
            return List.of();
        }
        List<String> notes = new ArrayList<>();
        notes.add("in " + String.join(", ", within)
                + " it reads its user's home where it is at home, over the link: --in is faster; what it writes there comes to"
                + " spillway-JOB/HOME in its folder");
        List<String> others =
                sites.stream().filter(site -> !reaching.contains(site)).toList();
        if (!others.isEmpty()) {
            notes.add("in " + String.join(", ", others) + " it has nothing of its user's home but what --in brings");
        }
        return notes;
    }

    /** The same job, whose files below its home come back beside what is there, and over nothing. */
    JobSpec of(String job, JobSpec spec) {
        if (spec.data().folder().isEmpty() || spec.sites().stream().noneMatch(reaching::contains)) {
            return spec;
        }
        List<JobSpec.Output> outputs = new ArrayList<>(spec.outputs());
        outputs.add(new JobSpec.Output(
                JobSpec.Output.BELOW_HOME, spec.data().folder() + "/spillway-" + job + "/HOME", true, false));
        return spec.with(draft -> draft.data = spec.data().with(spec.inputs(), outputs));
    }
}
