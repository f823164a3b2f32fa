package org.spillway.proof.demo;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendView;
import org.spillway.cli.HeadClient;

/** The head's view at one moment. @param jobs in the order of their submission */
record Scene(Duration at, List<JobView> jobs, List<NodeView> nodes, List<SiteView> sites, SpendView spend) {
    Scene {
        jobs = List.copyOf(jobs);
        nodes = List.copyOf(nodes);
        sites = List.copyOf(sites);
    }

    static Scene of(HeadClient head, Duration at) {
        List<JobView> jobs = head.list("/jobs?ended=true", "jobs", JobView.class).stream()
                .sorted(Comparator.comparing(JobView::submittedAt).thenComparing(JobView::id))
                .toList();
        return new Scene(
                at,
                jobs,
                head.list("/nodes", "nodes", NodeView.class),
                head.list("/sites", "sites", SiteView.class),
                head.get("/spend", SpendView.class));
    }

    boolean allEnded() {
        return jobs.stream().allMatch(job -> job.state().isTerminal());
    }

    boolean isAnyRunning() {
        return jobs.stream().anyMatch(job -> job.state() == JobState.RUNNING);
    }
}
