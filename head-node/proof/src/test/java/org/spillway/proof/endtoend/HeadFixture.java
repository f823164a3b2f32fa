package org.spillway.proof.endtoend;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.Submitted;
import org.spillway.cli.CliFailure;
import org.spillway.cli.Commands;
import org.spillway.cli.HeadClient;
import org.spillway.head.command.HeadCommands;
import org.spillway.head.config.Installed;
import picocli.CommandLine.Command;

/** A real head in a process of its own, with the local-cloud that it starts; all of it ends with {@link #close}. */
final class HeadFixture implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String NSS = "{ source: nss }";
    private static final String CONFIG = """
            cluster: e2e
            state: ./state
            budget: { limit: 50.00, period: day }
            directory: %s
            image: { name: base, tree: ./image }
            queues: { east: { sites: [east], maxWalltime: 10m, default: true } }
            scaler: { tick: 1s, settings: { idleTime: 10m } }
            sites:
              east:
                driver: local
                maxNodes: 2
                director: { type: small, idle: 10m }
                options: { state: '%s', config: '%s', consistencySeconds: '1' }
            """;
    private static final String CLOUD = """
            types:
              - { name: small, cpus: 2, memoryGiB: 4, pricePerHour: 0.20, bootSeconds: 0.1 }
            """;

    private final Path folder;
    private final Installation installation;
    private List<String> before = List.of();
    private Map<String, String> environment = Map.of();
    private @Nullable Process head;

    /** Made by a first head: one that is killed, as most are here, archives nothing. */
    private static final class Archived {
        static final Installation INSTALLATION = make();

        private static Installation make() {
            Installation installation = Installation.shared();
            if (Installation.isOwn()) {
                try {
                    Path first = Files.createTempDirectory("spillway-first");
                    try (var head = new HeadFixture(first, NSS, installation)) {
                        head.start().stop();
                    }
                    Installation.delete(first);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return installation;
        }
    }

    /** @param directory the section of that name, in one line */
    HeadFixture(Path given, String directory) throws IOException {
        this(given, directory, Archived.INSTALLATION);
    }

    /** A head that may use every driver. */
    static HeadFixture complete(Path folder) throws IOException {
        return new HeadFixture(folder, NSS, Installation.complete());
    }

    private HeadFixture(Path given, String directory, Installation installation) throws IOException {
        this.installation = installation;
        // As /proc shows it.
        folder = given.toRealPath();
        Files.writeString(folder.resolve("cloud.yaml"), CLOUD);
        Files.writeString(
                folder.resolve("spillway.yaml"),
                CONFIG.formatted(directory, folder.resolve("cloud"), folder.resolve("cloud.yaml")));
        Path tool = Files.createDirectories(folder.resolve("image/bin")).resolve("tool");
        Files.writeString(tool, "#!/bin/sh\necho \"image tool\"\n");
        tool.toFile().setExecutable(true, false);
    }

    HeadFixture(Path folder) throws IOException {
        this(folder, NSS);
    }

    Path folder() {
        return folder;
    }

    Path state() {
        return folder.resolve("state");
    }

    Path log() {
        return folder.resolve("head.log");
    }

    LocalCloudAdmin cloud() {
        return new LocalCloudAdmin(folder.resolve("cloud"));
    }

    HeadClient client() {
        return new HeadClient(state().resolve("spillway.sock"));
    }

    HeadFixture start() throws IOException {
        begin(
                "org.spillway.cli.Main",
                "serve",
                "--config",
                folder.resolve("spillway.yaml").toString());
        if (!answers()) {
            throw new IllegalStateException("the head does not come up:\n" + Files.readString(log()));
        }
        return this;
    }

    /** Starts the next heads behind a command, and with variables; both empty for nothing. */
    HeadFixture under(List<String> command, Map<String, String> variables) {
        before = List.copyOf(command);
        environment = Map.copyOf(variables);
        return this;
    }

    /** Without waiting for anything. */
    Process begin(String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(installation.java(main));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().put("SPILLWAY_HOME", installation.home().toString());
        builder.environment().putAll(environment);
        Process started = builder.start();
        head = started;
        return started;
    }

    /** Waits until the head that was begun last answers; false when it ended before. */
    boolean answers() {
        Process process = running();
        Processes.eventually(PATIENCE, () -> !process.isAlive() || isUp(process));
        return process.isAlive() && isUp(process);
    }

    /** A second head beside this one, which is closed by whoever began it. */
    Process another(Path config, Path itsLog) throws IOException {
        List<String> command = new ArrayList<>(installation.java("org.spillway.cli.Main"));
        command.addAll(List.of("serve", "--config", config.toString()));
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(itsLog.toFile()));
        builder.environment().put("SPILLWAY_HOME", installation.home().toString());
        return builder.start();
    }

    private boolean isUp(Process process) {
        try {
            return client().get("/health", HealthView.class).pid() == process.pid();
        } catch (CliFailure notYet) {
            return false;
        }
    }

    /** Ends the head in order; what runs in the cloud goes on. */
    void stop() {
        client().post("/shutdown");
        awaitEnd(running());
    }

    Process running() {
        Process process = head;
        if (process == null) {
            throw new IllegalStateException("no head was started");
        }
        return process;
    }

    /** kill -9. */
    void kill() {
        Process process = running();
        process.destroyForcibly();
        awaitEnd(process);
    }

    static void awaitEnd(Process process) {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the head does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** @param outputs name in the job's folder, and destination */
    static JobSubmission submission(String script, String input, Map<String, Path> outputs) {
        return submission(
                script,
                input,
                outputs.entrySet().stream()
                        .map(output -> new JobSubmission.Output(
                                output.getKey(), output.getValue().toString(), false, false))
                        .toList());
    }

    static JobSubmission submission(String script, String input, List<JobSubmission.Output> outputs) {
        return sized("", script, 1, input, outputs);
    }

    /** @param input absolute path; empty for none */
    static JobSubmission sized(
            String queue, String script, int cpus, String input, List<JobSubmission.Output> outputs) {
        return JobSubmission.of(job -> {
            job.queue = queue;
            job.name = "test";
            job.script = script;
            job.scriptName = "job.sh";
            job.cpus = cpus;
            job.walltimeSeconds = 120;
            job.folder = folderOf(outputs);
            job.inputs = input.isEmpty() ? List.of() : List.of(new JobSubmission.Input(input, ""));
            job.outputs = outputs;
        });
    }

    /** Each test its own: a head that is killed may leave hidden results there, which a later job of that number meets. */
    private static String folderOf(List<JobSubmission.Output> outputs) {
        return outputs.stream()
                .map(output -> Path.of(output.destination()))
                .filter(Path::isAbsolute)
                .map(destination -> String.valueOf(destination.getParent()))
                .findFirst()
                .orElse("/tmp");
    }

    String submit(JobSubmission job) {
        return submit(job, UUID.randomUUID().toString());
    }

    String submit(JobSubmission job, String key) {
        return HeadClient.read(client().post("/jobs", key, job), Submitted.class)
                .id();
    }

    JobDetail job(String id) {
        return client().get("/jobs/" + id, JobDetail.class);
    }

    JobDetail await(String id, Predicate<JobView> condition) {
        if (!Processes.eventually(PATIENCE, () -> condition.test(job(id).job()))) {
            throw new AssertionError("job " + id + " is " + job(id) + "; the head's log:\n" + tail());
        }
        return job(id);
    }

    JobDetail awaitEnd(String id) {
        return await(id, job -> job.state().isTerminal());
    }

    String tail() {
        try {
            List<String> lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    List<NodeView> nodes() {
        return client().list("/nodes", "nodes", NodeView.class);
    }

    /** A command of the command line, in this process. @return what it prints */
    private static final List<String> GROUPS = List.of("node", "breaker");

    String command(String... words) {
        return command(0, words);
    }

    /** @param expected exit code */
    String command(int expected, String... words) {
        var arguments = new ArrayList<>(List.of(words));
        // Behind the command's name: what follows a script is the script's.
        int behind = words[0].equals("image") ? 3 : GROUPS.contains(words[0]) ? 2 : 1;
        arguments.addAll(
                behind, List.of("--socket", state().resolve("spillway.sock").toString()));
        var out = new StringWriter();
        var line = new Commands()
                .with(new HeadCommands(
                        () -> new Installed(Map.of(), Map.of(), Map.of()), (config, newEpoch) -> 70, Map::of))
                .commandLine(new Root(), arguments.toArray(new String[0]))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out));
        int exit = line.execute(arguments.toArray(new String[0]));
        if (exit != expected) {
            throw new AssertionError(arguments + " ended with " + exit + ": " + out + "; the head's log:\n" + tail());
        }
        return out.toString();
    }

    @Command(name = "spillway")
    static final class Root {}

    @Override
    public void close() throws IOException {
        if (head != null) {
            kill();
        }
        if (cloud().exists()) {
            long pid = cloud().pid();
            if (Processes.commandLine(pid).contains(folder.toString())) {
                Processes.kill(pid);
                // Whose cloud it is may ask next whether it lives.
                ProcessHandle.of(pid).ifPresent(dying -> dying.onExit().join());
            }
        }
        Processes.killInstances(folder);
    }
}
