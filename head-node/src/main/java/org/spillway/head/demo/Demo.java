package org.spillway.head.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cli.HeadClient;
import org.spillway.head.rest.JobDetail;
import org.spillway.head.rest.JobSubmission;
import org.spillway.head.rest.NodeView;
import org.spillway.head.rest.SiteView;
import org.spillway.head.rest.Submitted;
import org.spillway.head.rest.WebView;

/** One run of the demo, step by step. It talks to the head as every user does, and to the clouds to count. */
final class Demo {
    private static final Duration JOBS = Duration.ofMinutes(3);
    private static final Duration REPLICAS = Duration.ofSeconds(30);
    private static final Duration RELEASE = Duration.ofSeconds(60);
    private static final long LOOK_MILLIS = 300;
    private static final String NEW_USER = "ada";
    private static final int NEW_UID = 20_815;

    private final DemoFiles files;
    private final WorkloadLog log;
    private final DemoHead head;
    private final Progress progress;
    private final List<CloudDoor> clouds;
    private final @Nullable Chaos chaos;
    private final boolean keep;
    private final Instant began;
    private final InstanceLedger ledger = new InstanceLedger();
    private final ImageWatch images = new ImageWatch();
    private final UserProbe probe;
    /** Job ids by the names that the demo gave them, in the order of submission. */
    private final Map<String, String> ids = new LinkedHashMap<>();

    private final TreeMap<String, java.math.BigDecimal> found = new TreeMap<>();
    private @Nullable Duration added;

    /**
     * @param draw null for no chaos
     * @param began when the command was given
     */
    Demo(
            DemoFiles files,
            WorkloadLog log,
            DemoHead head,
            Progress progress,
            Chaos.@Nullable Draw draw,
            boolean keep,
            Instant began) {
        this.files = files;
        this.log = log;
        this.head = head;
        this.progress = progress;
        this.clouds = DemoFiles.SITES.stream()
                .map(site -> new CloudDoor(site, files.cloud(site)))
                .toList();
        this.chaos = draw == null ? null : new Chaos(draw, head, clouds);
        this.keep = keep;
        this.began = began;
        this.probe = new UserProbe(files.state());
    }

    DemoReport run() throws IOException, InterruptedException {
        Answer expected = Answer.of(log.rows());
        head.begin();
        say("starting a head with three sites: home with 2 nodes, local-east and local-west with nothing yet");
        head.awaitUp();
        if (keep) {
            say("watch it in a browser: "
                    + head.ask(client -> client.get("/web", WebView.class)).link());
        }
        submit();
        untilJobsEnd();
        untilReplicated();
        List<JobDetail> details = details();
        if (!keep) {
            release();
        }
        count();
        progress.end();
        return report(expected, details);
    }

    private void submit() throws IOException, InterruptedException {
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
        say("submitted " + ids.size() + " jobs: " + atHome.size()
                + " for the queue home, the others mostly for the queue " + DemoJobs.DEFAULT_QUEUE
                + ", which takes them to a region when home is full");
    }

    private String submit(JobSubmission job) throws InterruptedException {
        String key = UUID.randomUUID().toString();
        String id = head.ask(client -> HeadClient.read(client.post("/jobs", key, job), Submitted.class))
                .id();
        ids.put(job.name(), id);
        return id;
    }

    private void untilJobsEnd() throws IOException, InterruptedException {
        Duration limit = at().plus(JOBS);
        Scene scene = look();
        while (!scene.allEnded()) {
            if (at().compareTo(limit) > 0) {
                throw new IOException("the jobs have not ended after " + JOBS.toSeconds() + " s:\n"
                        + String.join("\n", ProgressPage.block(scene, 200)));
            }
            Thread.sleep(LOOK_MILLIS);
            scene = look();
            strike(scene);
            changeWhileRunning(scene);
        }
    }

    private Scene look() throws InterruptedException {
        Scene scene = head.ask(client -> Scene.of(client, at()));
        images.look(scene);
        progress.show(scene);
        count();
        return scene;
    }

    /** A cloud that does not answer now is asked again with the next look. */
    private void count() {
        for (CloudDoor cloud : clouds) {
            try {
                ledger.look(cloud.site(), cloud.machines());
            } catch (IOException notNow) {
                continue;
            }
        }
    }

