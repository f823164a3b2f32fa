package org.spillway.proof.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.policy.Money;

/** The demo's jobs given to a Slurm by sbatch, by ordinary users. The head finds them there. */
final class SlurmWork implements DemoWork {
    static final String ADDRESS = "10.222.1.1";
    private static final int BASE_PORT = 26_000;
    /** As the regions' nodes reach it. */
    static final String CONTROLLER = ADDRESS + ":" + (BASE_PORT + 1);

    private final DemoFiles files;
    private final WorkloadLog log;
    private final DemoHead head;
    private final SlurmRoom room;
    /** The submitted jobs, by Slurm's number. */
    private final Map<String, SlurmJobs> submitted = new LinkedHashMap<>();

    SlurmWork(DemoFiles files, WorkloadLog log, DemoHead head, SlurmRoom room) {
        this.files = files;
        this.log = log;
        this.head = head;
        this.room = room;
    }

    @Override
    public String introduction() {
        return "starting a head beside a Slurm with 2 nodes at home; the regions east and west have nothing yet, and only"
                + " their directors' SSH ports are open";
    }

    @Override
    public void prepare() throws IOException, InterruptedException {
        Files.createDirectories(files.results());
        own(files.results(), SlurmJobs.ANN);
        String conf = WorkloadLog.resource("slurm.conf")
                .replace("@HOST@", InetAddress.getLocalHost().getHostName())
                .replace("@HOME@", ADDRESS)
                .replace("@CONTROLLER_PORT@", Integer.toString(BASE_PORT + 1))
                .replace("@NODE_PORT@", Integer.toString(BASE_PORT + 2))
                .replace("@HOME_NODES@", "10.222.1.[11-12]")
                .replace("@HOME_PORTS@", (BASE_PORT + 101) + "-" + (BASE_PORT + 102))
                .replace("@DIR@", files.folder().toString());
        room.configure();
        Files.writeString(files.slurmConf(), conf);
        room.daemons();
    }

    @Override
    public String submit() throws IOException, InterruptedException {
        List<SlurmJobs> atHome = SlurmJobs.atHome(log);
        for (SlurmJobs job : atHome) {
            submit(job);
        }
        List<String> parts = new ArrayList<>();
        for (SlurmJobs job : SlurmJobs.hours(log)) {
            parts.addAll(job.each(submit(job)));
        }
        parts.add(submit(SlurmJobs.gang(log)));
        submit(SlurmJobs.merge(parts, files.results().toString()));
        int count = submitted.values().stream().mapToInt(SlurmJobs::count).sum();
        return "submitted " + count + " jobs by sbatch, as ann and bob: " + atHome.size()
                + " for the partition home, the others for partitions of the regions, some for either";
    }

