package org.spillway.slurm.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cli.CliFailure;

/** With a program in the place of sbatch that says what it was given. */
final class ClusterSbatchTest {
    @TempDir
    Path folder;

    private String submitted(Path script, List<String> arguments) throws Exception {
        Path sbatch = Files.createDirectories(folder.resolve("bin")).resolve("sbatch");
        Files.writeString(sbatch, "#!/bin/sh\necho \"$1 ${2##*/}\"; cksum <\"$2\"; shift 2; printf '<%s>\\n' \"$@\"\n");
        assertThat(sbatch.toFile().setExecutable(true)).isTrue();
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        var builder =
                new ProcessBuilder(new ClusterSbatch().command(script.toString(), arguments)).redirectErrorStream(true);
        builder.environment().put("PATH", sbatch.getParent() + ":" + System.getenv("PATH"));
        builder.environment().put("TMPDIR", temporary.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(temporary).isEmptyDirectory();
        return said;
    }

    private static String checksum(Path file) throws Exception {
        Process process =
                new ProcessBuilder("cksum").redirectInput(file.toFile()).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aScriptOfManyPiecesArrivesAsItIsWithItsNameAndArguments() throws Exception {
        Path script = folder.resolve("train it.sh");
        Files.writeString(script, "#!/bin/sh\n#SBATCH --nodes=2\n" + "# '\"$\\ ü\n".repeat(5000));
        assertThat(submitted(script, List.of("--epochs", "3 4", "$HOME")))
                .isEqualTo("--parsable train_it.sh\n" + checksum(script) + "<--epochs>\n<3 4>\n<$HOME>\n");
    }

    @Test
    void aCommandFitsIntoWhatTheHeadTakes() throws IOException {
        Path script = Files.writeString(folder.resolve("job.sh"), "#".repeat(200_000));
        assertThat(new ClusterSbatch().command(script.toString(), List.of()))
                .hasSizeLessThanOrEqualTo(100)
                .allMatch(word -> word.length() <= 4000 && !word.contains("\n"));
        Path tooLong = Files.writeString(folder.resolve("long.sh"), "#".repeat(400_000));
        assertThatThrownBy(() -> new ClusterSbatch().command(tooLong.toString(), List.of()))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("too long");
    }
}
