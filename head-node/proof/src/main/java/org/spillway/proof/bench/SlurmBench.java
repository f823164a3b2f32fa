package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.slurm.manager.LookCost;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.SlurmSettings;
import org.spillway.slurm.settings.Unnamed;

/**
 * The cost of a Slurm with 10,000 waiting jobs and 1,000 declared nodes to the head. Needs root and {@code
 * labs/slurm/install.sh}.
 */
final class SlurmBench {
    private static final int JOBS = 10_000;
    private static final int PARTITIONS = 50;
    private static final int NODES = 1000;
    private static final int LOOKS = 9;
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;
    private static final Duration SUBMITTING = Duration.ofMinutes(20);
    /** Jobs of many shapes, all of them for tomorrow: the scheduler's work does not blur the figures. By nobody. */
    private static final String SUBMIT = """
            seq %d | setpriv --reuid nobody --regid nogroup --clear-groups xargs -P 4 -n 50 sh -c '
              for i in "$@"; do
                sbatch -Q --begin=now+1day -p "p$((i %% %d + 1))" -t $((i %% 7 * 60 + 10)) -N $((i %% 4 + 1)) -n $((i %% 4 * 8 + 8)) \\
                  --mem=$((i %% 5 * 1000 + 2000)) -C "ib&zen4" -J "name$i" -o /dev/null --wrap true || exit 255
              done' submit
            """;

    private final Path scripts;

    SlurmBench(Path launcher) {
        scripts = launcher.resolveSibling("labs").resolve("slurm");
    }

    List<Figure> measure() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        var plans = Samples.of(LookCost.plans(NODES, 200).stream()
                .skip(100)
                .map(took -> took.toNanos() / NANOS)
                .toList());
        figures.add(Figure.below(
                1, "slurm.plan", plans.median(), "s", "a plan for " + NODES + " declared nodes, median of 100"));
        Path folder = Files.createTempDirectory("slurm-bench");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        try {
            run(folder, Duration.ofMinutes(1), scripts.resolve("slurm-up.sh").toString(), folder.toString());
            run(folder, SUBMITTING, "sh", "-c", SUBMIT.formatted(JOBS, PARTITIONS));
            figures.addAll(looks(folder));
        } finally {
            run(folder, Duration.ofMinutes(1), scripts.resolve("slurm-down.sh").toString(), folder.toString());
        }
        return figures;
    }

    private static List<Figure> looks(Path folder) throws IOException, InterruptedException {
        var settings = new SlurmSettings(
                folder.resolve("etc/slurm.conf"),
                "root",
                "127.0.0.1:24501",
                folder.resolve("run/munge.sock"),
                folder.resolve("etc/munge.key"),
                Map.of("c", Map.of("n", NODES)),
                JobFiles.of(Unnamed.HOME),
                Map.of());
        List<HeadConfig.Queue> queues = new ArrayList<>();
        for (int number = 1; number <= PARTITIONS; number++) {
            queues.add(HeadConfig.Queue.plain("p" + number, List.of("c"), Duration.ofHours(1), number == 1));
        }
        List<LookCost> costs;
        try {
            costs = LookCost.looks(settings, queues, LOOKS);
        } catch (WorkloadUnavailable away) {
            throw new IOException(away);
        }
        if (costs.stream().anyMatch(cost -> cost.jobs() != JOBS)) {
            throw new IOException("not all jobs were seen: " + costs);
        }
        var took = Samples.of(
                costs.stream().map(cost -> cost.took().toNanos() / NANOS).toList());
        var bytes = Samples.of(
                costs.stream().map(cost -> cost.allocatedBytes() / MEGA).toList());
        String how =
                LOOKS + " looks at " + JOBS + " waiting jobs in " + PARTITIONS + " partitions and " + NODES + " nodes";
        return List.of(
                Figure.below(1, "slurm.look", took.median(), "s", how),
                Figure.plain("slurm.look.p95", took.p95(), "s", how),
                Figure.below(100, "slurm.look.allocated", bytes.median(), "MB", how));
    }

    private static void run(Path folder, Duration limit, String... command) throws IOException, InterruptedException {
        StringBuilder nodes = new StringBuilder("NodeName=c-n-[1-" + NODES
                + "] NodeAddr=127.0.0.1 CPUs=64 RealMemory=256000 Feature=cloud,ib,zen4 State=CLOUD\n");
        for (int number = 1; number <= PARTITIONS; number++) {
            int first = (number - 1) * NODES / PARTITIONS + 1;
            nodes.append("PartitionName=p%d Nodes=c-n-[%d-%d] MaxTime=INFINITE State=UP\n"
                    .formatted(number, first, number * NODES / PARTITIONS));
        }
        Path said = folder.resolve("said.txt");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment()
                .putAll(Map.of(
                        "BASE_PORT", "24500",
                        "NET", "221",
                        "REGIONS", "",
                        "RESUME", "no",
                        "EXTRA_NODES", nodes.toString(),
                        "EXTRA_CONF", "MaxJobCount=50000",
                        "SLURM_CONF", folder.resolve("etc/slurm.conf").toString()));
        Process process = builder.start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
                throw new IOException(command[0] + ": "
                        + Files.readString(said).lines().findFirst().orElse("it did not end in time"));
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
