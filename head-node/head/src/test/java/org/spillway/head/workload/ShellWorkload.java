package org.spillway.head.workload;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.workload.ForeignJob.Facts;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.WorkloadView.Allocation;
import org.spillway.policy.Resources;

/**
 * A third workload manager: users give it scripts, and {@code sh} runs them once for each node of a job. First come, first
 * served, and gangs only off fabrics. All that is known is in its folder: a head that is killed leaves its shells to the
 * next one, and one that ends in order ends them.
 */
final class ShellWorkload implements WorkloadManager, NodeIntake, JobIntake, ForeignQueue {
    private final Path folder;
    private final Map<String, ShellJob> jobs = new LinkedHashMap<>();
    private final Map<String, ReleasedJob> released = new LinkedHashMap<>();
    private final Map<String, JoinedNode> nodes = new TreeMap<>();
    private final Set<String> draining = new HashSet<>();

    ShellWorkload(Path folder) {
        this.folder = folder;
        look();
    }

    /** A user submits by making the folder of the next number. */
    private void look() {
        for (int next = jobs.size() + 1; Files.exists(folder.resolve(next + "/submitted")); next++) {
            var job = new ShellJob(folder.resolve(Integer.toString(next)));
            jobs.put(job.key(), job);
        }
    }

    @Override
    public String name() {
        return "shell";
    }

    @Override
    public NodeIntake nodes() {
        return this;
    }

    @Override
    public JobIntake jobs() {
        return this;
    }

    @Override
    public Optional<ForeignQueue> foreignQueue() {
        return Optional.of(this);
    }

    @Override
    public WorkloadView poll(Instant now) throws WorkloadUnavailable {
        List<Allocation> allocations = new ArrayList<>();
        try {
            look();
            for (ReleasedJob job : released.values()) {
                of(job.foreign(), ShellJob::waits, mine -> start(mine, job, now));
                of(job.foreign(), ShellJob::runs, mine -> allocations.add(mine.given(job.id())));
            }
        } catch (UncheckedIOException e) {
            throw new WorkloadUnavailable("no shell for a job below " + folder, e);
        }
        return new WorkloadView(
                allocations, jobs.values().stream().map(ShellJob::told).toList());
    }

    private void start(ShellJob mine, ReleasedJob job, Instant now) {
        List<String> places = nodes.values().stream()
                .filter(node -> node.site().equals(job.site())
                        && (job.count() == 1 || node.fabric().isEmpty()))
                .filter(node -> job.fit().takes(node))
                .filter(node -> !draining.contains(node.id()) && job.perNode().fitsIn(room(node)))
                .limit(job.count())
                .map(JoinedNode::id)
                .toList();
        if (job.nodes().isEmpty() && places.size() == job.count()) {
            mine.start(job.attempt() + 1, places, now);
        }
    }

    private Resources room(JoinedNode node) {
        var there = jobs.values().stream().filter(job -> job.nodes().contains(node.id()));
        return node.resources()
                .minus(Resources.of(there.mapToInt(job -> job.number("cpus")).sum(), 0, 0));
    }

    private void of(String key, Predicate<ShellJob> which, Consumer<ShellJob> change) {
        Optional.ofNullable(jobs.get(key)).filter(which).ifPresent(change);
    }

    @Override
    public void join(JoinedNode node) {
        nodes.put(node.id(), node);
        draining.remove(node.id());
    }

    @Override
    public void drain(String node, String reason) {
        draining.add(node);
    }

    @Override
    public void leave(String node) {
        nodes.remove(node);
        jobs.values().stream().filter(job -> job.nodes().contains(node)).forEach(ShellJob::breakOff);
    }

    @Override
    public void release(ReleasedJob job) {
        released.put(job.id(), job);
        int over = job.nodes().isEmpty() ? job.attempt() : -1;
        of(job.foreign(), mine -> mine.runs() && mine.number("attempt") <= over, ShellJob::breakOff);
    }

    @Override
    public void withdraw(String job) {
        ReleasedJob known = released.remove(job);
        of(known == null ? "" : known.foreign(), ShellJob::runs, ShellJob::breakOff);
    }

    @Override
    public void tell(String key, String sentence) {
        of(key, job -> true, job -> job.set("said", sentence));
    }

    @Override
    public void end(String key, String why) {
        tell(key, why);
        of(key, job -> job.waits() || job.runs(), job -> job.set("cancelled", "yes"));
        of(key, ShellJob::runs, ShellJob::kill);
    }

    @Override
    public void again(String key, String why) {
        tell(key, why);
        of(key, job -> !job.waits(), ShellJob::breakOff);
    }

