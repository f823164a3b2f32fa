package org.spillway.slurm.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.spillway.cli.CliFailure;

/** Questions to the Slurm that runs. */
final class Scontrol {
    private static final int LIMIT_SECONDS = 20;
    private static final int MOST_BYTES = 64 << 20;

    private final UnaryOperator<Path> programs;
    private final Path conf;

    /** @param programs where a program is that is usually elsewhere */
    Scontrol(UnaryOperator<Path> programs, Path conf) {
        this.programs = programs;
        this.conf = conf;
    }

    /** @throws CliFailure if Slurm does not answer */
    String ask(String... arguments) {
        var command = new ArrayList<>(
                List.of(programs.apply(SlurmFilesCommand.program("scontrol")).toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SLURM_CONF", conf.toString());
        builder.environment().put("LC_ALL", "C");
        try {
            var process = builder.start();
            var watchdog = Thread.startVirtualThread(() -> endLater(process));
            try {
                process.getOutputStream().close();
                var answer = new String(process.getInputStream().readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
                if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                    throw away("scontrol " + String.join(" ", arguments) + ": "
                            + answer.lines().findFirst().orElse("no answer within " + LIMIT_SECONDS + " s"));
                }
                return answer;
            } finally {
                watchdog.interrupt();
                process.destroyForcibly();
            }
        } catch (IOException missing) {
            throw away("scontrol cannot be run: " + missing.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw away("interrupted");
        }
    }

    private static void endLater(Process process) {
        try {
            Thread.sleep(Duration.ofSeconds(LIMIT_SECONDS));
            process.destroyForcibly();
        } catch (InterruptedException answered) {
            Thread.currentThread().interrupt();
        }
    }

    private static CliFailure away(String message) {
        return new CliFailure(
                CliFailure.NOT_REACHED,
                message.replaceAll("\\p{Cc}", "?"),
                "is slurmctld up, and is workload.slurm.conf the slurm.conf that it reads?");
    }
}
