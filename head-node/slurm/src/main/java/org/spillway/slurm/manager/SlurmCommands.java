package org.spillway.slurm.manager;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.workload.WorkloadUnavailable;

/**
 * Asks slurmctld, and tells it, by Slurm's own commands: with argument vectors and never through a shell, in an
 * environment of their own, for a bounded time and with a bounded answer. Keeps nothing.
 */
final class SlurmCommands {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmCommands.class);
    /** Where Slurm's programs are looked for; the head's own PATH is not asked. */
    private static final List<String> FOLDERS =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/opt/slurm/bin");

    private static final Duration LIMIT = Duration.ofSeconds(10);
    /** 10,000 jobs are 2.5 MB (ADR 14). */
    private static final int MOST_BYTES = 64 << 20;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path conf;
    private volatile @Nullable Dialect dialect;
    /** As told in the last look. */
    private volatile @Nullable OpenModes modes;

    SlurmCommands(Path conf) {
        this.conf = conf;
    }

    private record Answer(int code, String out, String errors) {
        String firstError() {
            return errors.lines()
                    .filter(line -> !line.isBlank())
                    .findFirst()
                    .orElse("it ended with " + code)
                    .strip();
        }
    }

    List<SlurmNode> nodes() throws WorkloadUnavailable, InterruptedException {
        String nonce = nonce();
        Answer answer = asked(List.of("sinfo", "-a", "-h", "-N", "-O", SlurmRows.format(SlurmNode.FIELDS, nonce)));
        try {
            return SlurmListing.nodes(answer.out, answer.errors, nonce);
        } catch (UnreadableAnswer e) {
            throw new WorkloadUnavailable("sinfo: " + e.getMessage(), e);
        }
    }

    /** @param partitions that exist; with none of them nothing is asked */
    SlurmListing<SlurmJob> jobs(List<String> partitions) throws WorkloadUnavailable, InterruptedException {
        if (partitions.isEmpty()) {
            return new SlurmListing<>(List.of(), List.of());
        }
        String nonce = nonce();
        Dialect spoken = dialect();
        Answer answer = run(List.of(
                "squeue",
                "-a",
                "-h",
                spoken.apart(),
                "-p",
                String.join(",", partitions),
                "-O",
                SlurmRows.format(spoken.fields(), nonce)));
        if (answer.code != 0) {
            // Slurm may be of another release now.
            dialect = null;
            throw failed("squeue", answer);
        }
        try {
            return SlurmListing.jobs(answer.out, answer.errors, nonce, spoken);
        } catch (UnreadableAnswer e) {
            throw new WorkloadUnavailable("squeue: " + e.getMessage(), e);
        }
    }

    private Dialect dialect() throws WorkloadUnavailable, InterruptedException {
        Dialect known = dialect;
        if (known == null) {
            boolean unique = run(List.of("squeue", Dialect.UNIQUE, "--version")).code == 0;
            known = new Dialect(
                    unique ? Dialect.UNIQUE : Dialect.EACH,
                    knows(Dialect.EXCLUSIVE) ? Dialect.EXCLUSIVE : Dialect.OVERSUBSCRIBE);
            dialect = known;
        }
        return known;
    }

    /** Asks for a column of no job. */
    private boolean knows(String field) throws WorkloadUnavailable, InterruptedException {
        String nonce = nonce();
        Answer answer = asked(List.of("squeue", "-h", "-n", nonce, "-O", SlurmRows.format(List.of(field), nonce)));
        try {
            SlurmRows.parse(answer.out, answer.errors, 1, nonce);
            return true;
        } catch (UnreadableAnswer unknown) {
            return false;
        }
    }

    /** How many of each are free, by name. */
    Map<String, Integer> licences() throws WorkloadUnavailable, InterruptedException {
        try {
            Map<String, Integer> free = new HashMap<>();
            SlurmListing.licences(asked(List.of("scontrol", "-o", "show", "licenses")).out)
                    .forEach(licence -> free.put(licence.name(), licence.free()));
            return free;
        } catch (UnreadableAnswer e) {
            throw new WorkloadUnavailable("scontrol show licenses: " + e.getMessage(), e);
        }
    }

    /** Whether a partition is DOWN by slurm.conf's own word: a head that opens one says a least number of nodes, too. */
    boolean isClosed(String partition) throws WorkloadUnavailable, InterruptedException {
        String said = asked(List.of("scontrol", "-o", "show", "partition", partition)).out;
        return said.contains(" State=DOWN ") && said.contains(" MinNodes=0 ");
    }

    /** When slurmctld was started: one that was killed has forgotten what it did last. */
    Instant started() throws WorkloadUnavailable, InterruptedException {
        try {
            String config = config();
            modes = OpenModes.of(config);
            return SlurmText.started(config);
        } catch (UnreadableAnswer e) {
            throw new WorkloadUnavailable("scontrol show config: " + e.getMessage(), e);
        }
    }

    private String plugins() throws WorkloadUnavailable, InterruptedException {
        return SlurmText.configured("PluginDir", config()).orElse("");
    }

    private String config() throws WorkloadUnavailable, InterruptedException {
        return asked(List.of("scontrol", "show", "config")).out;
    }

    /**
     * The details that squeue does not tell of a job; empty when Slurm does not know it any more. @param id digits, or
     * {@code ARRAY_TASK}
     */
    Optional<JobDetail> detail(String id) throws WorkloadUnavailable, InterruptedException {
        Answer answer = run(List.of("scontrol", "-o", "show", "job", dialect().asked(id)));
        Optional<JobDetail> told = detail(id, answer.code, answer.out, answer.firstError());
        if (told.isEmpty()) {
            return told;
        }
        OpenModes known = modes;
        if (known == null) {
            known = OpenModes.of(config());
            modes = known;
        }
        JobDetail its = told.get();
        return Optional.of(its.adding(its.asked().adds().orElse(known.adds(its.array()))));
    }

    /** Of jobs whose state hides it whether somebody ended them, by id; empty where Slurm does not say it. Tells all jobs: not for every look. */
    Map<Long, Boolean> cancelled() throws InterruptedException {
        try {
            return HiddenEnds.cancelled(asked(List.of("squeue", "-a", "--json")).out);
        } catch (IOException | WorkloadUnavailable e) {
            LOG.debug("squeue --json: {}", e.getMessage());
            return Map.of();
        }
    }

    /** The meaning of an answer: only one that says so means that there is no such job. */
    static Optional<JobDetail> detail(String id, int code, String out, String error) throws WorkloadUnavailable {
        String text = out.strip();
        if (code == 0 && text.startsWith("JobId=")) {
            return JobDetail.parse(id, text);
        }
        if (error.contains("Invalid job id") || text.equals("Job " + id + " not found")) {
            return Optional.empty();
        }
        throw new WorkloadUnavailable("scontrol show job: " + error, new IOException(error));
    }

    /** Whether Slurm itself holds a job, as it could not be launched. */
    boolean isHeldByLaunch(String id) throws WorkloadUnavailable, InterruptedException {
        Answer answer = run(List.of("scontrol", "-o", "show", "job", id));
        return answer.out.contains(" Reason=launch_failed_requeued_held ");
    }

    Optional<SlurmReservation> reservation(String name) throws WorkloadUnavailable, InterruptedException {
        Answer answer = run(List.of("scontrol", "-o", "show", "reservation", name));
        if (answer.out.contains(" not found") || answer.out.contains("No reservations")) {
            return Optional.empty();
        }
        if (answer.code != 0) {
            throw new WorkloadUnavailable(
                    "scontrol show reservation: " + answer.firstError(), new IOException(answer.firstError()));
        }
        try {
            return Optional.of(SlurmReservation.parse(answer.out));
        } catch (UnreadableAnswer e) {
            throw new WorkloadUnavailable("scontrol show reservation: " + e.getMessage(), e);
        }
    }

    /** @return what Slurm said against it; empty when it was done */
    Optional<String> say(SlurmOrder order) throws WorkloadUnavailable, InterruptedException {
        Answer answer = run(
                order instanceof SlurmOrder.ExitCode(long number)
                        ? JobCompletion.command(plugins(), number, 1)
                        : order.arguments());
        return answer.code == 0 ? Optional.empty() : Optional.of(answer.firstError());
    }

    private Answer asked(List<String> command) throws WorkloadUnavailable, InterruptedException {
        Answer answer = run(command);
        if (answer.code != 0) {
            throw failed(command.getFirst(), answer);
        }
        return answer;
    }

    private static WorkloadUnavailable failed(String program, Answer answer) {
        return new WorkloadUnavailable(program + ": " + answer.firstError(), new IOException(answer.firstError()));
    }

    private Answer run(List<String> command) throws WorkloadUnavailable, InterruptedException {
        List<String> vector = new ArrayList<>(command);
        vector.set(0, command.getFirst().startsWith("/") ? command.getFirst() : program(command.getFirst()));
        var builder = new ProcessBuilder(vector);
        builder.environment().clear();
        builder.environment().putAll(SlurmRows.environment());
        builder.environment().put("SLURM_CONF", conf.toString());
        builder.environment().put("PATH", String.join(":", FOLDERS));
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new WorkloadUnavailable(command.getFirst() + " could not be started", e);
        }
        try {
            process.getOutputStream().close();
            var out = reader(process.getInputStream());
            var errors = reader(process.getErrorStream());
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("no answer within " + LIMIT.toSeconds() + " s");
            }
            return new Answer(process.exitValue(), finished(out), finished(errors));
        } catch (IOException e) {
            throw new WorkloadUnavailable(command.getFirst() + ": " + e.getMessage(), e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static FutureTask<String> reader(InputStream stream) {
        var task = new FutureTask<>(() -> {
            try (stream) {
                byte[] bytes = stream.readNBytes(MOST_BYTES + 1);
                if (bytes.length > MOST_BYTES) {
                    throw new IOException("the answer has more than " + MOST_BYTES + " bytes");
                }
                return new String(bytes, StandardCharsets.UTF_8);
            }
        });
        Thread.startVirtualThread(task);
        return task;
    }

    private static String finished(FutureTask<String> reading) throws IOException, InterruptedException {
        try {
            return reading.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IOException("its output did not end", e);
        }
    }

    private static String program(String name) throws WorkloadUnavailable {
        for (String folder : FOLDERS) {
            Path path = Path.of(folder, name);
            if (Files.isExecutable(path)) {
                return path.toString();
            }
        }
        throw new WorkloadUnavailable(name + " is not installed", new IOException("not in " + FOLDERS));
    }

    private static String nonce() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