    @Override
    public void close() {
        jobs.values().stream().filter(ShellJob::runs).forEach(ShellJob::breakOff);
    }

    /** A job in a folder of its own: its script, what is known of it, and a shell for each of its nodes, whoever started them. */
    private static final class ShellJob {
        /** The folder is $0 and the run's part $1. Each shell leads a group of processes, which ends with it. */
        private static final String SHELL = """
                cd "$0" && sh ./script >"out.$1" 2>&1
                echo $? >"new.$1" && mv "new.$1" "exit.$1"
                kill -9 0""";

        private final Path folder;
        private List<ProcessHandle> shells;

        ShellJob(Path folder) {
            this.folder = folder;
            shells = ProcessHandle.allProcesses().filter(this::isShell).toList();
        }

        private boolean isShell(ProcessHandle process) {
            var words = List.of(process.info().arguments().orElse(new String[0]));
            return words.contains(folder.toString()) && words.getLast().startsWith(run() + "-");
        }

        String key() {
            return "shell:" + folder.getFileName() + ":" + number("submitted");
        }

        boolean waits() {
            return fact("nodes").isEmpty() && fact("cancelled").isEmpty();
        }

        boolean runs() {
            return !fact("nodes").isEmpty() && shells.stream().anyMatch(ProcessHandle::isAlive);
        }

        Allocation given(String job) {
            return new Allocation(job, number("attempt"), nodes());
        }

        List<String> nodes() {
            return runs() ? List.of(fact("nodes").split(",")) : List.of();
        }

        private String run() {
            return fact("attempt") + "-" + number("restarts");
        }

        private String fact(String name) {
            Path file = folder.resolve(name);
            try {
                return Files.exists(file) ? Files.readString(file).strip() : "";
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private int number(String name) {
            return fact(name).isEmpty() ? 0 : Integer.parseInt(fact(name));
        }

        ForeignJob told() {
            String number = String.valueOf(folder.getFileName());
            var owner = new JobSpec.Owner("nobody", 65534, 65534);
            var data = new JobSpec.Data(List.of(), List.of(), folder.toString());
            List<String> sites = List.of("here");
            var need = new JobSpec.Need(Resources.of(number("cpus"), 0, 0), number("count"), Duration.ofHours(1));
            var submitted = Instant.ofEpochSecond(number("submitted"));
            var terms = JobSpec.Terms.NONE;
            var what = new Facts(number, owner, "main", sites, need, 0, true, data, submitted, terms);
            return new ForeignJob(key(), number, what, status());
        }

        private Status status() {
            int restarts = number("restarts");
            var since = Instant.ofEpochSecond(number("since"));
            if (runs()) {
                return new Status.Allocated(nodes(), restarts, since);
            }
            boolean over = !fact("cancelled").isEmpty();
            var ended = new Status.Ended(restarts, since, exit(), over, Cause.NONE, true, Status.Place.OURS);
            return waits() ? new Status.Waiting(fact("said")) : ended;
        }

        /** The worst of its shells' codes; one that was shot left none. */
        private int exit() {
            var codes = IntStream.range(0, number("count")).mapToObj(rank -> fact("exit." + run() + "-" + rank));
            return codes.mapToInt(code -> code.isEmpty() ? 255 : Integer.parseInt(code))
                    .max()
                    .orElse(255);
        }

        void start(int attempt, List<String> nodes, Instant now) {
            set("attempt", Integer.toString(attempt));
            set("since", Long.toString(now.getEpochSecond()));
            set("nodes", String.join(",", nodes));
            shells = new ArrayList<>();
            for (String node : nodes) {
                shells.add(start(node, "setsid", "sh", "-c", SHELL, folder.toString(), run() + "-" + shells.size()));
            }
        }

        void breakOff() {
            kill();
            set("restarts", Integer.toString(number("restarts") + 1));
            set("cancelled", "");
            set("nodes", "");
        }

        /** By its group, for a shell ends alone; and by its own id, since a young one leads no group yet. */
        void kill() {
            var alive = shells.stream().filter(ProcessHandle::isAlive);
            String groups = alive.map(it -> it.pid() + " -" + it.pid()).collect(joining(" "));
            start("", "sh", "-c", "kill -9 " + groups).onExit().join();
        }

        private static ProcessHandle start(String node, String... command) {
            var process = new ProcessBuilder(command).redirectErrorStream(true);
            process.redirectOutput(ProcessBuilder.Redirect.DISCARD);
            process.environment().put("NODE", node);
            try {
                return process.start().toHandle();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void set(String fact, String value) {
            try {
                Files.move(Files.writeString(folder.resolve("next"), value), folder.resolve(fact), ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
