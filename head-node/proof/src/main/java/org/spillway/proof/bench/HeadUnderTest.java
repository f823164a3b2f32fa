package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.Submitted;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;

/** A real head with one local site, in a folder of its own. Closing it ends every process that came from it. */
final class HeadUnderTest implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration RELEASE = Duration.ofSeconds(60);
    private static final Duration STOP = Duration.ofSeconds(15);
    private static final long LOOK_MILLIS = 50;
    private static final long UNHURRIED_MILLIS = 500;

    private final Path folder;
    private final Process process;
    private final HeadClient client;

    private HeadUnderTest(Path folder, Process process, HeadClient client) {
        this.folder = folder;
        this.process = process;
        this.client = client;
    }

    /** Puts something into a state directory before its head starts. */
    interface Preparation {
        void prepare(Path state) throws IOException;
    }

    /** @throws IOException if the head does not come up; nothing of it is left then */
    static HeadUnderTest start(Path launcher) throws IOException, InterruptedException {
        return start(launcher, true, state -> {});
    }

    /**
     * @param buying whether it has the money for a director and nodes
     * @throws IOException if the head does not come up; nothing of it is left then
     */
    static HeadUnderTest start(Path launcher, boolean buying, Preparation preparation)
            throws IOException, InterruptedException {
        String usual = configuration();
        return start(launcher, buying ? usual : usual.replace("limit: 1000.00", "limit: 0.01"), preparation);
    }

    /**
     * @param configuration in YAML; its paths are relative to the folder around the state directory
     * @throws IOException if the head does not come up; nothing of it is left then
     */
    static HeadUnderTest start(Path launcher, String configuration, Preparation preparation)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(
                "spillway-bench", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path tool = Files.createDirectories(folder.resolve("image/bin")).resolve("tool");
        Files.writeString(tool, "#!/bin/sh\necho tool\n");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path config = folder.resolve("spillway.yaml");
        Files.writeString(config, configuration);
        preparation.prepare(folder.resolve("state"));
        var builder = new ProcessBuilder(launcher.toString(), "serve", "--config", config.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("head.log").toFile());
        builder.environment().put("SPILLWAY_NO_BUILD", "1");
        Process process = builder.start();
        process.getOutputStream().close();
        var head = new HeadUnderTest(folder, process, new HeadClient(folder.resolve("state/spillway.sock")));
        try {
            await("the head answers", START, () -> head.process.isAlive() && head.answers());
        } catch (IOException notUp) {
            String log = Files.readString(folder.resolve("head.log"));
            head.close();
            throw new IOException(
                    notUp.getMessage() + "; the end of its log: " + log.substring(Math.max(0, log.length() - 1000)));
        } catch (InterruptedException stop) {
            head.close();
            throw stop;
        }
        return head;
    }

    /** The usual one, in YAML. */
    static String configuration() throws IOException {
        try (var in = HeadUnderTest.class.getResourceAsStream("bench.yaml")) {
            if (in == null) {
                throw new IOException("bench.yaml is missing: this is not a complete build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Of the head itself: the launcher has become it. */
    long pid() {
        return process.pid();
    }

    HeadClient client() {
        return client;
    }

    /** Lets every user of the machine reach the socket. @return where it is */
    Path open() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        return folder.resolve("state/spillway.sock");
    }

    Path state() {
        return folder.resolve("state");
    }

    /** Ends the head alone, and returns when it has ended: its journal may be opened then. */
    void stop() throws IOException, InterruptedException {
        client.post("/shutdown");
        if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
            throw new IOException("the head does not stop");
        }
    }

    JobView submit(String script) {
        return HeadClient.read(client.post("/jobs", UUID.randomUUID().toString(), job(script)), Submitted.class)
                .jobs()
                .getFirst();
    }

    static JobSubmission job(String script) {
        return JobSubmission.of(job -> {
            job.name = "bench";
            job.script = script;
            job.scriptName = "bench.sh";
            job.walltimeSeconds = 60;
            job.folder = "/tmp";
        });
    }

    JobDetail untilEnd(String id, Duration limit) throws IOException, InterruptedException {
        await("job " + id + " ends", limit, () -> detail(id).job().state().isTerminal());
        return detail(id);
    }

    /** The same for a job whose own moments are measured: a look each 50 ms is a third of what a head does. */
    JobDetail untilEndUnhurried(String id, Duration limit) throws IOException, InterruptedException {
        await(
                "job " + id + " ends",
                limit,
                UNHURRIED_MILLIS,
                () -> detail(id).job().state().isTerminal());
        return detail(id);
    }

    List<NodeView> liveNodes() {
        return client.list("/nodes", "nodes", NodeView.class).stream()
                .filter(node -> !node.state().isTerminal())
                .toList();
    }

    private JobDetail detail(String id) {
        return client.get("/jobs/" + id, JobDetail.class);
    }

    private boolean answers() {
        try {
            client.get("/health", HealthView.class);
            return true;
        } catch (CliFailure notYet) {
            return false;
        }
    }

    /** @throws IOException if it does not become true within the limit */
    static void await(String what, Duration limit, BooleanSupplier condition) throws IOException, InterruptedException {
        await(what, limit, LOOK_MILLIS, condition);
    }

    private static void await(String what, Duration limit, long lookMillis, BooleanSupplier condition)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > limit.toNanos()) {
                throw new IOException("waited " + limit.toSeconds() + " s in vain until " + what);
            }
            Thread.sleep(lookMillis);
        }
    }

    /** Asks for the end, and sees to it: what does not end in time is killed, and the folder goes. */
    @Override
    public void close() throws IOException {
        try {
            if (process.isAlive() && answers()) {
                client.post("/release");
                await("nothing is left", RELEASE, () -> liveNodes().isEmpty());
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (CliFailure | IOException unwilling) {
            System.err.println("bench: the head does not release: " + unwilling.getMessage());
        } finally {
            process.destroy();
            killIfNeeded();
            for (ProcessHandle left : processesOf(folder)) {
                left.destroyForcibly();
            }
            delete();
        }
    }

    private void killIfNeeded() {
        try {
            if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }

    /** The local cloud and what its instances started: they live in the folder, or name it. */
    static List<ProcessHandle> processesOf(Path folder) throws IOException {
        var found = new ArrayList<ProcessHandle>();
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path one : processes) {
                long pid = Long.parseLong(one.getFileName().toString());
                if (pid != ProcessHandle.current().pid() && names(one, folder.toString())) {
                    ProcessHandle.of(pid).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private static boolean names(Path process, String folder) {
        for (String file : List.of("cmdline", "environ")) {
            try {
                if (Files.readString(process.resolve(file), StandardCharsets.ISO_8859_1)
                        .contains(folder + "/")) {
                    return true;
                }
            } catch (IOException goneOrForeign) {
                continue;
            }
        }
        return false;
    }

    private void delete() throws IOException {
        List<Path> paths;
        try (var all = Files.walk(folder)) {
            paths = all.sorted(java.util.Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
