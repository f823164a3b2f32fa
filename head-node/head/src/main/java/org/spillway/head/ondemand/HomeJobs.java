package org.spillway.head.ondemand;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.Json;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.staging.ResultsHome;
import org.spillway.stage.worker.Identity;

/**
 * Brings results of a child's jobs to the folder at home that its owner named: those of each job as the user who
 * submitted it, to {@code FOLDER/CLUSTER-JOB/NAME}. Blocks. What the child says is a stranger's.
 */
public final class HomeJobs {
    private static final int MOST_JOBS = 10_000;

    private final Children children;
    private final ResultsHome home;
    private final Function<String, List<Integer>> groups;

    /** @param groups supplementary groups of a login name, as they are at home now */
    public HomeJobs(Children children, ResultsHome home, Function<String, List<Integer>> groups) {
        this.children = children;
        this.home = home;
        this.groups = groups;
    }

    /**
     * A pass's result.
     *
     * @param brought jobs whose results are at home now, and were not before
     * @param open jobs that have not ended
     * @param failed why results of jobs are not at home
     */
    record Pass(Set<String> brought, int open, Map<String, String> failed) {
        Pass {
            brought = Set.copyOf(brought);
            failed = Map.copyOf(failed);
        }
    }

    /**
     * @param before jobs whose results are at home already
     * @param last whether the cluster is about to go: what has not ended is cancelled, but for results on their way
     * @throws IOException if the child's head does not answer
     */
    Pass pass(ClusterRecord child, Set<String> before, boolean last) throws IOException {
        List<JobView> jobs = Json.list(get(child, "/jobs?ended=true&limit=" + MOST_JOBS), "jobs", JobView.class);
        Set<String> brought = new HashSet<>();
        Map<String, String> failed = new LinkedHashMap<>();
        int open = 0;
        for (JobView job : jobs) {
            if (!job.id().matches("[A-Za-z0-9-]{1,40}")) {
                throw new IOException("the child's head names a job that cannot be one");
            }
            if (!job.state().isTerminal()) {
                open++;
                if (last && job.state() != JobState.STAGING_OUT) {
                    children.ask(
                            child,
                            null,
                            new Children.Question("POST", "/jobs/" + job.id() + "/cancel", "", new byte[0]));
                }
            } else if (!before.contains(job.id())) {
                try {
                    bring(child, job);
                    brought.add(job.id());
                } catch (IOException failure) {
                    failed.put(job.id(), String.valueOf(failure.getMessage()));
                }
            }
        }
        return new Pass(brought, open, failed);
    }

    private byte[] get(ClusterRecord child, String path) throws IOException {
        Children.Answer answer = children.ask(child, null, new Children.Question("GET", path, "", new byte[0]));
        if (answer.status() != 200) {
            throw new IOException("the child's head answers " + answer.status());
        }
        return answer.body();
    }

    private void bring(ClusterRecord child, JobView job) throws IOException {
        Optional<ClusterRecord.User> user = child.spec().users().stream()
                .filter(one -> one.uid() == job.uid())
                .findFirst();
        if (user.isEmpty()) {
            throw new IOException("uid " + job.uid() + " is none of the cluster's users");
        }
        Path folder = Path.of(child.spec().results()).resolve(child.id() + "-" + job.id());
        var who = new Identity(
                user.get().name(),
                user.get().uid(),
                user.get().gid(),
                groups.apply(user.get().name()));
        Set<String> names = new HashSet<>();
        int number = 0;
        for (String place : places(Json.read(get(child, "/jobs/" + job.id()), JobDetail.class))) {
            String name = name(place);
            // Two of one name lie in folders of their own.
            Path destination = names.add(name)
                    ? folder.resolve(name)
                    : folder.resolve(number + "").resolve(name);
            number++;
            home.bring(
                    who,
                    name,
                    destination,
                    child.id() + "-" + job.id(),
                    sink -> children.pack(child, user.get(), place, sink));
        }
    }

    private static List<String> places(JobDetail detail) {
        List<String> places = new ArrayList<>();
        for (JobDetail.OutputView output : detail.outputs()) {
            if (output.state().equals("published") && !places.contains(output.destination())) {
                places.add(output.destination());
            }
        }
        return places;
    }

    private static String name(String place) throws IOException {
        try {
            Path path = Path.of(place).normalize();
            if (path.isAbsolute() && path.getFileName() != null && place.indexOf('\n') < 0) {
                return path.getFileName().toString();
            }
        } catch (InvalidPathException unusable) {
            // Told below.
        }
        throw new IOException("the child's head names a result that cannot be one");
    }
}
