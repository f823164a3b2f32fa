package org.spillway.slurm.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.Unnamed;

/** The program that Slurm calls for nodes that are off, with commands that write down how they are called. */
final class ResumeProgramTest {
    private static final NodeGroup GROUP = new NodeGroup("west", "gpu", 2, 8, 30_000, 0, "", List.of());
    private static final Wanted WANTED = new Wanted(
            List.of(),
            List.of(GROUP),
            List.of(
                    new Partition("west", List.of(GROUP), 60, 360, false),
                    new Partition("burst", List.of(GROUP), 60, 360, false)),
            JobFiles.of(Unnamed.HOME));

    @TempDir
    private Path folder;

    private SlurmFiles.Place place;

    @BeforeEach
    void commands() throws Exception {
        for (String name : List.of("scontrol", "squeue", "spillway", "own")) {
            Path file = folder.resolve(name);
            Files.writeString(
                    file,
                    "#!/bin/sh\necho \"" + name + " $*\" >>" + folder + "/said\n" + "case \"" + name + " $*\" in\n"
                            + "  'squeue '*) printf '7\\n8\\n' ;;\n"
                            + "  'scontrol show hostnames '*) printf 'west-gpu-1\\nhome1\\n' ;;\n"
                            + "  'scontrol -o show job 7') echo 'JobId=7 Requeue=1 Restarts=0' ;;\n"
                            + "  'scontrol -o show job 8') echo 'JobId=8 Requeue=0 Restarts=0' ;;\n"
                            + "  'spillway '*) exit $(cat " + folder + "/head) ;;\nesac\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        place = new SlurmFiles.Place(
                folder.resolve("socket"),
                folder.resolve("slurm.conf"),
                folder.resolve("spillway"),
                Path.of("/usr/bin/curl"),
                folder.resolve("squeue"),
                "/dev/nvidia");
    }

    private List<String> said(SlurmFiles.Written program, int head) throws Exception {
        Files.writeString(folder.resolve("head"), Integer.toString(head));
        Path file = Files.writeString(folder.resolve("program"), program.text());
        var process = new ProcessBuilder("/bin/sh", file.toString(), "west-gpu-1,home1")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.readAllLines(folder.resolve("said"));
    }

    private SlurmFiles.Written resume() {
        return SlurmFiles.of(WANTED, place).stream()
                .filter(file -> file.name().equals(SlurmFiles.RESUME))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aHeadThatAnswersIsAskedAndNothingElseIsDone() throws Exception {
        assertThat(said(resume(), 0))
                .containsExactly("spillway slurm resume --socket " + place.socket() + " west-gpu-1,home1");
    }

    @Test
    void withoutAHeadNoFurtherJobGetsANodeAndThoseThatHaveWaitAgain() throws Exception {
        assertThat(said(resume(), 3).subList(1, 10))
                .containsExactly(
                        "scontrol update partitionname=west state=down minnodes=0",
                        "scontrol update partitionname=burst state=down minnodes=0",
                        "squeue -h -a -w west-gpu-1,home1 -t R,CF -o %A",
                        "scontrol -o show job 7",
                        "scontrol requeue 7",
                        "scontrol -o show job 8",
                        "scontrol update jobid=8 requeue=1",
                        "scontrol requeue 8",
                        "scontrol update jobid=8 requeue=0");
    }

    @Test
    void theSitesOwnNodesAreTheSitesOwnProgramsWhateverTheHeadSays() throws Exception {
        var chained = SlurmFiles.before(resume(), folder.resolve("own").toString(), WANTED, place);
        assertThat(said(chained, 3))
                .contains("squeue -h -a -w west-gpu-1 -t R,CF -o %A", "own home1")
                .endsWith("own home1");
    }
}
