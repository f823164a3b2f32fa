package org.spillway.proof.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.spillway.cli.CliFailure;

/** The lab under the demo with Slurm: scripts of {@code labs/slurm} and Slurm's own commands, in namespaces of its own. */
final class SlurmRoom {
    /** Set by the process outside for the one inside. */
    static final String INSIDE = "SPILLWAY_DEMO_INSIDE";

    private static final String DOOR = """
            #!/bin/sh
            # A shell in this demo's site, as root or as USER: enter [USER [COMMAND...]]. Its namespaces are children of
            # the command that was typed outside.
            init=$(pgrep -P "$(pgrep -P @outside@ -x unshare | head -n 1)" | head -n 1)
            [ -n "$init" ] || { echo 'the demo has ended' >&2; exit 1; }
            user=${1:-root}
            [ "$#" -eq 0 ] || shift
            [ "$#" -gt 0 ] || set -- bash
            exec nsenter --target "$init" --mount --net --pid --ipc -- env SLURM_CONF=@conf@ SPILLWAY_SOCKET=@socket@ \
              "PATH=@programs@:$PATH" sh -c 'home=$(getent passwd "$0" | cut -d : -f 6) && cd "$home" &&
                exec setpriv --reuid "$0" --regid "$0" --init-groups -- env "HOME=$home" "$@"' "$user" "$@"
            """;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration NETWORK = Duration.ofMinutes(3);
    private static final Duration PATIENCE_WITH_INSIDE = Duration.ofSeconds(60);
    private static final Pattern TELLING =
            Pattern.compile("^(?!.*(admin_comment|updating accounting|rpc_update_job)).*(JobId=|[Nn]ode |[Kk]ill)");
    private static final int LOG_LINES = 120;
    private static final List<String> PROGRAMS = List.of(
            "slurmctld",
            "slurmd",
            "sbatch",
            "scontrol",
            "munged",
            "sshd",
            "ssh",
            "ip",
            "nft",
            "unshare",
            "nsenter",
            "setpriv",
            "pgrep",
            "curl");

    private final Path lab;
    private volatile boolean controllerKilled;
    private final Path launcher;
    private final DemoFiles files;

    SlurmRoom(Path launcher, DemoFiles files) {
        this.lab = lab(launcher);
        this.launcher = launcher;
        this.files = files;
    }

    private static Path lab(Path launcher) {
        return launcher.resolveSibling("labs").resolve("slurm");
    }