    /** Makes the job's folder with its data, as its user has it at home, and submits the script there. */
    private String submit(SlurmJobs job) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(Path.of(job.folder()));
        var slices = log.slices();
        for (SlurmJobs.Slices part : job.slices()) {
            for (var slice : slices.entrySet()) {
                if (slice.getKey().startsWith(part.cluster() + "/")) {
                    String file = slice.getKey().substring(part.cluster().length() + 1);
                    Path place = folder.resolve("slices").resolve(part.place()).resolve(file);
                    Files.createDirectories(place.getParent() == null ? folder : place.getParent());
                    Files.write(place, slice.getValue());
                }
            }
        }
        Files.createDirectories(folder.resolve("bin"));
        for (String tool : List.of("gpu-hours", "gpu-shapes")) {
            Files.copy(
                    files.image().resolve("bin").resolve(tool),
                    folder.resolve("bin").resolve(tool),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        if (job.name().equals(DemoJobs.GANG)) {
            Files.writeString(folder.resolve("shapes.sh"), WorkloadLog.resource("shapes.sh"));
        }
        Path script = Files.writeString(folder.resolve(job.name() + ".sbatch"), job.script());
        own(folder, job.user());
        Path jobs = folder.getParent();
        if (jobs != null) {
            setOwner(jobs, job.user());
        }
        String number = room.submit(job, script);
        submitted.put(number, job);
        return number;
    }

    private static void own(Path folder, String user) throws IOException {
        List<Path> all;
        try (var inside = Files.walk(folder)) {
            all = inside.toList();
        }
        for (Path one : all) {
            setOwner(one, user);
        }
    }

    private static void setOwner(Path file, String user) throws IOException {
        int uid = user.equals(SlurmJobs.ANN) ? SlurmJobs.ANN_UID : SlurmJobs.BOB_UID;
        Files.setAttribute(file, "unix:uid", uid);
        Files.setAttribute(file, "unix:gid", uid);
    }

    /** Slurm keeps a job until its data is at home; one with more restarts may come back after the head has seen its end. */
    @Override
    public boolean hasEnded(Scene scene) throws IOException, InterruptedException {
        if (!scene.allEnded()) {
            return false;
        }
        try {
            Set<String> queue = new HashSet<>(room.queue());
            return queue.isEmpty();
        } catch (IOException notNow) {
            // slurmctld may be on its way back.
            return false;
        }
    }

    @Override
    public Outcome outcome() throws IOException, InterruptedException {
        List<JobView> views = head.ask(client -> client.list("/jobs?ended=true", "jobs", JobView.class));
        List<DemoReport.JobPart> parts = new ArrayList<>();
        DemoReport.GangPart gang = new DemoReport.GangPart(List.of(), null);
        boolean asUser = true;
        for (var one : submitted.entrySet()) {
            for (Map<String, String> shown : room.show(one.getKey())) {
                SlurmJobs job = one.getValue();
                @Nullable JobDetail detail = detail(views, shown);
                boolean elsewhere = shown.getOrDefault("NodeList", "").startsWith(SlurmJobs.HOME);
                parts.add(elsewhere || detail == null ? atHome(job, shown) : DemoReport.JobPart.of(detail));
                if (detail != null && job.name().equals(DemoJobs.GANG)) {
                    gang = DemoReport.GangPart.of(detail);
                }
                asUser &= ranAs(job, shown);
            }
        }
        return new Outcome(parts, gang, asUser);
    }

    /** As the head knows it: by the number of the job, or by that of its array and of its task in it. */
    private @Nullable JobDetail detail(List<JobView> views, Map<String, String> shown) throws InterruptedException {
        String number = shown.containsKey("ArrayTaskId")
                ? shown.get("ArrayJobId") + "-" + shown.get("ArrayTaskId")
                : shown.getOrDefault("JobId", "");
        for (JobView view : views) {
            if (view.id().matches("slurm-" + number + "-[0-9]+")) {
                return head.ask(client -> client.get("/jobs/" + view.id(), JobDetail.class));
            }
        }
        return null;
    }

    /** Facts that Slurm alone knows, of a job that ran at home. */
    private static DemoReport.JobPart atHome(SlurmJobs job, Map<String, String> shown) {
        String state = shown.getOrDefault("JobState", "");
        String exit = shown.getOrDefault("ExitCode", "");
        Instant submitted = instant(shown, "SubmitTime");
        Instant started = instant(shown, "StartTime");
        Instant ended = instant(shown, "EndTime");
        String nodes = shown.getOrDefault("NodeList", "");
        return new DemoReport.JobPart(
                shown.getOrDefault("JobId", ""),
                job.name(),
                job.partitions(),
                nodes.startsWith(SlurmJobs.HOME) ? DemoFiles.HOME : "",
                state.equals("COMPLETED") ? JobState.DONE : JobState.FAILED,
                state.equals("COMPLETED") ? "" : state + " " + exit + " " + shown.getOrDefault("Reason", ""),
                1,
                1,
                new JobDetail.Timings(
                        submitted == null ? Instant.EPOCH : submitted,
                        null,
                        null,
                        null,
                        null,
                        started,
                        started,
                        ended,
                        null),
                0,
                0,
                0,
                Money.ZERO,
                Money.ZERO);
    }

    private static @Nullable Instant instant(Map<String, String> shown, String key) {
        String text = shown.getOrDefault(key, "");
        return text.matches("[0-9]{1,12}") ? Instant.ofEpochSecond(Long.parseLong(text)) : null;
    }

    /** The job's own findings, on each of its nodes. */
    private static boolean ranAs(SlurmJobs job, Map<String, String> shown) throws IOException {
        Path said = Path.of(shown.getOrDefault("StdOut", "/nonexistent"));
        int uid = job.user().equals(SlurmJobs.ANN) ? SlurmJobs.ANN_UID : SlurmJobs.BOB_UID;
        int least = job.name().equals(DemoJobs.GANG) ? 2 : 1;
        return Files.exists(said)
                && Files.readAllLines(said).stream()
                                .filter(line -> line.startsWith("uid " + uid + " "))
                                .count()
                        == least;
    }
}
