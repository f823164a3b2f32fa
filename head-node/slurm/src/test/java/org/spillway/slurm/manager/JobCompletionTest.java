package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A real Slurm takes an exit code for a job that has ended well, and says when it does not. */
@Execution(ExecutionMode.CONCURRENT)
final class JobCompletionTest {
    @Test
    void aJobThatHasEndedTakesAnExitCodeAndOneThatSlurmDoesNotKnowIsSaid() throws Exception {
        Optional<String> lacking = SlurmLab.lacking();
        assumeTrue(lacking.isEmpty(), lacking.orElse(""));
        try (SlurmLab lab = SlurmLab.up(Files.createTempDirectory("slurm"))) {
            String job = lab.sbatch("-p", "onprem", "-o", "/dev/null", "--wrap", "true");
            while (!lab.run("scontrol", "-o", "show", "job", job).contains(" JobState=COMPLETED ")) {
                LockSupport.parkNanos(1_000_000);
            }
            var commands = new SlurmCommands(lab.settings().conf());
            assertThat(commands.say(new SlurmOrder.ExitCode(Long.parseLong(job))))
                    .isEmpty();
            assertThat(lab.run("scontrol", "-o", "show", "job", job))
                    .contains(" ExitCode=1:0 ")
                    .contains(" JobState=COMPLETED ");
            assertThat(commands.say(new SlurmOrder.ExitCode(4_000_000_000L))).isPresent();
        }
    }
}
