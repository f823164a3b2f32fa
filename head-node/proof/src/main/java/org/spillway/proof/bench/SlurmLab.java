package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real slurmctld with two nodes, started by {@code labs/slurm} in a folder of its own; closing it ends it. */
final class SlurmLab implements AutoCloseable {
    private static final List<String> PROGRAMS = List.of("squeue", "sbatch", "slurmctld", "slurmd", "munged");
    private static final Duration START = Duration.ofMinutes(2);

    private final Path scripts;
    private final Path folder;

    private SlurmLab(Path scripts, Path folder) {
        this.scripts = scripts;
        this.folder = folder;
    }

    /** The reason why there can be none here; empty when there can. */
    static Optional<String> missing(Path launcher) {
        List<String> without =
                PROGRAMS.stream().filter(program -> !isInstalled(program)).toList();
        if (!without.isEmpty()) {
            return Optional.of("Slurm is not installed (" + String.join(", ", without) + ")");
        }
        if (!Files.isExecutable(scripts(launcher).resolve("slurm-up.sh"))) {
            return Optional.of("labs/slurm is not beside the launcher");
        }
        return "root".equals(System.getProperty("user.name"))
                ? Optional.empty()
                : Optional.of("only root can start Slurm's lab");
    }

    private static boolean isInstalled(String program) {
        return Stream.of("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin", "/usr/local/sbin")
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    private static Path scripts(Path launcher) {
        return launcher.resolveSibling("labs").resolve("slurm");
    }

    static SlurmLab start(Path launcher) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("slurm-client");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        var lab = new SlurmLab(scripts(launcher), folder);
        try {
            lab.run("slurm-up.sh");
            return lab;
        } catch (IOException | InterruptedException | RuntimeException failed) {
            lab.close();
            throw failed;
        }
    }

    /** Variables that its clients need. */
    Map<String, String> environment() {
        return Map.of("SLURM_CONF", folder.resolve("etc/slurm.conf").toString());
    }

    private void run(String script) throws IOException, InterruptedException {
        Path said = folder.resolve("said.txt");
        var builder = new ProcessBuilder(scripts.resolve(script).toString(), folder.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment()
                .putAll(Map.of("BASE_PORT", "24700", "NET", "222", "REGIONS", "", "RESUME", "no", "EXTRA_NODES", ""));
        Process process = builder.start();
        try {
            if (!process.waitFor(START.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
                throw new IOException(script + ": "
                        + Files.readString(said).lines().findFirst().orElse("it did not end in time"));
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            run("slurm-down.sh");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
