package org.spillway.slurm.manager;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.tenant.Logins;
import org.spillway.head.workload.JoinedNode;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.SlurmSettings;
import org.spillway.slurm.settings.Unnamed;

/** A real Slurm of {@code labs/slurm}: slots {@code west-small-1..3} and {@code west-big-1}, machines {@code west1..4}. */
final class SlurmLab implements AutoCloseable {
    private static final Path SCRIPTS =
            Path.of("..", "..", "labs", "slurm").toAbsolutePath().normalize();
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** How many labs there may be at a time: a lab mostly waits. */
    private static final int MOST = 4;

    private static final int FIRST_NET = 220;
    /** Numbers of networks that no lab has: each lab has its own addresses and ports. */
    private static final BlockingQueue<Integer> FREE = new ArrayBlockingQueue<>(
            MOST, true, IntStream.range(FIRST_NET, FIRST_NET + MOST).boxed().toList());

    private final Path folder;
    private final int net;
    private final Map<String, String> started = new HashMap<>();

    private SlurmLab(Path folder, int net) {
        this.folder = folder;
        this.net = net;
    }

    private int port() {
        return 24000 + 200 * (net - FIRST_NET);
    }

    private Map<String, String> environment() {
        return Map.of(
                "BASE_PORT",
                Integer.toString(port()),
                "NET",
                Integer.toString(net),
                "REGIONS",
                "west",
                "NODES",
                "4",
                "RESUME",
                "no",
                "SUSPEND_TIMEOUT",
                "1",
                "EXTRA_NODES",
                """
                NodeName=west-small-[1-3] Port=%1$d CPUs=4 RealMemory=4000 Feature=cloud State=CLOUD
                NodeName=west-big-1 Port=%1$d CPUs=8 RealMemory=8000 Feature=cloud State=CLOUD
                PartitionName=west Nodes=west-small-[1-3],west-big-1 MaxTime=INFINITE State=UP
                PartitionName=cloud Nodes=west-small-[1-3],west-big-1 MaxTime=INFINITE State=UP""".formatted(port() + 2),
                "SLURM_CONF",
                folder.resolve("etc/slurm.conf").toString());
    }

    /** Why there can be no lab here; empty when there can be one. */
    static Optional<String> lacking() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("only root may make namespaces");
        }
        return List.of("/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "/usr/sbin/slurmrestd").stream()
                .filter(program -> !Files.isExecutable(Path.of(program)))
                .findFirst()
                .map(program -> program + " is missing: run labs/slurm/install.sh");
    }

    static SlurmLab up(Path folder) {
        SlurmLab lab = new SlurmLab(folder, free());
        try {
            lab.run(SCRIPTS.resolve("slurm-up.sh").toString(), folder.toString());
            Files.setPosixFilePermissions(
                    folder.resolve("jobs"), java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
        } catch (IOException e) {
            lab.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            lab.close();
            throw e;
        }
        return lab;
    }

    private static int free() {
        try {
            return FREE.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Path jobs() {
        return folder.resolve("jobs");
    }

    SlurmSettings settings() {
        return new SlurmSettings(
                folder.resolve("etc/slurm.conf"),
                "root",
                "10." + net + ".20.254:" + (port() + 1),
                folder.resolve("run/munge.sock"),
                folder.resolve("etc/munge.key"),
                Map.of("west", Map.of("small", 3, "big", 1)),
                JobFiles.of(Unnamed.HOME),
                Map.of());
    }

    SlurmWorkload manager(List<String> known) {
        return new SlurmWorkload(
                settings(),
                List.of(HeadConfig.Queue.plain("cloud", List.of("west"), Duration.ofHours(1), true)),
                new Logins(uid -> Optional.of("user" + uid), user -> Optional.empty()),
                known,
                InstantSource.system(),
                () -> {});
    }

    /** @param machine 1 to 4 */
    JoinedNode node(int machine, String type) {
        int cpus = type.equals("big") ? 8 : 4;
        return new JoinedNode(
                "n" + machine,
                "west",
                type,
                "10." + net + ".21." + machine,
                Resources.of(cpus, (cpus * 1000L) << 20, 0),
                "",
                Market.ON_DEMAND,
                "");
    }

    /** Does what a node does when it is told its slot: starts its slurmd. */
    void boot(WorkloadManager manager, JoinedNode node) {
        manager.nodeList().flatMap(list -> list.grant(node.id())).ifPresent(grant -> {
            if (started.putIfAbsent(
                            node.id(), grant.slot() + "@west" + node.id().substring(1))
                    == null) {
                run(SCRIPTS.resolve("node.sh").toString(), folder.toString(), "start", started.get(node.id()));
            }
        });
    }

    /** Whether Slurm knows which nodes are off. */
    boolean isReserved() {
        return run("scontrol", "-o", "show", "reservation").contains("ReservationName=" + SlurmOrder.RESERVATION + " ");
    }

    /** Whether Slurm gives no further job to the node, which was booted. */
    boolean isClosed(JoinedNode node) {
        String slot = Objects.requireNonNull(started.get(node.id()), "not booted");
        String said = run("scontrol", "-o", "show", "node", slot.substring(0, slot.indexOf('@')));
        String state = said.replaceFirst("(?s).* State=(\\S+).*", "$1");
        return Stream.of("DRAIN", "DOWN", "POWER", "MAINT").anyMatch(state::contains);
    }

    /** The machine is gone, without a word. */
    void kill(JoinedNode node) {
        String slurmd = started.remove(node.id());
        if (slurmd != null) {
            run(SCRIPTS.resolve("node.sh").toString(), folder.toString(), "kill", slurmd);
        }
    }

    void stopController() throws IOException {
        run(
                "kill",
                "-KILL",
                Files.readString(folder.resolve("run/slurmctld.pid")).strip());
    }

    void startController() {
        run(
                "slurmctld",
                "-f",
                folder.resolve("etc/slurm.conf").toString(),
                "-L",
                folder.resolve("log/slurmctld.log").toString());
    }

    /** By an ordinary user. @return the job's id */
    String sbatch(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--reuid",
                "nobody",
                "--regid",
                "nogroup",
                "--clear-groups",
                "sbatch",
                "--parsable",
                "-D",
                jobs().toString()));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new)).strip();
    }

    String run(String... command) {
        try {
            var builder =
                    new ProcessBuilder(command).directory(new java.io.File("/")).redirectErrorStream(true);
            builder.environment().putAll(environment());
            Path answer = Files.createTempFile("lab", ".txt");
            Process process = builder.redirectOutput(answer.toFile()).start();
            try {
                if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IllegalStateException("no end: " + List.of(command));
                }
                String text = Files.readString(answer);
                if (process.exitValue() != 0) {
                    throw new IllegalStateException(
                            List.of(command) + " ended with " + process.exitValue() + ": " + text);
                }
                return text;
            } finally {
                process.destroyForcibly();
                Files.delete(answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            // Nobody reads what daemons would write down at an orderly end, which takes ten seconds.
            run("sh", "-c", "cat " + folder + "/run/slurm*.pid 2>/dev/null | xargs -r kill -KILL 2>/dev/null || true");
            run(SCRIPTS.resolve("slurm-down.sh").toString(), folder.toString());
        } finally {
            FREE.add(net);
        }
    }
}
