package org.spillway.head.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.spillway.api.JobState;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.forward.HomeForward;
import org.spillway.head.forward.HomeForwards;
import org.spillway.head.forward.RunningJob;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;

/** Services of home, for jobs that are submitted and for those that run (ADR 77). */
final class ForwardWords {
    private ForwardWords() {}

    /** The desk that connects jobs there with services of home. */
    static HomeForwards desk(
            HeadConfig config,
            Function<String, Optional<DirectorTarget>> directors,
            DirectorLink link,
            Journal journal,
            UserGroups groups) {
        Map<String, List<HomeForward>> services = new LinkedHashMap<>();
        config.sites().forEach((name, site) -> services.put(name, site.forwards()));
        return new HomeForwards(
                directors,
                link,
                new HomeForwards.Jobs() {
                    @Override
                    public boolean anyOf(String site) {
                        return !journal.jobsOf(site).isEmpty();
                    }

                    @Override
                    public Optional<RunningJob> running(String id) {
                        return journal.liveJob(id)
                                .filter(job -> job.jobState() == JobState.RUNNING)
                                .map(job -> ForwardWords.running(job, groups));
                    }
                },
                services);
    }

    private static RunningJob running(JobRecord job, UserGroups groups) {
        String user = job.spec().user();
        return new RunningJob(
                job.run().site(),
                job.run().attempt(),
                job.run().nodes(),
                user,
                groups.knows(user, job.spec().uid()) ? groups.namesOf(user) : List.of());
    }

    /** For a user with these groups; none where no site has a service for them. */
    static List<String> notes(HeadConfig config, List<String> sites, List<String> groups) {
        List<String> notes = new ArrayList<>();
        for (String name : sites) {
            List<String> reached = Optional.ofNullable(config.sites().get(name)).map(HeadConfig.Site::forwards).stream()
                    .flatMap(List::stream)
                    .filter(each -> each.told().isFor(groups))
                    .map(ForwardWords::told)
                    .toList();
            if (!reached.isEmpty()) {
                notes.add("in " + name + " it reaches at home: " + String.join(", ", reached));
            }
        }
        return notes;
    }

    private static String told(HomeForward forward) {
        return forward.name() + " ("
                + forward.host()
                + ":"
                + forward.ports().stream().map(String::valueOf).collect(Collectors.joining(","))
                + ")";
    }
}
