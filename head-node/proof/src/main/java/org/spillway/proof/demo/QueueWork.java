package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.spillway.api.JobDetail;
import org.spillway.api.JobSubmission;
import org.spillway.api.Submitted;
import org.spillway.cli.HeadClient;

/** The demo's jobs in the head's own queue. */
final class QueueWork implements DemoWork {
    private final DemoFiles files;
    private final WorkloadLog log;
    private final DemoHead head;
    private final Regions regions;
    /** Job ids by the names that the demo gave them, in the order of submission. */
    private final Map<String, String> ids = new LinkedHashMap<>();

    QueueWork(DemoFiles files, WorkloadLog log, DemoHead head, Regions regions) {
        this.files = files;
        this.log = log;
        this.head = head;
        this.regions = regions;
    }

    @Override
    public String introduction() {
        return "starting a head with its sites: home with 2 nodes, " + String.join(" and ", regions.names())
                + " with nothing yet";
    }

    @Override
    public String submit() throws IOException, InterruptedException {
        DemoJobs jobs = new DemoJobs(files, log);
        List<JobSubmission> atHome = jobs.atHome();
        for (JobSubmission job : atHome) {
            submit(job);
        }
        List<String> parts = new ArrayList<>();
        for (JobSubmission job : jobs.hours()) {
            parts.add(submit(job));
        }
        parts.add(submit(jobs.gang()));
        submit(jobs.merge(parts));
        return "submitted " + ids.size() + " jobs: " + atHome.size()
                + " for the queue home, the others mostly for the queue " + DemoJobs.DEFAULT_QUEUE
                + ", which takes them to a region when home is full";
    }

    @Override
    public String submitSteps(int count, int syncSeconds) throws IOException, InterruptedException {
        return submit(new DemoJobs(files, log).steps(count, syncSeconds));
    }

    private String submit(JobSubmission job) throws InterruptedException {
        String key = UUID.randomUUID().toString();
        String id = head.ask(client -> HeadClient.read(client.post("/jobs", key, job), Submitted.class))
                .id();
        ids.put(job.name(), id);
        return id;
    }

    @Override
    public boolean hasEnded(Scene scene) {
        return scene.allEnded();
    }

    @Override
    public Outcome outcome() throws IOException, InterruptedException {
        List<JobDetail> details = new ArrayList<>();
        for (String id : ids.values()) {
            details.add(head.ask(client -> client.get("/jobs/" + id, JobDetail.class)));
        }
        JobDetail gang = details.stream()
                .filter(detail -> detail.job().name().equals(DemoJobs.GANG))
                .findFirst()
                .orElseThrow();
        return new Outcome(
                details.stream().map(DemoReport.JobPart::of).toList(),
                DemoReport.GangPart.of(gang),
                ranAsUser(details));
    }

    /** The jobs' own findings, on each of their nodes, and no warning of the head. */
    private boolean ranAsUser(List<JobDetail> details) throws IOException {
        String own = "uid " + DemoFiles.Account.ofOwner(files.config()).uid() + " ";
        for (JobDetail detail : details) {
            for (int rank = 0; rank < detail.job().nodeCount(); rank++) {
                Path said =
                        files.results().resolve("log/" + detail.job().name() + ".out" + (rank == 0 ? "" : "." + rank));
                if (!Files.exists(said) || !Files.readString(said).startsWith(own)) {
                    return false;
                }
            }
            if (detail.warnings().stream().anyMatch(warning -> warning.startsWith("RAN_AS_ANOTHER"))) {
                return false;
            }
        }
        return true;
    }
}