    /** Said before anything is changed. */
    static void check(Path launcher) {
        List<String> missing = PROGRAMS.stream().filter(SlurmRoom::isMissing).toList();
        if (!Files.isExecutable(lab(launcher).resolve("site.sh"))) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "--workload slurm needs labs/slurm beside the launcher", "use a clone");
        }
        if (!missing.isEmpty()) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--workload slurm: missing here: " + String.join(", ", missing),
                    "labs/slurm/install.sh installs the packages: slurmctld slurmd slurm-client slurm-wlm-basic-plugins"
                            + " munge openssh-server iproute2 nftables util-linux procps curl");
        }
        if (!System.getProperty("user.name", "").equals("root")) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--workload slurm makes namespaces and runs jobs of several users, which only root may",
                    "run it as root; it changes nothing outside its namespaces and its folder");
        }
    }

    private static boolean isMissing(String program) {
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
        for (String folder : path.split(":", -1)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, program))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Runs the command again in namespaces of its own, and waits for its end.
     *
     * @param afterwards what is still to be done when this process is told to end meanwhile
     * @return its exit code
     */
    static int inside(Path launcher, List<String> arguments, Runnable afterwards)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(lab(launcher).resolve("private.sh").toString());
        command.add(launcher.toString());
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put(INSIDE, Long.toString(ProcessHandle.current().pid()));
        builder.environment().put("SPILLWAY_NO_BUILD", "1");
        Process process = builder.start();
        Thread onSignal = new Thread(() -> {
            endInside(process);
            afterwards.run();
        });
        Runtime.getRuntime().addShutdownHook(onSignal);
        int code = process.waitFor();
        try {
            Runtime.getRuntime().removeShutdownHook(onSignal);
        } catch (IllegalStateException endingAlready) {
            return code;
        }
        return code;
    }

    /** The first process inside cleans up when it is asked to end; what is left ends with the namespaces. */
    private static void endInside(Process process) {
        process.children().forEach(ProcessHandle::destroy);
        try {
            if (!process.waitFor(PATIENCE_WITH_INSIDE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException stop) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the program by which others get in. @return where it is */
    Path makeDoor() throws IOException {
        Path door = files.folder().resolve("enter");
        Files.writeString(
                door,
                DOOR.replace("@outside@", System.getenv().getOrDefault(INSIDE, "0"))
                        .replace("@conf@", files.slurmConf().toString())
                        .replace("@socket@", files.socket().toString())
                        .replace(
                                "@programs@",
                                launcher.resolveSibling(".").normalize().toString()));
        Files.setPosixFilePermissions(door, PosixFilePermissions.fromString("rwxr-xr-x"));
        return door;
    }

    /** All of it is in namespaces that end with this process: it stays until it is asked to end. */
    @SuppressWarnings("InfiniteLoopStatement")
    void untilEnded() throws InterruptedException {
        while (true) {
            TimeUnit.HOURS.sleep(1);
        }
    }

    /** Home's addresses and accounts, the regions and their clouds. */
    void network() throws IOException, InterruptedException {
        site(NETWORK, "network");
    }

    void daemons() throws IOException, InterruptedException {
        site(LIMIT, "daemons");
    }

    void startController() throws IOException, InterruptedException {
        site(LIMIT, "slurmctld");
    }

    /** The work of a site's administrator at home after a slurmctld was killed. */
    void requeueForgotten() throws IOException, InterruptedException {
        controllerKilled = true;
        site(LIMIT, "forgotten");
    }

    void cut(String region) throws IOException, InterruptedException {
        site(LIMIT, "cut", region);
    }

    void heal(String region) throws IOException, InterruptedException {
        site(LIMIT, "heal", region);
    }

    /** Writes the files of {@code spillway slurm config} for this configuration into the folder of slurm.conf. */
    void configure() throws IOException, InterruptedException {
        run(
                LIMIT,
                launcher.toString(),
                "slurm",
                "config",
                "--config",
                files.config().toString(),
                "--out",
                files.slurmConf().resolveSibling(".").normalize().toString());
    }

    private void site(Duration limit, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(lab.resolve("site.sh").toString(), files.folder().toString()));
        command.addAll(List.of(words));
        run(limit, command.toArray(String[]::new));
    }

    /** Submits a script as its user would. @return the job's number */
    String submit(SlurmJobs job, Path script) throws IOException, InterruptedException {
        return run(
                        LIMIT,
                        "setpriv",
                        "--reuid=" + job.user(),
                        "--regid=" + job.user(),
                        "--init-groups",
                        "--",
                        "sbatch",
                        "--parsable",
                        script.toString())
                .strip();
    }

    /**
     * Numbers of all jobs that Slurm has not done with, tasks of arrays by their own. A slurmctld that was killed goes on
     * showing jobs in stage-out which it does nothing more for: docs/slurm.md. Those do not count.
     */
    List<String> queue() throws IOException, InterruptedException {
        return run(LIMIT, "squeue", "-a", "-h", "-r", "-o", "%A %T")
                .lines()
                .filter(line -> !(controllerKilled && line.endsWith(" STAGE_OUT")))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    /** A job as Slurm shows it, or an array's tasks, each by key; values with blanks are cut off at the first. */
    List<Map<String, String>> show(String number) throws IOException, InterruptedException {
        return run(LIMIT, "scontrol", "-o", "show", "job", number)
                .lines()
                .filter(line -> line.startsWith("JobId="))
                .map(SlurmRoom::fields)
                .toList();
    }

    static Map<String, String> fields(String line) {
        Map<String, String> fields = new TreeMap<>();
        for (String word : line.split(" ", -1)) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                fields.putIfAbsent(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        return fields;
    }

    private String run(Duration limit, String... command) throws IOException, InterruptedException {
        Path said = Files.createTempFile(files.folder(), "said", "");
        try {
            var builder = new ProcessBuilder(command)
                    .directory(files.folder().toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectError(ProcessBuilder.Redirect.appendTo(
                            files.folder().resolve("lab.log").toFile()))
                    .redirectOutput(said.toFile());
            builder.environment().put("SLURM_CONF", files.slurmConf().toString());
            builder.environment().put("SLURM_TIME_FORMAT", "%s");
            builder.environment().put("LAUNCHER", launcher.toString());
            builder.environment().put("SPILLWAY_NO_BUILD", "1");
            Process process = builder.start();
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
                throw new IOException(String.join(" ", command) + ": no end within " + limit.toSeconds() + " s");
            }
            String output = Files.readString(said, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + process.exitValue() + ": "
                        + output.strip() + "\n" + logEnd());
            }
            return output;
        } finally {
            Files.deleteIfExists(said);
        }
    }

    /** The last of what slurmctld's log says of jobs and nodes, without what the head has told it. */
    String controllerLog() {
        Path log = files.folder().resolve("log/slurm/slurmctld.log");
        try (Stream<String> all = Files.lines(log, StandardCharsets.UTF_8)) {
            List<String> lines = all.filter(TELLING.asPredicate()).toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException | UncheckedIOException unreadable) {
            return "(no log: " + unreadable.getMessage() + ")";
        }
    }

    private String logEnd() throws IOException {
        List<String> lines = Files.readAllLines(files.folder().resolve("lab.log"));
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
    }
}