    private void strike(Scene scene) throws IOException, InterruptedException {
        if (chaos != null && chaos.struck().isEmpty()) {
            Optional<Chaos.Struck> struck = chaos.look(scene);
            struck.ifPresent(blow -> say("CHAOS: " + blow.what()));
        }
    }

    /** When the first job runs, a user joins the cluster and the image gets another version. */
    private void changeWhileRunning(Scene scene) throws IOException {
        if (added == null && scene.isAnyRunning()) {
            files.addUser(NEW_USER, NEW_UID);
            files.changeImage("changed while jobs ran\n");
            added = at();
            say("added the user " + NEW_USER + " at home and changed the image; the regions should see both");
        }
        lookForUser(scene);
    }

    private void lookForUser(Scene scene) {
        if (added == null) {
            return;
        }
        for (SiteView site : scene.sites()) {
            boolean region = DemoFiles.REGIONS.contains(site.name());
            if (region && !found.containsKey(site.name()) && probe.find(site, NEW_USER) == NEW_UID) {
                Duration took = at().minus(added);
                found.put(site.name(), DemoReport.seconds(took, 1));
                say("found the user " + NEW_USER + " in the directory of " + site.name());
            }
        }
    }

    private boolean isReplicated() {
        return found.keySet().containsAll(DemoFiles.REGIONS);
    }

    private void untilReplicated() throws InterruptedException {
        Duration limit = at().plus(REPLICAS);
        while (!(isReplicated() && images.hasChanged() && images.isEverywhere()) && at().compareTo(limit) < 0) {
            lookForUser(look());
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private List<JobDetail> details() throws InterruptedException {
        List<JobDetail> details = new ArrayList<>();
        for (String id : ids.values()) {
            details.add(head.ask(client -> client.get("/jobs/" + id, JobDetail.class)));
        }
        return details;
    }

    /** As {@code spillway stop --release} does. */
    private void release() throws IOException, InterruptedException {
        say("all jobs have ended; ending all instances");
        head.ask(client -> client.post("/release"));
        Duration limit = at().plus(RELEASE);
        while (liveNodes() > 0) {
            if (at().compareTo(limit) > 0) {
                throw new IOException("instances are left after " + RELEASE.toSeconds() + " s");
            }
            count();
            Thread.sleep(LOOK_MILLIS);
        }
        head.ask(client -> client.post("/shutdown"));
    }

    private long liveNodes() throws InterruptedException {
        return head.ask(client -> client.list("/nodes", "nodes", NodeView.class)).stream()
                .filter(node -> !node.state().isTerminal())
                .count();
    }

    private DemoReport report(Answer expected, List<JobDetail> details) throws IOException {
        Answer got =
                Answer.parse(Files.exists(files.merged()) ? Files.readAllLines(files.merged()) : List.<String>of());
        JobDetail gang = details.stream()
                .filter(detail -> detail.job().name().equals(DemoJobs.GANG))
                .findFirst()
                .orElseThrow();
        return new DemoReport(
                DemoReport.AnswerPart.of(expected, got),
                details.stream().map(DemoReport.JobPart::of).toList(),
                DemoReport.GangPart.of(gang),
                new DemoReport.InstancesPart(ledger.launched(), ledger.terminated(), ledger.left(), keep),
                new DemoReport.IdentityPart(isReplicated(), ranAsUser(details), NEW_USER, found),
                images.report(),
                chaosPart(),
                DemoReport.seconds(at(), 1));
    }

    /** What each job found out itself, on each of its nodes, and no warning of the head. */
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

    private DemoReport.@Nullable ChaosPart chaosPart() {
        if (chaos == null) {
            return null;
        }
        Chaos.Draw draw = chaos.draw();
        return chaos.struck()
                .map(blow -> new DemoReport.ChaosPart(
                        draw.kind().word(), draw.seed(), DemoReport.seconds(blow.at(), 1), blow.what()))
                .orElseGet(
                        () -> new DemoReport.ChaosPart(draw.kind().word(), draw.seed(), null, "all jobs ended before"));
    }

    private Duration at() {
        return Duration.between(began, Instant.now());
    }

    private void say(String text) {
        progress.say(at(), text);
    }
}
